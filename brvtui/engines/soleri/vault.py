"""The vault: entries in tiers with an index each, and their search (``docs/reference/soleri.md``, "Tiers")."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.matching import alternatives, many_bare_words
from brvtui.engines.soleri.profile import SoleriProfile, TierWeights
from brvtui.engines.soleri.vectors import DocumentFrequencies, VectorIndex, count_documents
from brvtui.text.fts import FullText, FullTextError

# Graph proximity: the distance, in links, of an entry from the best ones (``docs/reference/soleri.md``, "Graph
# proximity").


@dataclass(frozen=True, slots=True)
class Proximity:
    """The graph proximity of an entry, and the shortest path to the entry."""

    value: float
    """The proximity: 1/2 for one link, 1/3 for two."""
    path: tuple[str, ...]
    """The ids on the path from the starting entry."""


@dataclass(frozen=True)
class LinkGraph:
    """The links between entries, which are followed in both directions. The types of the links are ignored."""

    neighbours: Mapping[str, tuple[str, ...]]
    named: frozenset[tuple[str, str]] = frozenset()
    """The links as they are written: pairs of the entry with the link and the entry that it names."""

    def namers(self, path: Sequence[str]) -> tuple[str, ...]:
        """For each link on ``path``, the id of the entry that names the other one; if both do, that of the first."""
        return tuple(one if (one, other) in self.named else other for one, other in pairwise(path))

    def proximities(self, seeds: Sequence[str]) -> dict[str, Proximity]:
        """The proximity of each entry that is at most two links away from ``seeds``, keyed by id. The path is the first
        of the shortest ones.
        """
        nearest: dict[str, Proximity] = {}

        def offer(path: tuple[str, ...]) -> None:
            value = 1 / len(path)
            if path[-1] not in nearest or nearest[path[-1]].value < value:
                nearest[path[-1]] = Proximity(value, path)

        for seed in seeds:
            for near in self.neighbours.get(seed, ()):
                offer((seed, near))
                for next_but_one in self.neighbours.get(near, ()):
                    if next_but_one != seed:
                        offer((seed, near, next_but_one))
        return nearest


def link_graph(links: Iterable[Sequence[str]]) -> LinkGraph:
    """The graph of ``links``, each a pair of a source and a target. Links from an entry to itself are ignored."""
    neighbours: defaultdict[str, dict[str, None]] = defaultdict(dict)
    named = set()
    for source, target, *_ in links:
        if source != target:
            named.add((source, target))
            neighbours[source][target] = None
            neighbours[target][source] = None
    return LinkGraph({id_: tuple(near) for id_, near in neighbours.items()}, frozenset(named))


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters for entries. An empty filter matches all entries. The domain is also a signal."""

    domain: str = ""
    type: str = ""
    severity: str = ""
    origin: str = ""

    def admits(self, entry: VaultEntry) -> bool:
        """True if ``entry`` passes all filters."""
        wanted = (self.domain, self.type, self.severity, self.origin)
        values = (entry.domain, entry.type, entry.severity, entry.origin)
        return all(not want or want == have for want, have in zip(wanted, values, strict=True))


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Pooled:
    """An entry that full-text search found."""

    entry: VaultEntry
    tier: str
    rank: int
    """The entry's rank within its tier, from 1."""
    bm25: float
    weighted: float
    """``bm25`` times the weight of the tier."""


@dataclass(frozen=True, slots=True)
class LostCopy:
    """A copy of an entry that was dropped in favour of the copy in another tier."""

    lost: Pooled
    winner: Pooled


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """The results of full-text search, best first, and the copies that were dropped."""

    found: tuple[Pooled, ...]
    lost: tuple[LostCopy, ...] = ()


