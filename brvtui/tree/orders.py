"""The orders in which a tree's files stand, kept so that a changed file can be put into each without sorting anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from brvtui.tree.collation import SortKey, sort_key
from brvtui.tree.files import MS_PER_HOUR, TreeFile, folder_key, walk_key
from brvtui.tree.ordered import Ordered, ordered


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Files in the order of the walk; notes in document order, in two parts; what the fingerprint covers, as lines."""

    walked: Ordered[TreeFile]
    recent: Ordered[str]
    """Notes that changed within the engine's recent hours, newest first."""
    older: Ordered[str]
    """The other notes, by path."""
    covered: Ordered[str]
    listed: Ordered[str]
    """All notes by folder, as the manifest lists them."""
    key: Callable[[str], SortKey]
    only_ascii: bool

    @property
    def note_count(self) -> int:
        """How many notes there are."""
        return len(self.recent) + len(self.older)

    def position(self, note: Placed, edge: float) -> int:
        """Where ``note`` stands in document order; what changed from ``edge`` (ms) on is recent."""
        if note.mtime_ms >= edge:
            return self.recent.place(note.recent_key)
        return len(self.recent) + self.older.place(self.key(note.path))


@dataclass(frozen=True, slots=True)
class Placed:
    """What decides where a file stands: its path, mtime in whole ms, whether it is a note, its fingerprint's line."""

    path: str
    mtime_ms: int
    is_note: bool
    line: str
    """Empty for a file that the fingerprint does not cover."""

    @property
    def recent_key(self) -> tuple[int, tuple[tuple[int, bytes], ...]]:
        """What sorts it among recent notes."""
        return -self.mtime_ms, walk_key(self.path)


def make_orders(
    files: Iterable[TreeFile], placed: Iterable[Placed], now_ms: float, recent_hours: float
) -> Orders | None:
    """The orders of ``files`` and of what was read from them; None where two paths sort alike."""
    walked = list(files)
    listed = list(placed)
    only_ascii = all(entry.path.isascii() for entry in listed)
    key = sort_key(entry.path for entry in listed)
    edge = now_ms - recent_hours * MS_PER_HOUR
    notes = [entry for entry in listed if entry.is_note]
    made = Orders(
        Ordered([walk_key(file.path) for file in walked], walked),
        ordered((entry.recent_key, entry.path) for entry in notes if entry.mtime_ms >= edge),
        ordered((key(entry.path), entry.path) for entry in notes if entry.mtime_ms < edge),
        ordered((key(entry.path), entry.line) for entry in listed if entry.line),
        ordered((folder_key(entry.path), entry.path) for entry in notes),
        key,
        only_ascii,
    )
    return None if any(one == other for one, other in pairwise(made.covered.keys)) else made
