"""Makes snapshots: of the whole project, or of the last snapshot and what changed."""

from __future__ import annotations

from brvtui.loading.full import Progress, load
from brvtui.loading.incremental import update
from brvtui.loading.one_file import EditedFile

__all__ = ["EditedFile", "Progress", "load", "update"]
