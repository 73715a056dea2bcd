"""An immutable state of an open project, which every query reads. :mod:`brvtui.loading` creates such states."""

from brvtui.derived import Key
from brvtui.snapshot.records import FolderSummary, Note, Parsed, Reusable
from brvtui.snapshot.state import Snapshot

__all__ = ["FolderSummary", "Key", "Note", "Parsed", "Reusable", "Snapshot"]
