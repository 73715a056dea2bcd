"""The writers of snapshots: the whole project, or what changed since an earlier snapshot."""

from __future__ import annotations

from brvtui.loading.following import follow
from brvtui.loading.one_file import EditedFile
from brvtui.loading.whole import Progress, load

__all__ = ["EditedFile", "Progress", "follow", "load"]
