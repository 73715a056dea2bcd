"""Which rows of a tree are seen: what is open, what is asked for, what a filter keeps, in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from brvtui.app.sieve import Sieve
from brvtui.app.view import Branch

Row = tuple[Branch, int]
"""A folder or file, and how deep it stands."""


class Order(StrEnum):
    """In which order the files of a folder stand; folders always go by name."""

    NAME = "name"
    IMPORTANCE = "importance"
    AGE = "age"

    @property
    def following(self) -> Order:
        """The one after it."""
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


_KEYS: dict[Order, Callable[[Branch], float]] = {
    Order.IMPORTANCE: lambda branch: -branch.importance,
    Order.AGE: lambda branch: -branch.mtime_ms,
}


def ordered(children: Sequence[Branch], order: Order) -> Sequence[Branch]:
    """``children``, whose folders come first, in ``order``."""
    key = _KEYS.get(order)
    if key is None:
        return children
    files = next((place for place, child in enumerate(children) if not child.is_folder), len(children))
    return [*children[:files], *sorted(children[files:], key=key)]


def ancestors(path: str) -> Iterator[str]:
    """The folders above ``path``, the nearest first."""
    above = path.rpartition("/")[0]
    while above:
        yield above
        above = above.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a filter keeps: files, and the folders above them with how many of these each holds, all by path."""

    files: frozenset[str]
    folders: Mapping[str, int]
    paths: frozenset[str]
    """Files and folders."""


def kept(files: Sequence[Branch], sieve: Sieve) -> Kept:
    """What ``sieve`` keeps of ``files``."""
    found = files
    for word in sieve.words:
        found = [branch for branch in found if word in branch.low]
    paths = [branch.path for branch in found]
    folders: dict[str, int] = {}
    for folder, amount in Counter([path.rpartition("/")[0] for path in paths]).items():
        for above in (folder, *ancestors(folder)) if folder else ():
            folders[above] = folders.get(above, 0) + amount
    return Kept(frozenset(paths), folders, frozenset([*paths, *folders]))


def rows(
    roots: Sequence[Branch], order: Order, opened: Container[str] | None, shown: Callable[[Branch], bool]
) -> list[Row]:
    """The rows of ``roots`` from top to bottom: what is ``shown``, and what is shown in ``opened`` folders.

    ``opened`` is None where all folders are.
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
