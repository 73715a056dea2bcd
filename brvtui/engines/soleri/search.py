"""A search in the vault: pool, signals, links, guard and budget (``docs/reference/soleri.md``, "The search")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.profile import GuardRules, SoleriProfile, Weights
from brvtui.engines.soleri.signals import EntrySignals, jaccard, severity_of, temporal_decay
from brvtui.engines.soleri.vault import NO_FILTERS, CandidatePool, Filters, Pooled, Proximity, Vault
from brvtui.engines.soleri.vectors import DocumentFrequencies, SparseVector, dot, nearest_of
from brvtui.services.legs import Vector


@dataclass(frozen=True, slots=True)
class Dense:
    """The vector of a query. There is such an object whenever a provider is configured, even if it fails."""

    query: Vector | None
    """The query's vector; None if the provider failed or was not called."""
    error: str = ""
    waits: str = ""
    """The reason why the provider is not called this time; empty if it is called."""


def is_hybrid(dense: Dense | None, profile: SoleriProfile) -> bool:
    """True if vectors have a weight in the score. They do if the query has a vector. If the provider failed, they do
    only in profiles that follow the original program here.
    """
    return dense is not None and (dense.query is not None or profile.as_run.hybrid_without_vectors)


@dataclass(frozen=True, slots=True)
class VaultRequest:
    """One query. Its tags and domain are signals, and its filters exclude entries."""

    text: str
    limit: int
    filters: Filters = NO_FILTERS
    tags: tuple[str, ...] = ()
    max_tokens: int | None = None
    ids: tuple[str, ...] = ()
    """The ids of the entries that the agent loads in full after a scan; empty to load the results."""


@dataclass(frozen=True, slots=True)
class ScoredEntry:
    """An entry with its score and signals, and all the ways that led to it."""

    entry: VaultEntry
    signals: EntrySignals
    score: float
    pooled: Pooled | None
    """The entry's match in the full-text pool; None if only a vector or a link led to the entry."""
    vector_rank: int | None = None
    """The entry's rank among the nearest vectors, from 1."""
    proximity: Proximity | None = None


@dataclass(frozen=True, slots=True)
class CorpusGuard:
    """The small corpus guard's two checks: few candidates, and a limit that would drop most of them."""

    candidates: int
    limit: int
    is_small: bool
    drops_most: bool

    @property
    def acts(self) -> bool:
        """True if the guard acts, which means that all candidates are returned."""
        return self.is_small and self.drops_most


@dataclass(frozen=True)
class VaultRanking:
    """The outcome of a search. ``ranked`` contains all candidates; the first ``returned`` are the results."""

    request: VaultRequest
    weights: Weights
    fetch_limit: int
    pool: CandidatePool
    ranked: tuple[ScoredEntry, ...]
    returned: int
    first_order: tuple[str, ...] = ()
    """The ids in their order before links were added to the scores."""
    seeds: tuple[str, ...] = ()
    """The ids of the entries whose links were followed."""
    guard: CorpusGuard | None = None
    query_vector: SparseVector = field(default_factory=dict)
    query_length: float = 0.0
    vocabulary: DocumentFrequencies = field(default_factory=lambda: DocumentFrequencies(0, {}))
    dense: Dense | None = None
    cut_by_budget: int = 0
    """The number of results that the token budget dropped."""

    @property
    def results(self) -> tuple[ScoredEntry, ...]:
        """The returned entries, best first."""
        return self.ranked[: self.returned]


