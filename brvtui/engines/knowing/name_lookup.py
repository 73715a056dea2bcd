"""Look-ups over all names of a graph: equal, with this beginning, with this inside, below such a folder.

A *row* is a node's place in the byte order of qualified names; nodes that only join others have none. Nothing here
loops over all nodes for a query: names are sorted for beginnings, and joined in one text for what is inside of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from brvtui.engines.knowing.keywords import ascii_lower, lower
from brvtui.engines.knowing.model import Graph, Node, Positions, name_order

_LAST = "\U0010ffff"
_NONE: Positions = np.empty(0, np.int64)


class JoinedLines:
    """Texts in one, a line each, so that one pass finds every line with a text in it."""

    def __init__(self, lines: Sequence[str]) -> None:
        held = [line.replace("\n", " ") for line in lines]
        starts, start = [], 0
        for line in held:
            starts.append(start)
            start += len(line) + 1
        self._starts, self._text = starts, "\n".join(held)

    def containing(self, text: str, first: int = 0, after: int | None = None) -> Iterator[int]:
        """The numbers of the lines that contain ``text``, in their order; all of them for an empty text.

        Lines from ``first`` up to, not including, ``after`` are looked at; without these all are.
        """
        end = len(self._text) if after is None or after >= len(self._starts) else self._starts[after] - 1
        at = self._starts[first] if first < len(self._starts) else end + 1
        while at <= end and (at := self._text.find(text, at, end)) >= 0:
            line = bisect_right(self._starts, at) - 1
            yield line
            if line + 1 == len(self._starts):
                return
            at = self._starts[line + 1]

    def matching(self, pattern: re.Pattern[str]) -> Iterator[int]:
        """The numbers of the lines with a match of ``pattern``, which spans no two lines, in their order."""
        at = 0
        while self._starts and (found := pattern.search(self._text, at)) is not None:
            line = bisect_right(self._starts, found.start()) - 1
            yield line
            if line + 1 == len(self._starts):
                return
            at = self._starts[line + 1]


@dataclass(frozen=True, slots=True)
class SortedTexts:
    """Texts in order, each with the row of its node."""

    texts: tuple[str, ...]
    rows: Positions

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, int]]) -> SortedTexts:
        """The pairs of a text and a row, sorted."""
        held = sorted(pairs)
        return cls(tuple(text for text, _ in held), np.array([row for _, row in held], np.int64))

    def equal_to(self, text: str) -> Positions:
        """The rows of ``text``, ascending."""
        return self.rows[bisect_left(self.texts, text) : bisect_right(self.texts, text)]

    def starting_with(self, text: str) -> Positions:
        """The rows of the texts that start with ``text``, ascending, each once."""
        return np.unique(self.rows[bisect_left(self.texts, text) : bisect_left(self.texts, text + _LAST)])


class NameLookup:
    """The names of a graph. Case is ignored everywhere."""

    def __init__(self, graph: Graph, like: bool = False) -> None:
        """``like`` looks inside of names as SQL's LIKE does.

        ``_`` stands for any character and ``%`` for any run of them, and only the case of ASCII letters is ignored.
        """
        self.graph, self.like = graph, like
        self._fold = ascii_lower if like else lower
        nodes = graph.nodes
        order = [place for place, node in enumerate(nodes) if not node.is_connector]
        order.sort(key=lambda place: name_order(nodes[place].qualified_name))
        self.places: Positions = np.array(order, np.int64)
        """The position in the graph of each row."""
        names = [self._fold(nodes[place].qualified_name) for place in order]
        self._names = SortedTexts.of(
            [
                (text, row)
                for row, place in enumerate(order)
                for text in dict.fromkeys(self._fold(name) for name in (nodes[place].name, *nodes[place].aliases))
            ]
        )
        self._qualified = JoinedLines(names)
        cut = [name.rpartition("/") for name in names]
        folders: dict[str, list[int]] = {}
        for row, (folder, slash, _) in enumerate(cut):
            folders.setdefault(folder + slash, []).append(row)
        self._folders = JoinedLines(list(folders))
        self._rows_of_folder = [np.array(rows, np.int64) for rows in folders.values()]
        self._tails = SortedTexts.of([(tail, row) for row, (_, slash, tail) in enumerate(cut) if slash])

    def __len__(self) -> int:
        return len(self.places)

    def node(self, row: int) -> Node:
        """The node of a row."""
        return self.graph.nodes[int(self.places[row])]

    def named(self, name: str) -> Positions:
        """The rows of the nodes whose terminal name, or an alias, is ``name``."""
        return self._names.equal_to(self._fold(name))

    def starting_with(self, text: str) -> Positions:
        """The rows of the nodes whose terminal name, or an alias, starts with ``text``."""
        return self._names.starting_with(self._fold(text))

    def containing(self, text: str, wildcards: bool = False) -> Iterator[int]:
        """The rows of the nodes whose qualified name contains ``text``, in which ``wildcards`` may stand as in LIKE."""
        folded = self._fold(text).replace("\n", " ")
        if wildcards and _has_wildcards(folded):
            return self._qualified.matching(_like(folded))
        return self._qualified.containing(folded)

    def after_slash(self, text: str) -> Positions:
        """The rows of the nodes whose qualified name contains a slash and then ``text``."""
        if "/" in text or (self.like and _has_wildcards(text)):
            return np.fromiter(self.containing(f"/{text}", self.like), np.int64)
        return self._after_slash(self._fold(text))

    def _after_slash(self, folded: str) -> Positions:
        return np.union1d(self._below(f"/{folded}"), self._tails.starting_with(folded))

    def beside_slash(self, text: str) -> Positions:
        """The rows of the nodes whose qualified name contains ``text`` with a slash before it, or after it."""
        folded = self._fold(text)
        if "/" in folded:
            found = (self._qualified.containing(part) for part in (f"/{folded}", f"{folded}/"))
            return np.unique(np.fromiter((row for rows in found for row in rows), np.int64))
        return np.union1d(self._after_slash(folded), self._below(f"{folded}/"))

    def _below(self, text: str) -> Positions:
        found = [self._rows_of_folder[folder] for folder in self._folders.containing(text)]
        return np.concatenate(found) if found else _NONE


def _has_wildcards(text: str) -> bool:
    return "_" in text or "%" in text


def _like(text: str) -> re.Pattern[str]:
    parts = {"_": ".", "%": ".*"}
    return re.compile("".join(parts.get(char) or re.escape(char) for char in text))
