"""Finds the seeds of the walk for a task, and keeps all intermediate results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from brvtui.engines.knowing.candidates import (
    Channel,
    ChannelList,
    FusedNode,
    Noise,
    SeedNode,
    focused,
    fused,
    noise_filtered,
    seeds,
    types_first,
    with_implementers,
)
from brvtui.engines.knowing.equivalence import (
    LEARNED_SOURCE,
    ClassMatch,
    EquivalenceHit,
    LearnedWords,
    PhraseTable,
    channel_cap,
    graph_aliases,
    resolved,
)
from brvtui.engines.knowing.full_text import SearchedTexts, TextSearch, searched_texts, text_search
from brvtui.engines.knowing.gaps import GapFill, NearSearch, fill_gap
from brvtui.engines.knowing.keywords import KeywordSet, keyword_set, size
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.name_lookup import FolderIndex, NameLookup, PathHit, path_search, path_terms
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.seed_rules import TieredRules

# The name channel: exact, prefix, substring and path matches (``docs/reference/knowing.md``, "Names").


class NameTier(StrEnum):
    """The kinds of name matches, best first."""

    EXACT = "exact"
    PREFIX = "prefix"
    SUBSTRING = "substring"
    PATH = "path"


class NameHit(NamedTuple):
    """A node, and the first pass and keyword that found it by name."""

    id: str
    tier: NameTier
    keyword: str


def tiered_search(keywords: KeywordSet, lookup: NameLookup, rules: TieredRules) -> list[NameHit]:
    """The nodes whose names match a keyword, without duplicates, in the order of the passes.

    Components are searched only if quoted identifiers and compounds find too few nodes. Substrings and paths are
    searched only if exact names and prefixes find too few.
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
        limit, wildcards = self._rules.substring_most, self._rules.wildcards
        for keyword in keywords:
            if size(keyword) >= self._rules.substring_least and len(self.hits) < limit:
                self._add(self._lookup.containing(keyword, wildcards), NameTier.SUBSTRING, keyword, limit)

    def in_paths(self, keywords: Sequence[str]) -> None:
        limit = self._rules.path_most
        for keyword in keywords:
            if size(keyword) >= self._rules.path_least and len(self.hits) < limit:
                self._add(self._lookup.beside_slash(keyword).tolist(), NameTier.PATH, keyword, limit)

    def _add(self, rows: Iterable[int], tier: NameTier, keyword: str, limit: int | None = None) -> None:
        for row in rows:
            if limit is not None and len(self.hits) >= limit:
                return
            if row not in self.hits:
                self.hits[row] = NameHit(self._lookup.node(row).id, tier, keyword)


NOTHING_LEARNED = LearnedWords()


@dataclass(frozen=True, eq=False)
class SeedIndex:
    """The indexes of a graph that the channels search."""

    graph: Graph
    profile: KnowingProfile
    lookup: NameLookup
    texts: SearchedTexts
    folders: FolderIndex
    classes: PhraseTable
    language: str = ""
    """The language whose classes apply in addition to those for all languages; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class SeedSearch:
    """The search for a task's seeds: the results of each channel, and the results of each later step."""

    task: str
    keywords: KeywordSet
    path_terms: tuple[str, ...] = ()
    names: tuple[NameHit, ...] = ()
    texts: TextSearch = TextSearch((), "", ())
    matches: tuple[ClassMatch, ...] = ()
    """The classes with a phrase in the task, including classes whose names match no node."""
    equivalents: tuple[EquivalenceHit, ...] = ()
    paths: tuple[PathHit, ...] = ()
    channels: tuple[ChannelList, ...] = ()
    """The lists that were fused, in the order of :class:`Channel`."""
    fused: tuple[FusedNode, ...] = ()
    implementers: tuple[str, ...] = ()
    """The ids of nodes that were added because they implement a candidate."""
    noise: tuple[Noise, ...] = ()
    types_first: bool = False
    focus: str = ""
    """The package that was moved to the front; empty if there is no such package."""
    candidates: tuple[str, ...] = ()
    """The ids of the candidates that are not noise, in the order of the seeds that they become."""
    seeds: tuple[SeedNode, ...] = ()
    injected: tuple[EquivalenceHit, ...] = ()
    """The hits that are moved to the top of the answer, regardless of their scores."""
    gap: GapFill | None = None
    """The outcome of filling a gap; None if there is no embedder."""

    @property
    def near(self) -> dict[str, float]:
        """The cosines of the nodes that filled a gap, keyed by id, nearest first."""
        return dict(self.gap.added) if self.gap is not None else {}


def seed_index(
    graph: Graph, profile: KnowingProfile, classes: PhraseTable, language: str = "", last: SeedIndex | None = None
) -> SeedIndex:
    """The index of ``graph``.

    Texts that are already in ``last``, the index of an earlier graph, are not indexed again.
    """
    lookup = NameLookup(graph, profile.tiered.wildcards)
    texts = searched_texts(graph, profile.full_text, last.texts if last is not None else None)
    return SeedIndex(graph, profile, lookup, texts, FolderIndex(lookup, profile.paths), classes, language)


