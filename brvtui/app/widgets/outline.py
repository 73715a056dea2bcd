"""The visible rows of a tree: open folders, the filter, and the order of files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from brvtui.app.states import ancestors

if TYPE_CHECKING:
    from brvtui.app.contents import Branch, Overview

# A filter by words: keeps rows that contain every word, in any order and case, and marks the words.


@dataclass(frozen=True)
class WordFilter:
    """The words of a filter, in lower case."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> WordFilter:
        """Returns the filter for the words of ``text``; a blank text keeps everything."""
        return cls(tuple(dict.fromkeys(text.lower().split())))

    def __bool__(self) -> bool:
        return bool(self.words)

    def keeps(self, lowered: str) -> bool:
        """Returns whether every word is part of ``lowered``, a text in lower case."""
        return all(word in lowered for word in self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Returns a pattern for any of the words, the longest first; None without words."""
        if not self.words:
            return None
        return re.compile("|".join(map(re.escape, sorted(self.words, key=len, reverse=True))), re.IGNORECASE)


_OPEN_AT_FIRST = 60
"""A tree of at most this many folders and files starts with all folders open."""
Row: TypeAlias = "tuple[Branch, int]"
"""A folder or file, and its depth."""


class Order(StrEnum):
    """The order of the files in a folder; folders are always ordered by name."""

    NAME = "name"
    IMPORTANCE = "importance"
    AGE = "age"

    @property
    def next(self) -> Order:
        """Returns the order after this one; the first after the last."""
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


_KEYS: dict[Order, Callable[[Branch], float]] = {
    Order.IMPORTANCE: lambda branch: -branch.importance,
    Order.AGE: lambda branch: -branch.mtime_ms,
}


def ordered(children: Sequence[Branch], order: Order) -> Sequence[Branch]:
    """Returns ``children``, whose folders come first, with the files in ``order``."""
    key = _KEYS.get(order)
    if key is None:
        return children
    files = next((place for place, child in enumerate(children) if not child.is_folder), len(children))
    return [*children[:files], *sorted(children[files:], key=key)]


class Kept(NamedTuple):
    """What passes a filter: files, and the folders above them with the number of such files in each, by path."""

    files: frozenset[str]
    folders: Mapping[str, int]
    paths: frozenset[str]
    """Files and folders."""


def kept(files: Sequence[Branch], word_filter: WordFilter, also: Set[str] = frozenset()) -> Kept:
    """Returns what of ``files`` passes ``word_filter``, and those of ``also``."""
    found = files
    for word in word_filter.words:
        found = [branch for branch in found if word in branch.low]
    paths = list(dict.fromkeys([branch.path for branch in found] + [one.path for one in files if one.path in also]))
    folders: dict[str, int] = {}
    for folder, amount in Counter([path.rpartition("/")[0] for path in paths]).items():
        for above in (folder, *ancestors(folder)) if folder else ():
            folders[above] = folders.get(above, 0) + amount
    return Kept(frozenset(paths), folders, frozenset([*paths, *folders]))


def rows(
    roots: Sequence[Branch], order: Order, opened: Container[str] | None, shown: Callable[[Branch], bool]
) -> list[Row]:
    """Returns the rows of ``roots`` from top to bottom: what is ``shown``, in folders that are ``opened``.

    All folders are open where ``opened`` is None.
    """
    made: list[Row] = []
    stack = [(branch, 0) for branch in reversed(ordered(roots, order)) if shown(branch)]
    while stack:
        row = stack.pop()
        made.append(row)
        branch, depth = row
        if branch.children and (opened is None or branch.path in opened):
            below = depth + 1
            stack += [(child, below) for child in reversed(ordered(branch.children, order)) if shown(child)]
    return made


class Outline:
    """The visible rows, built again only when something that they depend on has changed."""

    def __init__(self) -> None:
        """Starts without rows."""
        self.opened: frozenset[str] | None = None
        """The open folders; None before there is a tree."""
        self.order = Order.NAME
        self.aside = False
        """Whether stubs and derived files are shown."""
        self.rows: list[Row] = []
        self.kept: Kept | None = None
        """What passes the filter; None without one."""
        self.found: frozenset[str] = frozenset()
        """Files that pass the filter by their text."""
        self.total = 0
        """The number of files that were filtered."""
        self._made_from: tuple[object, ...] = ()
        self._files: tuple[int, bool, list[Branch]] = (0, False, [])

    def begin(self, overview: Overview) -> None:
        """Opens all folders of a small tree, once."""
        if self.opened is None:
            small = len(overview.branches) <= _OPEN_AT_FIRST
            self.opened = frozenset(path for path, branch in overview.branches.items() if branch.is_folder and small)

    def settle(self, overview: Overview, selected: str, word_filter: WordFilter) -> bool:
        """Builds the rows of ``overview``, always with ``selected``; returns whether they had to be built again."""
        branch = overview.branches.get(selected)
        aside = branch is not None and branch.aside and not word_filter
        also = frozenset((selected, *ancestors(selected))) if aside else frozenset()
        opened = None if word_filter else self.opened
        made_from = (overview.generation, opened, self.order, self.aside, word_filter, also, self.found)
        if made_from == self._made_from:
            return False
        self._made_from = made_from
        files = self._files_of(overview) if word_filter else []
        self.total = len(files)
        self.kept = kept(files, word_filter, self.found) if word_filter else None
        self.rows = rows(overview.roots, self.order, opened, self._shown(also))
        return True

    def is_open(self, path: str) -> bool:
        """Returns whether folder ``path`` is open; all are while there is a filter."""
        return self.kept is not None or path in (self.opened or ())

    def open(self, *paths: str) -> None:
        """Opens folders."""
        self.opened = (self.opened or frozenset()).union(paths)

    def close(self, path: str) -> None:
        """Closes a folder."""
        self.opened = (self.opened or frozenset()) - {path}

    def _files_of(self, overview: Overview) -> list[Branch]:
        if self._files[:2] != (overview.generation, self.aside):
            found = [branch for branch in overview.branches.values() if not branch.is_folder]
            found = found if self.aside else [branch for branch in found if not branch.aside]
            self._files = (overview.generation, self.aside, found)
        return self._files[2]

    def _shown(self, also: frozenset[str]) -> Callable[[Branch], bool]:
        if self.kept is not None:
            paths = self.kept.paths
            return lambda branch: branch.path in paths
        if self.aside:
            return lambda branch: True
        return lambda branch: not branch.aside or branch.path in also
