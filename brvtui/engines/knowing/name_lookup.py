"""Looks up names in a graph: whole names, prefixes, substrings, and names in a folder.

A *row* is a node's position when nodes are sorted by the bytes of their qualified names. Nodes that only connect others
have no row. To avoid loops over all nodes, names are sorted for prefix search, and joined into one string for substring
search.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from brvtui.engines.knowing.keywords import KeywordSet, ascii_lower, has_mixed_case, lower, size, words
from brvtui.engines.knowing.model import Graph, Node, Positions, name_order, terminal_name
from brvtui.engines.knowing.seed_rules import PathChannelRules
from brvtui.engines.knowing.words import camel_words, file_part
from brvtui.text.vocabulary import JoinedLines

_LAST = "\U0010ffff"
_NONE: Positions = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class SortedTexts:
    """Sorted strings, each with the row of its node."""

    texts: tuple[str, ...]
    rows: Positions

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, int]]) -> SortedTexts:
        """Sorts ``pairs`` of a string and a row."""
        ordered = sorted(pairs)
        return cls(tuple(text for text, _ in ordered), np.array([row for _, row in ordered], np.int64))

    def equal_to(self, text: str) -> Positions:
        """The rows of the strings that equal ``text``, ascending."""
        return self.rows[bisect_left(self.texts, text) : bisect_right(self.texts, text)]

    def starting_with(self, text: str) -> Positions:
        """The distinct rows of the strings that start with ``text``, ascending."""
        return np.unique(self.rows[bisect_left(self.texts, text) : bisect_left(self.texts, text + _LAST)])


class NameLookup:
    """The names of a graph. All look-ups ignore case."""

    def __init__(self, graph: Graph, like: bool = False) -> None:
        """Indexes the names of ``graph``. With ``like``, substring search works like SQL's LIKE.

        This means that ``_`` matches any character and ``%`` any run of characters, and that case is ignored only for
        ASCII letters.
        """
        self.graph, self.like = graph, like
        self._fold = ascii_lower if like else lower
        nodes = graph.nodes
        order = [place for place, node in enumerate(nodes) if not node.is_connector]
        order.sort(key=lambda place: name_order(nodes[place].qualified_name))
        self.places: Positions = np.array(order, np.int64)
        """The position in the graph of each row's node."""
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
        """The node with the row ``row``."""
        return self.graph.nodes[int(self.places[row])]

    def named(self, name: str) -> Positions:
        """The rows of the nodes whose terminal name or alias is ``name``."""
        return self._names.equal_to(self._fold(name))

    def starting_with(self, text: str) -> Positions:
        """The rows of the nodes whose terminal name or alias starts with ``text``."""
        return self._names.starting_with(self._fold(text))

    def containing(self, text: str, wildcards: bool = False) -> Iterator[int]:
        """Yields the rows of nodes whose qualified name contains ``text``, a LIKE pattern if ``wildcards``."""
        folded = self._fold(text).replace("\n", " ")
        if wildcards and _has_wildcards(folded):
            return self._qualified.matching(_like(folded))
        return self._qualified.containing(folded)

    def after_slash(self, text: str) -> Positions:
        """The rows of the nodes whose qualified name contains a slash followed by ``text``."""
        if "/" in text or (self.like and _has_wildcards(text)):
            return np.fromiter(self.containing(f"/{text}", self.like), np.int64)
        return self._after_slash(self._fold(text))

    def _after_slash(self, folded: str) -> Positions:
        return np.union1d(self._below(f"/{folded}"), self._tails.starting_with(folded))

    def beside_slash(self, text: str) -> Positions:
        """The rows of the nodes whose qualified name contains ``text`` directly before or after a slash."""
        folded = self._fold(text)
        if "/" in folded:
            matches = (self._qualified.containing(part) for part in (f"/{folded}", f"{folded}/"))
            return np.unique(np.fromiter((row for rows in matches for row in rows), np.int64))
        return np.union1d(self._after_slash(folded), self._below(f"{folded}/"))

    def _below(self, text: str) -> Positions:
        rows = [self._rows_of_folder[folder] for folder in self._folders.containing(text)]
        return np.concatenate(rows) if rows else _NONE


def _has_wildcards(text: str) -> bool:
    return "_" in text or "%" in text


def _like(text: str) -> re.Pattern[str]:
    parts = {"_": ".", "%": ".*"}
    return re.compile("".join(parts.get(char) or re.escape(char) for char in text))


# The path channel, which finds nodes in folders that a task names (``docs/reference/knowing.md``, "Paths").


class PathHitKind(StrEnum):
    """The kinds of nodes in a named folder."""

    BY_MEMBER = "type with a member of that name"
    RICH = "type with members"
    LEAN = "type without members"
    OTHER = "other"


class PathHit(NamedTuple):
    """A node, the term that matches its path and, for a type, the keyword that matches a member."""

    id: str
    term: str
    kind: PathHitKind
    keyword: str = ""


def path_terms(task: str, rules: PathChannelRules) -> list[str]:
    """The words of ``task`` that may be folder names, longest first."""
    stop = frozenset(rules.stop_words)
    terms: dict[str, None] = {}
    for raw in words(task):
        word = raw.strip(rules.trimmed)
        term = lower(word)
        if size(term) < rules.term_least or term in stop or not term.strip("0123456789"):
            continue
        if any(char in term for char in rules.without):
            continue
        terms[term] = None
        parts = word.split("_") if "_" in word else camel_words(word) if has_mixed_case(word) else []
        terms.update(dict.fromkeys(part for part in map(lower, parts) if size(part) >= rules.term_least))
    allowed = [term for term in terms if term not in stop]
    return sorted(allowed, key=lambda term: -size(term))[: rules.terms]


