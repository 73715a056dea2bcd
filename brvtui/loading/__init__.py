"""Creates snapshots, either by reading the whole project, or from the last snapshot and the changes since then."""

from __future__ import annotations

from brvtui.loading.full import Progress, load
from brvtui.loading.incremental import update
from brvtui.loading.one_file import EditedFile

__all__ = ["EditedFile", "Progress", "load", "update"]
