"""One immutable state of an open project: what every query reads. The writer is :mod:`brvtui.loading`."""

from brvtui.derived import Key
from brvtui.snapshot.records import FolderSummary, Known, Note, Parsed
from brvtui.snapshot.state import Snapshot

__all__ = ["FolderSummary", "Key", "Known", "Note", "Parsed", "Snapshot"]