def find_seeds(
    task: str,
    index: SeedIndex,
    learned: LearnedWords = NOTHING_LEARNED,
    is_in_scope: Callable[[Node], bool] | None = None,
    near: NearSearch | None = None,
) -> SeedSearch:
    """The seeds for ``task``, and how they were found. ``is_in_scope`` limits the results of the name, full-text and
    path channels.

    If words find too few candidates, ``near`` is called to find more with an embedder. The scope limits these nodes,
    too.
    """
    profile = index.profile
    keywords = keyword_set(task, profile.keywords)
    if not keywords:
        return SeedSearch(task, keywords)
    search = _SeedChannels(index, is_in_scope)
    terms = path_terms(task, profile.paths)
    names = [hit for hit in tiered_search(keywords, index.lookup, profile.tiered) if search.allows(hit.id)]
    texts = search.texts(task, keywords, terms)
    matches = search.matches(task, keywords, names, learned)
    limit = channel_cap(len(names) + len(texts.hits), profile.equivalence)
    strong = [match for match in matches if match.is_injected(profile.equivalence)]
    equivalents = resolved(matches, index.lookup, profile.equivalence)
    paths = [hit for hit in path_search(terms, keywords, index.folders) if search.allows(hit.id)]
    channels = search.channels(names, texts, equivalents[:limit], paths)
    merged = fused(channels, profile.fusion.k, profile.fusion.limit)
    ids = [one.id for one in merged]
    gap = fill_gap(search.nodes(ids), near, search.allows, index.graph, profile.seeds) if near is not None else None
    ids += (id_ for id_, _ in gap.added) if gap is not None else ()
    widened = with_implementers(ids, index.graph, profile.seeds)
    kept, dropped = noise_filtered(search.nodes(widened), profile.noise)
    by_types = len(index.graph.nodes) > profile.seeds.types_above
    if by_types:
        kept = types_first(kept, profile.seeds)
    ordered, focus = focused(kept, profile.seeds) if len(kept) > profile.seeds.focus_above else (kept, "")
    candidates = [node.id for node in ordered]
    return SeedSearch(
        task,
        keywords,
        tuple(terms),
        tuple(names),
        texts,
        tuple(matches),
        tuple(equivalents[:limit]),
        tuple(paths),
        tuple(channels),
        tuple(merged),
        tuple(widened[len(ids) :]),
        tuple(dropped),
        by_types,
        focus,
        tuple(candidates),
        tuple(seeds(candidates, [hit.id for hit in paths], len(index.graph.nodes), profile.seeds)),
        tuple(resolved(strong, index.lookup, profile.equivalence)),
        gap,
    )


class _SeedChannels:
    """The channels of one index, which search only one scope."""

    def __init__(self, index: SeedIndex, is_in_scope: Callable[[Node], bool] | None) -> None:
        self._index, self._is_in_scope = index, is_in_scope

    def allows(self, id_: str) -> bool:
        node = self._index.graph.find(id_)
        return node is not None and (self._is_in_scope is None or self._is_in_scope(node))

    def nodes(self, ids: Sequence[str]) -> list[Node]:
        nodes = (self._index.graph.find(id_) for id_ in ids)
        return [node for node in nodes if node is not None and not node.is_connector]

    def texts(self, task: str, keywords: KeywordSet, terms: Sequence[str]) -> TextSearch:
        result = text_search(keywords, terms, self._index.texts, task)
        return result if self._is_in_scope is None else result.keeping(self.allows)

    def matches(
        self, task: str, keywords: KeywordSet, names: Sequence[NameHit], learned: LearnedWords
    ) -> list[ClassMatch]:
        """The matches of built-in classes, followed by matches of classes from neighbours and of learned classes."""
        index, rules = self._index, self._index.profile
        aliases = PhraseTable(graph_aliases([hit.id for hit in names], index.graph, rules.equivalence))
        taught = learned.classes(keywords.all, rules.learning)
        return [
            *index.classes.matches(task, index.language),
            *aliases.matches(task),
            *(ClassMatch(class_, class_.phrases) for class_ in taught),
        ]

    def channels(
        self,
        names: Sequence[NameHit],
        texts: TextSearch,
        equivalents: Sequence[EquivalenceHit],
        paths: Sequence[PathHit],
    ) -> list[ChannelList]:
        rules = self._index.profile.fusion
        factors = {
            rank: hit.match.matched.weight
            for rank, hit in enumerate(equivalents)
            if rules.learned_scales and hit.match.matched.source == LEARNED_SOURCE
        }
        return [
            ChannelList(Channel.TIERED, [hit.id for hit in names], rules.tiered),
            ChannelList(Channel.FULL_TEXT, [hit.id for hit in texts.hits], rules.full_text),
            ChannelList(Channel.EQUIVALENCE, [hit.id for hit in equivalents], rules.equivalence, factors),
            ChannelList(Channel.PATH, [hit.id for hit in paths] if rules.path_competes else [], rules.path),
        ]