def path_match(qualified_name: str, term: str, rules: PathChannelRules) -> bool:
    """True if ``term`` occurs in the path of ``qualified_name``, first at the beginning of a word."""
    path = file_part(lower(qualified_name), rules.extensions)
    at = path.find(lower(term))
    return at == 0 or (at > 0 and path[at - 1] in rules.before_term)


class FolderIndex:
    """The nodes that are types, and the names of their members."""

    def __init__(self, lookup: NameLookup, rules: PathChannelRules) -> None:
        self.lookup, self.rules = lookup, rules
        graph = lookup.graph
        members: dict[int, list[str]] = {}
        positions = graph.positions
        for edge in graph.edges:
            if edge.type == rules.member_type:
                names = members.setdefault(positions[edge.source], [])
                member = graph.find(edge.target)
                names += [lower(member.qualified_name)] if member is not None else []
        kinds = {row: graph.nodes[place].kind for row, place in enumerate(lookup.places.tolist()) if place in members}
        self.rich = frozenset(row for row, kind in kinds.items() if kind in rules.type_kinds)
        """The rows of types with members."""
        owners = [row for row, kind in kinds.items() if kind in rules.owner_kinds]
        self._owners: Positions = np.array(owners, np.int64)
        names_by_owner = [members[int(lookup.places[row])] for row in owners]
        if rules.members_by_all:
            names_by_owner = [[terminal_name(name) for name in names] for names in names_by_owner]
        self._starts = np.cumsum([0, *map(len, names_by_owner)])
        self._members = JoinedLines([name for names in names_by_owner for name in names])

    def named_members(self, rows: Positions, keywords: Sequence[str]) -> dict[int, str]:
        """The ``rows`` of types that have a member whose name contains one of ``keywords``, each mapped to the first
        such keyword.
        """
        owners = np.flatnonzero(np.isin(self._owners, rows, assume_unique=True))
        runs = np.split(owners, np.flatnonzero(np.diff(owners) > 1) + 1) if len(owners) else []
        spans = [(int(self._starts[run[0]]), int(self._starts[run[-1] + 1])) for run in runs]
        first_keywords: dict[int, str] = {}
        for keyword in keywords:
            for first, after in spans:
                for line in self._members.containing(lower(keyword), first, after):
                    owner = np.searchsorted(self._starts, line, side="right") - 1
                    first_keywords.setdefault(int(self._owners[owner]), keyword)
        return dict(sorted(first_keywords.items()))

    def near(self, term: str) -> Positions:
        """The rows of the nodes whose names contain ``term`` after a slash or, if there are none, between two dots."""
        rows = self.lookup.after_slash(term)
        return rows if len(rows) else np.fromiter(self.lookup.containing(f".{term}.", self.lookup.like), np.int64)


def path_search(terms: Sequence[str], keywords: KeywordSet, index: FolderIndex) -> list[PathHit]:
    """The nodes in folders and files that ``terms`` name. Types with a member that matches a keyword come first."""
    near = {term: index.near(term) for term in terms}
    long = [text for text in keywords.all if size(text) >= index.rules.term_least]
    hits = _by_member(near, long if index.rules.members_by_all else keywords.primary, index)
    scanned = set(hits)
    for term, rows in near.items():
        for row, kind in _path_candidates(term, rows, scanned, index):
            hits[row] = PathHit(index.lookup.node(row).id, term, kind)
    return list(hits.values())[: index.rules.limit]


def _by_member(near: dict[str, Positions], keywords: Sequence[str], index: FolderIndex) -> dict[int, PathHit]:
    hits: dict[int, PathHit] = {}
    for term, rows in near.items():
        for row, keyword in index.named_members(rows, keywords).items():
            if len(hits) < index.rules.by_member:
                hits.setdefault(row, PathHit(index.lookup.node(row).id, term, PathHitKind.BY_MEMBER, keyword))
    return hits


def _path_candidates(
    term: str, rows: Positions, scanned: set[int], index: FolderIndex
) -> list[tuple[int, PathHitKind]]:
    """The nodes found by one term: first types with members, then types without members, then all others."""
    rules, lookup = index.rules, index.lookup
    kinds: dict[PathHitKind, list[int]] = {PathHitKind.RICH: [], PathHitKind.LEAN: [], PathHitKind.OTHER: []}
    count = 0
    for row in rows.tolist():
        if len(kinds[PathHitKind.RICH]) >= rules.rich_most or count >= rules.scanned:
            break
        node = lookup.node(row)
        if row in scanned or not path_match(node.qualified_name, term, rules):
            continue
        scanned.add(row)
        count += 1
        if row in index.rich:
            kinds[PathHitKind.RICH].append(row)
        else:
            kinds[PathHitKind.LEAN if node.kind in rules.type_kinds else PathHitKind.OTHER].append(row)
    taken: list[tuple[int, PathHitKind]] = []
    for kind, limit in zip(kinds, (rules.rich_most, rules.lean_most, rules.other_most), strict=True):
        taken += [(row, kind) for row in kinds[kind][: max(0, limit - len(taken))]]
    return taken