@dataclass(frozen=True, eq=False)
class Tier:
    """The entries of one database, and the index of these entries."""

    name: str
    weight: float
    entries: tuple[VaultEntry, ...]
    text: FullText

    @cached_property
    def by_id(self) -> Mapping[str, VaultEntry]:
        """The entries, keyed by id."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def dated(self) -> tuple[int, ...]:
        """The positions of entries with a validity window."""
        return tuple(at for at, entry in enumerate(self.entries) if entry.has_window)

    def search(
        self,
        query: str,
        profile: SoleriProfile,
        now: float,
        limit: int,
        filters: Filters = NO_FILTERS,
        include_expired: bool = False,
    ) -> list[Pooled]:
        """The entries that match ``query``, best first by BM25. Entries with equal scores keep their order.

        A query that FTS5 cannot parse matches nothing.
        """
        closed = set() if include_expired else {at for at in self.dated if not self.entries[at].is_listable(now)}
        if filters != NO_FILTERS:
            closed.update(at for at, entry in enumerate(self.entries) if not filters.admits(entry))
        fetch_limit = limit + len(closed)
        try:
            if words := many_bare_words(query, profile.as_run):
                every = self.text.search(words, profile.columns.weights, len(self.entries))
                distinct = " ".join(dict.fromkeys(words))
                inside = self.text.holding(distinct, self.text.layout.columns, [position for position, _ in every])
                matched = [(position, score) for position, score in every if position in inside][: max(0, fetch_limit)]
            else:
                matched = self.text.search(alternatives(query, profile.as_run), profile.columns.weights, fetch_limit)
        except FullTextError:
            return []
        matches = [(position, score) for position, score in matched if position not in closed][: max(0, limit)]
        return [
            Pooled(self.entries[position], self.name, rank, score, score * self.weight)
            for rank, (position, score) in enumerate(matches, 1)
        ]


@dataclass(frozen=True, eq=False)
class Vault:
    """Tiers in order of priority. One of them has links and vectors."""

    tiers: tuple[Tier, ...]
    links: LinkGraph = LinkGraph({})
    vectors: VectorIndex = VectorIndex({})
    federated: bool = False
    """True if the search merges tiers, even if there is only one."""
    home: str = ""
    """The tier that has links and vectors; empty for the first tier."""
    document_counts: tuple[int, Counter[str]] | None = None
    """The number of entries, and the number of entries that contain each term; None if they are counted on demand."""

    def entry(self, id_: str) -> VaultEntry | None:
        """The entry with the id ``id_`` in the home tier; None if there is none."""
        return self._home.by_id.get(id_) if self._home is not None else None

    @property
    def home_entries(self) -> tuple[VaultEntry, ...]:
        """The entries of the home tier."""
        return self._home.entries if self._home is not None else ()

    @property
    def _home(self) -> Tier | None:
        return next((tier for tier in self.tiers if tier.name == self.home or not self.home), None)

    def entries(self) -> Iterator[VaultEntry]:
        """Yields one entry per id, from the first tier that contains the id."""
        seen: set[str] = set()
        for tier in self.tiers:
            for entry in tier.entries:
                if entry.id not in seen:
                    seen.add(entry.id)
                    yield entry

    def vocabulary(self, now: float) -> DocumentFrequencies:
        """For each term, the number of entries with it, counting only entries that can be found at ``now``."""
        closed = [entry for entry in self._windowed if not entry.is_listable(now)]
        if not closed:
            return self._frequencies
        key = tuple(entry.id for entry in closed)
        if key not in self._open_frequencies:
            every = self._frequencies
            fewer = Counter(every.frequencies)
            fewer.subtract(count_documents(entry.compared for entry in closed))
            self._open_frequencies.clear()
            self._open_frequencies[key] = DocumentFrequencies(every.documents - len(closed), fewer)
        return self._open_frequencies[key]

    @cached_property
    def _windowed(self) -> tuple[VaultEntry, ...]:
        return tuple(entry for entry in self.entries() if entry.has_window) if any(t.dated for t in self.tiers) else ()

    @cached_property
    def _open_frequencies(self) -> dict[tuple[str, ...], DocumentFrequencies]:
        """The document frequencies without closed entries, by the ids of these. Only the last few are kept."""
        return {}

    @cached_property
    def _frequencies(self) -> DocumentFrequencies:
        if self.document_counts is not None:
            return DocumentFrequencies(*self.document_counts)
        entries = list(self.entries())
        return DocumentFrequencies(len(entries), count_documents(entry.compared for entry in entries))

    def pool(
        self, query: str, profile: SoleriProfile, now: float, limit: int, filters: Filters = NO_FILTERS
    ) -> CandidatePool:
        """The candidates for ``query``. A single tier keeps its own ranking. Several tiers are merged by weighted
        score, with one entry per id.

        Several tiers are filtered after merging, so that a dropped copy cannot take the place of the copy that was
        kept.
        """
        if not self.tiers:
            return CandidatePool(())
        if not self.federated:
            return CandidatePool(tuple(self.tiers[0].search(query, profile, now, limit, filters)))
        each = profile.limits.source if profile.as_run.source_limit else limit
        inside = filters if len(self.tiers) == 1 else NO_FILTERS
        hits = [hit for tier in self.tiers for hit in tier.search(query, profile, now, each, inside)]
        merged = merge(hits, {tier.name: tier.weight for tier in self.tiers}, limit, profile.as_run.heaviest_copy)
        return CandidatePool(tuple(hit for hit in merged.found if filters.admits(hit.entry)), merged.lost)


def merge(found: Sequence[Pooled], weights: Mapping[str, float], limit: int, heaviest_copy: bool) -> CandidatePool:
    """Merges the hits of several tiers by weighted score, keeping one hit per id. Equal scores keep the order of
    ``found``.

    Of several copies, the one in the tier with the highest weight is kept. With ``heaviest_copy``, the one with the
    highest weighted score is kept, as in the original program.
    """
    kept: dict[str, Pooled] = {}
    for hit in found:
        other = kept.setdefault(hit.entry.id, hit)
        ours, theirs = (hit.weighted, other.weighted) if heaviest_copy else (weights[hit.tier], weights[other.tier])
        if ours > theirs:
            kept[hit.entry.id] = hit
    lost = tuple(LostCopy(hit, kept[hit.entry.id]) for hit in found if kept[hit.entry.id] is not hit)
    standing = [hit for hit in found if kept[hit.entry.id] is hit]
    return CandidatePool(tuple(sorted(standing, key=lambda hit: -hit.weighted)[: max(0, limit)]), lost)


def tier_weight(name: str, weights: TierWeights) -> float:
    """The weight of the tier ``name``. An unknown tier has the weight of a named source."""
    return {"agent": weights.agent, "project": weights.project, "team": weights.team}.get(name, weights.named)
