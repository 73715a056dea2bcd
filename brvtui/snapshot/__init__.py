"""Snapshots: immutable states of an open project, which queries read. :mod:`brvtui.loading` creates them."""

from brvtui.derived import Key
from brvtui.snapshot.records import FolderSummary, Note, Parsed, Reusable
from brvtui.snapshot.state import Snapshot

__all__ = ["FolderSummary", "Key", "Note", "Parsed", "Reusable", "Snapshot"]
