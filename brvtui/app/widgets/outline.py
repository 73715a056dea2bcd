"""The visible rows of a tree, with its open folders, its filter and the order of its files."""

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

# A filter by words: rows must contain every word, in any order and case; the words are highlighted.


@dataclass(frozen=True)
class WordFilter:
    """The words of a filter, in lower case."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> WordFilter:
        """Returns a filter for the words in ``text``; a blank text matches everything."""
        return cls(tuple(dict.fromkeys(text.lower().split())))

    def __bool__(self) -> bool:
        return bool(self.words)

    def keeps(self, lowered: str) -> bool:
        """True if ``lowered``, a text in lower case, contains every word."""
        return all(word in lowered for word in self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """A pattern that matches any of the words, longest first; None if there are no words."""
        if not self.words:
            return None
        return re.compile("|".join(map(re.escape, sorted(self.words, key=len, reverse=True))), re.IGNORECASE)


_OPEN_AT_FIRST = 60
"""The maximum number of folders and files in a tree that is initially fully expanded."""
Row: TypeAlias = "tuple[Branch, int]"
"""A folder or file and its depth."""


class Order(StrEnum):
    """The sort order of files within a folder; folders are always sorted by name."""

    NAME = "name"
    IMPORTANCE = "importance"
    AGE = "age"

    @property
    def next(self) -> Order:
        """The next order; the last order is followed by the first."""
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


_KEYS: dict[Order, Callable[[Branch], float]] = {
    Order.IMPORTANCE: lambda branch: -branch.importance,
    Order.AGE: lambda branch: -branch.mtime_ms,
}


def ordered(children: Sequence[Branch], order: Order) -> Sequence[Branch]:
    """Returns ``children`` with folders first and then the files in ``order``."""
    key = _KEYS.get(order)
    if key is None:
        return children
    files = next((place for place, child in enumerate(children) if not child.is_folder), len(children))
    return [*children[:files], *sorted(children[files:], key=key)]


class Kept(NamedTuple):
    """The files that match a filter, and the folders above them with the number of matches in each, by path."""

    files: frozenset[str]
    folders: Mapping[str, int]
    paths: frozenset[str]
    """The paths of the matching files and of the folders above them."""


def kept(files: Sequence[Branch], word_filter: WordFilter, also: Set[str] = frozenset()) -> Kept:
    """Returns the ``files`` that match ``word_filter``, and those whose paths are in ``also``."""
    matches = files
    for word in word_filter.words:
        matches = [branch for branch in matches if word in branch.low]
    paths = list(dict.fromkeys([branch.path for branch in matches] + [one.path for one in files if one.path in also]))
    folders: dict[str, int] = {}
    for folder, amount in Counter([path.rpartition("/")[0] for path in paths]).items():
        for above in (folder, *ancestors(folder)) if folder else ():
            folders[above] = folders.get(above, 0) + amount
    return Kept(frozenset(paths), folders, frozenset([*paths, *folders]))


def rows(
    roots: Sequence[Branch], order: Order, opened: Container[str] | None, shown: Callable[[Branch], bool]
) -> list[Row]:
    """Returns the visible rows: the branches that are ``shown``, inside ``opened`` folders (None: all folders)."""
    result: list[Row] = []
    stack = [(branch, 0) for branch in reversed(ordered(roots, order)) if shown(branch)]
    while stack:
        row = stack.pop()
        result.append(row)
        branch, depth = row
        if branch.children and (opened is None or branch.path in opened):
            below = depth + 1
            stack += [(child, below) for child in reversed(ordered(branch.children, order)) if shown(child)]
    return result


class Outline:
    """The visible rows; they are built again only when their inputs have changed."""

    def __init__(self) -> None:
        self.opened: frozenset[str] | None = None
        """The paths of open folders; None before a tree is loaded."""
        self.order = Order.NAME
        self.aside = False
        """True if stubs and derived files are shown."""
        self.rows: list[Row] = []
        self.kept: Kept | None = None
        """The matches of the filter; None if there is no filter."""
        self.found: frozenset[str] = frozenset()
        """The files whose text matches the filter."""
        self.total = 0
        """The number of files before filtering."""
        self._inputs: tuple[object, ...] = ()
        self._files: tuple[int, bool, list[Branch]] = (0, False, [])

    def begin(self, overview: Overview) -> None:
        """Opens all folders the first time, if the tree is small."""
        if self.opened is None:
            small = len(overview.branches) <= _OPEN_AT_FIRST
            self.opened = frozenset(path for path, branch in overview.branches.items() if branch.is_folder and small)

    def settle(self, overview: Overview, selected: str, word_filter: WordFilter) -> bool:
        """Updates the rows of ``overview``; shows ``selected`` even if it is a hidden stub. Returns True on changes."""
        branch = overview.branches.get(selected)
        aside = branch is not None and branch.aside and not word_filter
        also = frozenset((selected, *ancestors(selected))) if aside else frozenset()
        opened = None if word_filter else self.opened
        inputs = (overview.generation, opened, self.order, self.aside, word_filter, also, self.found)
        if inputs == self._inputs:
            return False
        self._inputs = inputs
        files = self._files_of(overview) if word_filter else []
        self.total = len(files)
        self.kept = kept(files, word_filter, self.found) if word_filter else None
        self.rows = rows(overview.roots, self.order, opened, self._shown(also))
        return True

    def is_open(self, path: str) -> bool:
        """True if folder ``path`` is open; while a filter is set, all folders are open."""
        return self.kept is not None or path in (self.opened or ())

    def open(self, *paths: str) -> None:
        """Opens folders."""
        self.opened = (self.opened or frozenset()).union(paths)

    def close(self, path: str) -> None:
        """Closes a folder."""
        self.opened = (self.opened or frozenset()) - {path}

    def _files_of(self, overview: Overview) -> list[Branch]:
        if self._files[:2] != (overview.generation, self.aside):
            files = [branch for branch in overview.branches.values() if not branch.is_folder]
            files = files if self.aside else [branch for branch in files if not branch.aside]
            self._files = (overview.generation, self.aside, files)
        return self._files[2]

    def _shown(self, also: frozenset[str]) -> Callable[[Branch], bool]:
        if self.kept is not None:
            paths = self.kept.paths
            return lambda branch: branch.path in paths
        if self.aside:
            return lambda branch: True
        return lambda branch: not branch.aside or branch.path in also
