"""The channel of names: exact, by their beginning, inside a name, in a path (``docs/knowing.md``, "Names")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from brvtui.engines.knowing.keywords import KeywordSet, size
from brvtui.engines.knowing.name_lookup import NameLookup
from brvtui.engines.knowing.seed_rules import TieredRules


class NameTier(StrEnum):
    """How a keyword was found in a name, best first."""

    EXACT = "exact"
    PREFIX = "prefix"
    SUBSTRING = "substring"
    PATH = "path"


class NameHit(NamedTuple):
    """A node, and the keyword and the pass that found it first."""

    id: str
    tier: NameTier
    keyword: str


def tiered_search(keywords: KeywordSet, lookup: NameLookup, rules: TieredRules) -> list[NameHit]:
    """The nodes whose names hold a keyword, in the order in which they are found, each once.

    Components are looked for when quoted identifiers and compounds find too little, and names are searched inside, and
    paths, when whole names and beginnings do.
    """
    search = _TieredSearch(lookup, rules)
    search.whole_and_beginnings(keywords.primary)
    if len(search.hits) < rules.components_below:
        search.whole_and_beginnings(keywords.parts)
    if len(search.hits) < rules.substring_below:
        search.inside(keywords.all)
    if len(search.hits) < rules.path_below:
        search.in_paths(keywords.all)
    return list(search.hits.values())


class _TieredSearch:
    def __init__(self, lookup: NameLookup, rules: TieredRules) -> None:
        self._lookup, self._rules = lookup, rules
        self.hits: dict[int, NameHit] = {}

    def whole_and_beginnings(self, keywords: Sequence[str]) -> None:
        for keyword in keywords:
            self._add(self._lookup.named(keyword).tolist(), NameTier.EXACT, keyword)
        if len(self.hits) < self._rules.prefix_below:
            for keyword in keywords:
                rows = self._lookup.starting_with(keyword).tolist()
                self._add(rows, NameTier.PREFIX, keyword, self._rules.prefix_most)

    def inside(self, keywords: Sequence[str]) -> None:
        most, wildcards = self._rules.substring_most, self._rules.wildcards
        for keyword in keywords:
            if size(keyword) >= self._rules.substring_least and len(self.hits) < most:
                self._add(self._lookup.containing(keyword, wildcards), NameTier.SUBSTRING, keyword, most)

    def in_paths(self, keywords: Sequence[str]) -> None:
        most = self._rules.path_most
        for keyword in keywords:
            if size(keyword) >= self._rules.path_least and len(self.hits) < most:
                self._add(self._lookup.beside_slash(keyword).tolist(), NameTier.PATH, keyword, most)

    def _add(self, rows: Iterable[int], tier: NameTier, keyword: str, most: int | None = None) -> None:
        for row in rows:
            if most is not None and len(self.hits) >= most:
                return
            if row not in self.hits:
                self.hits[row] = NameHit(self._lookup.node(row).id, tier, keyword)