def search(
    vault: Vault,
    request: VaultRequest,
    profile: SoleriProfile,
    weights: Weights,
    now: float,
    dense: Dense | None = None,
) -> VaultRanking:
    """The ranking of ``vault`` for ``request`` at ``now`` (seconds since 1970)."""
    fetch_limit = profile.pool.size(request.limit)
    pool = vault.pool(request.text, profile, now, fetch_limit, request.filters)
    scorer = _Scorer(vault, request, profile, weights, now, dense)
    nearest = nearest_of(scorer.cosines, fetch_limit)
    vector_ranks = {id_: rank for rank, (id_, _) in enumerate(nearest, 1)}
    pooled = {hit.entry.id: hit for hit in pool.found}
    brought = [entry for id_ in vector_ranks if id_ not in pooled and (entry := vault.entry(id_)) is not None]
    first = _ranked(
        [scorer.candidate(hit.entry, hit, vector_ranks.get(hit.entry.id)) for hit in pool.found]
        + [scorer.candidate(entry, None, vector_ranks[entry.id]) for entry in brought]
    )
    seeds = tuple(one.entry.id for one in first[: profile.graph.seeds] if one.signals.semantic > 0)
    near = vault.links.proximities(seeds)
    known = {one.entry.id for one in first}
    pulled = [entry for id_ in near if id_ not in known and (entry := vault.entry(id_)) is not None]
    ranked = _ranked(
        [scorer.linked(one, near.get(one.entry.id)) for one in first]
        + [scorer.linked(scorer.candidate(entry, None, None), near[entry.id]) for entry in pulled]
    )
    guard = guarded(len(first), request.limit, len(ranked), profile.guard)
    count = len(first) if guard.acts else max(0, min(request.limit, len(ranked)))
    kept = within_budget(ranked[:count], request.max_tokens, profile)
    return VaultRanking(
        request,
        weights,
        fetch_limit,
        pool,
        ranked,
        kept,
        tuple(one.entry.id for one in first),
        seeds,
        guard,
        scorer.query_vector,
        scorer.query_length,
        scorer.vocabulary,
        dense,
        count - kept,
    )


def guarded(candidates: int, limit: int, found: int, rules: GuardRules) -> CorpusGuard:
    """The checks of the small corpus guard, which acts if there are few candidates and the limit would drop most of
    them.
    """
    drops_most = limit < candidates and found > limit and limit < candidates * rules.share
    return CorpusGuard(candidates, limit, candidates < rules.candidates, drops_most)


def within_budget(results: Sequence[ScoredEntry], max_tokens: int | None, profile: SoleriProfile) -> int:
    """The number of ``results`` that fit into ``max_tokens``, but at least 1. The number is smaller if the first result
    has a confident score.
    """
    if max_tokens is None or not results:
        return len(results)
    limit = profile.budget.confident_results if results[0].score >= profile.budget.confident else len(results)
    used = 0
    for place, result in enumerate(results[:limit]):
        used += result.entry.budgeted_tokens
        if place and used > max_tokens:
            return place
    return min(limit, len(results))


@dataclass
class _Scorer:
    vault: Vault
    request: VaultRequest
    profile: SoleriProfile
    weights: Weights
    now: float
    dense: Dense | None
    query_vector: SparseVector = field(init=False)
    query_length: float = field(init=False)
    vocabulary: DocumentFrequencies = field(init=False)
    cosines: Mapping[str, float] = field(init=False)

    def __post_init__(self) -> None:
        self.vocabulary = self.vault.vocabulary(self.now)
        self.query_vector, self.query_length = self.vocabulary.measured(self.request.text)
        query = self.dense.query if self.dense is not None else None
        self.cosines = self.vault.vectors.cosines(query) if query is not None else {}

    def candidate(self, entry: VaultEntry, pooled: Pooled | None, vector_rank: int | None) -> ScoredEntry:
        """The candidate for ``entry``, with its score without links."""
        dated = replace(entry, created_at=None, updated_at=None) if self.profile.as_run.dates_dropped else entry
        signals = EntrySignals(
            semantic=self._semantic(entry),
            vector=self.cosines.get(entry.id, 0.0),
            severity=severity_of(entry.severity, self.profile.severity),
            temporal_decay=temporal_decay(dated, self.now, self.profile.decay),
            tag_overlap=jaccard(self.request.tags, entry.tags) if self.request.tags else 0.0,
            domain_match=float(bool(self.request.filters.domain) and self.request.filters.domain == entry.domain),
            graph_proximity=0.0,
        )
        return ScoredEntry(entry, signals, signals.total(self.weights), pooled, vector_rank)

    def _semantic(self, entry: VaultEntry) -> float:
        if not self.query_vector:
            return 0.0
        vector, length = self.vocabulary.measured(entry.compared)
        return dot(self.query_vector, vector, self.query_length * length)

    def linked(self, found: ScoredEntry, proximity: Proximity | None) -> ScoredEntry:
        """The candidate ``found`` with ``proximity`` as its graph proximity, and the resulting score; unchanged if
        ``proximity`` is None.
        """
        if proximity is None:
            return found
        signals = replace(found.signals, graph_proximity=proximity.value)
        return replace(found, signals=signals, score=signals.total(self.weights), proximity=proximity)


def _ranked(candidates: Iterable[ScoredEntry]) -> tuple[ScoredEntry, ...]:
    return tuple(sorted(candidates, key=lambda found: -found.score))
