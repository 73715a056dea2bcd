"""The writers of snapshots: the whole project, or what changed since an earlier snapshot."""

from __future__ import annotations

from brvtui.loading.full import Progress, load
from brvtui.loading.incremental import follow
from brvtui.loading.one_file import EditedFile

__all__ = ["EditedFile", "Progress", "follow", "load"]
