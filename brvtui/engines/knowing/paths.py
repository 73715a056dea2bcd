"""The channel of paths: words of a task that name folders, and what lies there (``docs/knowing.md``, "Paths")."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from brvtui.engines.knowing.keywords import KeywordSet, has_mixed_case, lower, size, words
from brvtui.engines.knowing.model import Positions, terminal_name
from brvtui.engines.knowing.name_lookup import JoinedLines, NameLookup
from brvtui.engines.knowing.seed_rules import PathChannelRules
from brvtui.engines.knowing.words import camel_words, file_part


class PathHitKind(StrEnum):
    """What a node in a named folder is."""

    BY_MEMBER = "type with a member of that name"
    RICH = "type with members"
    LEAN = "type without members"
    OTHER = "other"


class PathHit(NamedTuple):
    """A node, the term that names a folder or file on its way, and, for a type, the keyword in a member's name."""

    id: str
    term: str
    kind: PathHitKind
    keyword: str = ""


def path_terms(task: str, rules: PathChannelRules) -> list[str]:
    """The words of ``task`` that may name folders, longest first."""
    stop = frozenset(rules.stop_words)
    found: dict[str, None] = {}
    for raw in words(task):
        word = raw.strip(rules.trimmed)
        term = lower(word)
        if size(term) < rules.term_least or term in stop or not term.strip("0123456789"):
            continue
        if any(char in term for char in rules.without):
            continue
        found[term] = None
        parts = word.split("_") if "_" in word else camel_words(word) if has_mixed_case(word) else []
        found.update(dict.fromkeys(part for part in map(lower, parts) if size(part) >= rules.term_least))
    kept = [term for term in found if term not in stop]
    return sorted(kept, key=lambda term: -size(term))[: rules.terms]


def path_match(qualified_name: str, term: str, rules: PathChannelRules) -> bool:
    """Whether ``term`` stands in the path of a name, where its first occurrence begins a word."""
    path = file_part(lower(qualified_name), rules.extensions)
    at = path.find(lower(term))
    return at == 0 or (at > 0 and path[at - 1] in rules.before_term)


class FolderIndex:
    """Which nodes are types, and the names of their members."""

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
        """The rows of the types with members."""
        owners = [row for row, kind in kinds.items() if kind in rules.owner_kinds]
        self._owners: Positions = np.array(owners, np.int64)
        held = [members[int(lookup.places[row])] for row in owners]
        if rules.members_by_all:
            held = [[terminal_name(name) for name in names] for names in held]
        self._starts = np.cumsum([0, *map(len, held)])
        self._members = JoinedLines([name for names in held for name in names])

    def named_members(self, rows: Positions, keywords: Sequence[str]) -> dict[int, str]:
        """The types among ``rows`` with a member whose name contains one of ``keywords``, and the first of these."""
        owners = np.flatnonzero(np.isin(self._owners, rows, assume_unique=True))
        runs = np.split(owners, np.flatnonzero(np.diff(owners) > 1) + 1) if len(owners) else []
        spans = [(int(self._starts[run[0]]), int(self._starts[run[-1] + 1])) for run in runs]
        found: dict[int, str] = {}
        for keyword in keywords:
            for first, after in spans:
                for line in self._members.containing(lower(keyword), first, after):
                    owner = np.searchsorted(self._starts, line, side="right") - 1
                    found.setdefault(int(self._owners[owner]), keyword)
        return dict(sorted(found.items()))

    def near(self, term: str) -> Positions:
        """The rows of what has ``term`` after a slash in its name; failing that, between two dots."""
        rows = self.lookup.after_slash(term)
        return rows if len(rows) else np.fromiter(self.lookup.containing(f".{term}.", self.lookup.like), np.int64)


def path_search(terms: Sequence[str], keywords: KeywordSet, index: FolderIndex) -> list[PathHit]:
    """The nodes in the folders and files that ``terms`` name: first types with a member named by a keyword."""
    near = {term: index.near(term) for term in terms}
    long = [text for text in keywords.all if size(text) >= index.rules.term_least]
    hits = _by_member(near, long if index.rules.members_by_all else keywords.primary, index)
    scanned = set(hits)
    for term, rows in near.items():
        for row, kind in _taken(term, rows, scanned, index):
            hits[row] = PathHit(index.lookup.node(row).id, term, kind)
    return list(hits.values())[: index.rules.limit]


def _by_member(near: dict[str, Positions], keywords: Sequence[str], index: FolderIndex) -> dict[int, PathHit]:
    found: dict[int, PathHit] = {}
    for term, rows in near.items():
        for row, keyword in index.named_members(rows, keywords).items():
            if len(found) < index.rules.by_member:
                found.setdefault(row, PathHit(index.lookup.node(row).id, term, PathHitKind.BY_MEMBER, keyword))
    return found


def _taken(term: str, rows: Positions, scanned: set[int], index: FolderIndex) -> list[tuple[int, PathHitKind]]:
    """What one term gives: types with members before those without, and these before all else."""
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
    for kind, most in zip(kinds, (rules.rich_most, rules.lean_most, rules.other_most), strict=True):
        taken += [(row, kind) for row in kinds[kind][: max(0, most - len(taken))]]
    return taken
