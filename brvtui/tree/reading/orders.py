"""The orders of a tree's files as sorted lists, which can be updated without sorting them again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

from brvtui.tree.reading.files import MS_PER_HOUR, TreeFile, folder_key, walk_key
from brvtui.tree.reading.javascript import SortKey, sort_key

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, eq=False)
class Ordered(Generic[_Item]):
    """An immutable sorted list: ``items``, ordered by their ``keys``, which are unique."""

    keys: Sequence[Any]
    items: Sequence[_Item]

    def __len__(self) -> int:
        return len(self.items)

    def place(self, key: Any) -> int:
        """Returns the index of the item with ``key``, or the index where it would be inserted."""
        return bisect_left(self.keys, key)

    def changed(self, out: Iterable[Any], new: Iterable[tuple[Any, _Item]]) -> Ordered[_Item]:
        """Returns a list without the items whose keys are in ``out``, and with the ``new`` items.

        Raises KeyError for an unknown key, and ValueError if a new key already exists.
        """
        keys, items = list(self.keys), list(self.items)
        for key in out:
            place = bisect_left(keys, key)
            if place >= len(keys) or keys[place] != key:
                raise KeyError(key)
            del keys[place], items[place]
        for key, item in new:
            place = bisect_left(keys, key)
            if place < len(keys) and keys[place] == key:
                raise ValueError(f"{key!r} already exists")
            keys.insert(place, key)
            items.insert(place, item)
        return Ordered(keys, items)


def ordered(pairs: Iterable[tuple[Any, _Item]]) -> Ordered[_Item]:
    """Sorts ``pairs`` of key and item by key."""
    listed = sorted(pairs, key=lambda pair: pair[0])
    return Ordered([key for key, _ in listed], [item for _, item in listed])


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """The files in walk order, the notes in document order, and the lines of the fingerprint."""

    walked: Ordered[TreeFile]
    recent: Ordered[str]
    """The first part of document order: notes changed within the engine's recent hours, newest first."""
    older: Ordered[str]
    """The second part of document order: all other notes, by path."""
    covered: Ordered[str]
    listed: Ordered[str]
    """All notes, keyed by folder, in the order of the manifest."""
    key: Callable[[str], SortKey]
    only_ascii: bool

    @property
    def note_count(self) -> int:
        """The number of notes."""
        return len(self.recent) + len(self.older)

    def position(self, note: OrderedFile, edge: float) -> int:
        """Returns the index of ``note`` in document order. Notes changed at ``edge`` (in ms) or later are recent."""
        if note.mtime_ms >= edge:
            return self.recent.place(note.recent_key)
        return len(self.recent) + self.older.place(self.key(note.path))


@dataclass(frozen=True, slots=True)
class OrderedFile:
    """The facts about a file that determine its position in each order."""

    path: str
    mtime_ms: int
    is_note: bool
    line: str
    """The line in the fingerprint; empty if the fingerprint does not cover the file."""

    @property
    def recent_key(self) -> tuple[int, bytes]:
        """The file's sort key among recent notes."""
        return -self.mtime_ms, walk_key(self.path)


def make_orders(
    files: Iterable[TreeFile], placed: Iterable[OrderedFile], now_ms: float, recent_hours: float
) -> Orders | None:
    """Returns the orders of ``files``, whose sort keys are in ``placed``; None if two paths have equal sort keys."""
    walked = list(files)
    listed = list(placed)
    only_ascii = all(entry.path.isascii() for entry in listed)
    key = sort_key(entry.path for entry in listed)
    edge = now_ms - recent_hours * MS_PER_HOUR
    notes = [entry for entry in listed if entry.is_note]
    orders = Orders(
        Ordered([walk_key(file.path) for file in walked], walked),
        ordered((entry.recent_key, entry.path) for entry in notes if entry.mtime_ms >= edge),
        ordered((key(entry.path), entry.path) for entry in notes if entry.mtime_ms < edge),
        ordered((key(entry.path), entry.line) for entry in listed if entry.line),
        ordered((folder_key(entry.path), entry.path) for entry in notes),
        key,
        only_ascii,
    )
    return None if any(one == other for one, other in pairwise(orders.covered.keys)) else orders
