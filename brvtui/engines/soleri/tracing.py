"""Converts a ranking to a trace, with steps and their checks, stage counts, and parts that add up to the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from brvtui.engines.better_match import better_match
from brvtui.engines.contract import Context, Query
from brvtui.engines.soleri.ageing import best_score, forecast
from brvtui.engines.soleri.comparing import LEAST_LEAD, composition, differences, short
from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.index import NoteVault
from brvtui.engines.soleri.matching import expression
from brvtui.engines.soleri.memories import FeedbackCounts, RecalledMemories, accept_rate, expected_weights
from brvtui.engines.soleri.profile import SoleriProfile, Weights
from brvtui.engines.soleri.results import Shape, deviations, given_to_agent, loaded
from brvtui.engines.soleri.search import CorpusGuard, ScoredEntry, VaultRanking, is_hybrid
from brvtui.engines.soleri.sections import (
    ENGINE,
    POOL,
    SIGNALS,
    VECTOR,
    GuardDecision,
    LearnedWeights,
    MemorySearch,
    RankedEntry,
    SearchedTier,
    SharedTerm,
    VaultSearch,
)
from brvtui.engines.soleri.signals import NAMES, changed_at
from brvtui.engines.soleri.vault import Vault
from brvtui.engines.soleri.vectors import tokenize
from brvtui.text.analysis import origin
from brvtui.text.visible import visible
from brvtui.trace import (
    SCHEMA,
    Ceiling,
    Check,
    Hit,
    Leg,
    LegHit,
    LegRank,
    MatchedWord,
    MatchKind,
    Origin,
    Part,
    Scale,
    Stage,
    State,
    Step,
    Trace,
    behind_the_first,
)
from brvtui.wording import counted

VERSION = "Soleri 9.22"

_DECIMALS = 3
_DAY_SECONDS = 86_400.0
_NO_EMBEDDER = "there is no embedder"


def traced(
    context: Context[SoleriProfile],
    query: Query,
    shape: Shape,
    notes: NoteVault,
    ranking: VaultRanking,
    feedback: FeedbackCounts,
    recalled: RecalledMemories | None,
    embedder: str,
    notices: Sequence[str],
) -> Trace:
    """The trace of ``ranking``, which is the result of ``query`` on ``notes``. Records for an agent have the form
    ``shape``.

    ``recalled`` contains the matching memories, if there are any memories.
    """
    profile, now = context.constants, context.now_ms / 1000
    results, entries = given_to_agent(ranking, recalled, shape, profile)
    records = tuple(result.record for result in results)
    if ranking.request.ids:
        records = loaded(notes.vault, ranking.request.ids)
    memories = _memories(recalled, len(results) - entries, ranking.returned - entries, profile)
    ranking = replace(ranking, returned=entries)
    lost: dict[str, list[str]] = {}
    for copy in ranking.pool.lost:
        why = f"{copy.lost.tier} × {_weight(notes.vault, copy.lost.tier):g} = {copy.lost.weighted:.3f}"
        lost.setdefault(copy.lost.entry.id, []).append(why)
    other = _other_weights(ranking, feedback, profile)
    first = {id_: rank for rank, id_ in enumerate(ranking.first_order, 1)}
    pool_ranks = {hit.entry.id: rank for rank, hit in enumerate(ranking.pool.found, 1)}
    placed = tuple(
        _placed(candidate, notes, ranking, profile, now, first, pool_ranks, lost, other) for candidate in ranking.ranked
    )
    hits = tuple(one.hit for one in placed[: ranking.returned])
    section = VaultSearch(
        expression(query.text, profile.as_run),
        ranking.request.limit,
        ranking.fetch_limit,
        {name: value for name, value in asdict(ranking.request.filters).items() if value},
        ranking.request.tags,
        tuple(SearchedTier(tier.name, tier.weight, len(tier.entries)) for tier in notes.vault.tiers),
        ranking.seeds,
        _guard(ranking.guard, profile),
        _weights(ranking, other, feedback, profile),
        placed,
        ranking.returned,
        embedder,
        ranking.dense.error if ranking.dense is not None else "",
        deviations(ranking, notes.vault, recalled, profile, now),
        shape,
        records,
        ranking.request.max_tokens,
        ranking.cut_by_budget,
        memories,
    )
    return Trace(
        schema=SCHEMA,
        engine=ENGINE,
        version=VERSION,
        profile=profile.name,
        mode="run" if query.run else "preview",
        query=query.text,
        scope_option=query.scope,
        snapshot=context.snapshot_info,
        verdict=_verdict(placed, memories, query.text),
        tier=None,
        covered=bool(hits),
        steps=_steps(ranking, section),
        stages=_stages(ranking, placed, memories),
        hits=hits,
        legs=_legs(ranking, section),
        near_misses=tuple(
            behind_the_first(one.hit, rank, len(hits))
            for rank, one in enumerate(placed[ranking.returned :], len(hits) + 1)
        ),
        better_match=better_match(hits, enumerate((one.hit for one in placed), 1), POOL),
        total_found=len(placed),
        matched=len(ranking.pool.found),
        sections=(section,),
        scale=Scale(_DECIMALS, 1.0, best_score(ranking.weights)),
        notices=tuple(notices),
        options=dict(query.options),
    )


def _memories(
    recalled: RecalledMemories | None, given_count: int, pushed_off: int, profile: SoleriProfile
) -> MemorySearch | None:
    if recalled is None:
        return None
    contexts = tuple(match.record["context"] for match in recalled.found)
    return MemorySearch(
        recalled.held, recalled.expression, profile.results.memory_score, contexts, given_count, pushed_off
    )


def _placed(
    found: ScoredEntry,
    notes: NoteVault,
    ranking: VaultRanking,
    profile: SoleriProfile,
    now: float,
    first: dict[str, int],
    pool_ranks: dict[str, int],
    lost: dict[str, list[str]],
    other: Weights,
) -> RankedEntry:
    entry, pooled = found.entry, found.pooled
    note = notes.note(entry.tier, entry.id)
    places = []
    if pooled is not None:
        places.append(LegRank(POOL, pool_ranks[entry.id] - 1, pooled.weighted))
    if found.vector_rank is not None:
        places.append(LegRank(VECTOR, found.vector_rank - 1, found.signals.vector))
    ahead = forecast(entry, notes.vault, ranking.weights, now, profile)
    shared = _shared(found, ranking)
    hit = Hit(
        path=note.result_path,
        file=note.path,
        title=entry.title,
        kind=note.kind,
        origin=Origin.TEXT if pooled is not None else Origin.FUSED,
        score=found.score,
        parts=_parts(found, ranking, _age(entry, profile, now)),
        ceiling=Ceiling(ahead.ceiling, ()),
        places=tuple(places),
        shared_source=note.alias,
        words=_words(entry, shared),
    )
    return RankedEntry(
        hit,
        entry.id,
        entry.tier,
        pool_ranks.get(entry.id),
        pooled.bm25 if pooled is not None else None,
        pooled.weighted if pooled is not None else None,
        found.vector_rank,
        first.get(entry.id),
        found.proximity.path if found.proximity is not None else (),
        ahead,
        shared,
        found.signals.total(other),
        tuple(lost.get(entry.id, ())),
        notes.vault.links.namers(found.proximity.path) if found.proximity is not None else (),
    )


def _parts(found: ScoredEntry, ranking: VaultRanking, age: str) -> tuple[Part, ...]:
    notes = {
        "severity": found.entry.severity,
        "temporal_decay": age,
        "graph_proximity": f"{counted(len(found.proximity.path) - 1, 'step', 'steps')} away"
        if found.proximity is not None
        else "",
    }
    weights, values = ranking.weights.in_order, found.signals.in_order
    parts = [
        Part(shown, weight * value, value, weight, notes.get(name, ""))
        for shown, name, weight, value in zip(SIGNALS, NAMES, weights, values, strict=True)
    ]
    return tuple(parts)


def _shared(found: ScoredEntry, ranking: VaultRanking) -> tuple[SharedTerm, ...]:
    """The terms that the entry shares with the query. Their contributions add up to the words signal."""
    entry, length = ranking.vocabulary.measured(found.entry.compared)
    length *= ranking.query_length
    terms = [
        SharedTerm(term, weight, entry[term], weight * entry[term] / length)
        for term, weight in ranking.query_vector.items()
        if term in entry
    ]
    return tuple(sorted(terms, key=lambda shared: -shared.adds))


def _words(entry: VaultEntry, shared: Sequence[SharedTerm]) -> tuple[MatchedWord, ...]:
    """The terms that ``entry`` shares with the query. All matches are exact, because only whole words are compared."""
    in_title = set(tokenize(entry.title))
    return tuple(
        MatchedWord(one.term, one.term, MatchKind.EXACT, 0, ("title",) if one.term in in_title else ("text",))
        for one in shared
    )


def _age(entry: VaultEntry, profile: SoleriProfile, now: float) -> str:
    """A phrase for the basis of an entry's age factor, which is its age or its validity window."""
    if entry.valid_until:
        return "by its validity window"
    changed = changed_at(entry)
    if profile.as_run.dates_dropped or changed is None:
        return "its age does not count"
    return f"{max(0.0, now - changed) / _DAY_SECONDS:.0f} d old"


def _guard(guard: CorpusGuard | None, profile: SoleriProfile) -> GuardDecision:
    candidates = guard.candidates if guard is not None else 0
    limit = guard.limit if guard is not None else 0
    acts = guard is not None and guard.acts
    return GuardDecision(candidates, profile.guard.candidates, limit, candidates * profile.guard.share, acts)


def _other_weights(ranking: VaultRanking, feedback: FeedbackCounts, profile: SoleriProfile) -> Weights:
    """The fixed weights if feedback has changed them; otherwise, the weights after enough such feedback."""
    hybrid = is_hybrid(ranking.dense, profile)
    fixed = profile.hybrid_weights if hybrid else profile.weights
    return fixed if ranking.weights != fixed else expected_weights(feedback, hybrid, profile)


def _weights(ranking: VaultRanking, other: Weights, feedback: FeedbackCounts, profile: SoleriProfile) -> LearnedWeights:
    rate, needed = accept_rate(feedback, profile), profile.learning.rows
    moved = feedback.rows >= needed
    return LearnedWeights(asdict(ranking.weights), asdict(other), moved, feedback.rows, needed, rate)


def _weight(vault: Vault, name: str) -> float:
    return next(tier.weight for tier in vault.tiers if tier.name == name)


def _legs(ranking: VaultRanking, section: VaultSearch) -> tuple[Leg, ...]:
    def placed(name: str) -> tuple[LegHit, ...]:
        places = (
            LegHit(one.hit.file, place.rank, place.value)
            for one in section.ranking
            for place in one.hit.places
            if place.leg == name
        )
        return tuple(sorted(places, key=lambda hit: hit.rank))

    pool, near, dense = placed(POOL), placed(VECTOR), ranking.dense
    words = Leg(POOL, State.HIT if pool else State.MISSED, "BM25", True, section.expression, pool)
    if dense is None or dense.waits:
        return words, Leg(VECTOR, State.NOT_RUN, "", False, dense.waits if dense is not None else _NO_EMBEDDER)
    if dense.error:
        return words, Leg(VECTOR, State.FAILED, "", True, dense.error)
    return words, Leg(VECTOR, State.HIT if near else State.MISSED, "cosine", True, section.embedder, near)


def _stages(ranking: VaultRanking, placed: Sequence[RankedEntry], memories: MemorySearch | None) -> tuple[Stage, ...]:
    pool = len(ranking.pool.found)
    by_vector = len(ranking.first_order) - pool
    pulled = len(placed) - pool - by_vector
    note = f"pool {pool} + vectors {by_vector} + links {pulled}"
    pushed_off = memories.pushed_off if memories is not None else 0
    budgeted = ranking.returned + pushed_off
    kept = budgeted + ranking.cut_by_budget
    stages = [Stage("limit", len(placed), len(placed) - kept, kept, "the-small-corpus-guard", note)]
    if ranking.request.max_tokens is not None:
        stages.append(Stage("token budget", kept, ranking.cut_by_budget, budgeted, "the-token-budget"))
    if memories is not None:
        note = f"{counted(memories.given, 'memory', 'memories')} with {memories.score:.3f}"
        stages.append(Stage("memories", budgeted, pushed_off, ranking.returned, "memories", note))
    return tuple(stages)


def _steps(ranking: VaultRanking, section: VaultSearch) -> tuple[Step, ...]:
    pool, guard = len(ranking.pool.found), section.guard
    pulled = sum(1 for one in section.ranking if one.first_rank is None)
    checks: tuple[Check, ...] = ()
    returned = "there is nothing to return"
    if guard.candidates:
        small = _check("candidates", guard.candidates, "<", guard.most, "guard.candidates")
        drops = _check("limit", guard.limit, "<", guard.half, "guard.share")
        checks = tuple(sorted((small, drops), key=lambda check: not check.passed))  # the check that decides comes last
        returned = "all candidates are returned" if guard.acts else f"the first {guard.limit} are returned"
    if ranking.dense is None or ranking.dense.waits:
        why = ranking.dense.waits if ranking.dense is not None else _NO_EMBEDDER
        vectors = Step("vectors", None, "vectors", State.NOT_RUN, (), why)
    elif ranking.dense.error:
        vectors = Step("vectors", None, "vectors", State.FAILED, (), ranking.dense.error)
    else:
        brought = len(ranking.first_order) - pool
        vectors = Step("vectors", None, "vectors", State.PASSED, (), f"{counted(brought, 'entry', 'entries')} more")
    linked = "none of the best entries shares a word with the query"
    if ranking.seeds:
        linked = f"{counted(pulled, 'entry', 'entries')} added from the best {len(ranking.seeds)} without links"
    return (
        Step(POOL, None, "pool", State.HIT if pool else State.MISSED, (), f"{pool} of at most {ranking.fetch_limit}"),
        vectors,
        Step(
            "signals", None, "signals", State.PASSED if section.ranking else State.SKIPPED, (), "seven weighted signals"
        ),
        Step("links", None, "links", State.PASSED if ranking.seeds else State.SKIPPED, (), linked),
        Step("guard", None, "guard", State.HIT if guard.acts else State.SKIPPED, checks, returned),
        *_memory_step(section.memories),
        *_load_step(ranking.request.ids, section.given),
    )


def _load_step(ids: Sequence[str], records: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    if not ids:
        return ()
    found_ids = {record["entry"]["id"] for record in records}
    missing = [visible(id_) for id_ in ids if id_ not in found_ids]
    summary = f"{len(found_ids)} of {counted(len(ids), 'entry', 'entries')} loaded by id"
    if missing:
        summary += f"; no entry has the id {', '.join(missing)}"
    return (Step("load", None, "load", State.MISSED if missing else State.HIT, (), summary),)


def _memory_step(memories: MemorySearch | None) -> tuple[Step, ...]:
    if memories is None:
        return ()
    state = State.HIT if memories.found else State.MISSED
    why = f"{len(memories.found)} of {memories.held} found, {memories.given} given"
    return (Step("memories", None, "memories", state, (), why),)


def _check(name: str, value: float, operator: str, threshold: float, constant: str) -> Check:
    margin = value - threshold
    return Check(name, value, operator, threshold, value < threshold, margin, constant, "the-small-corpus-guard")


def _verdict(placed: Sequence[RankedEntry], memories: MemorySearch | None, query: str) -> str:
    if not placed:
        remembered = memories is not None and memories.given
        also = f"; {counted(memories.given, 'memory does', 'memories do')}" if memories and remembered else ""
        return f"nothing was found: no searchable entry matches a term of the query{also}"
    first = f"{placed[0].hit.title} is first"
    if len(placed) == 1:
        return f"{first}: {in_words(placed[0], query)}"
    lead, second = placed[0].hit.score - placed[1].hit.score, placed[1].hit.title
    parts = ", ".join(f"{one.name} {one.text(signed=True)}" for one in differences(placed[0], placed[1]))
    ahead = f"{short(lead)} ahead of {second}" if lead >= LEAST_LEAD else f"level with {second}"
    return f"{first}, {ahead}{': ' if parts else ''}{parts}"


def in_words(placed: RankedEntry, query: str) -> str:
    """The parts of an entry's score as text, such as ``words .153 (refresh tokens; caf, from ‘café’) + age .098 +
    others .115``.
    """
    named = (f"{one.name} {one.text(signed=False)}{_terms(one.terms, query)}" for one in composition(placed))
    return f"{'' if placed.shared else 'none of your words; '}{' + '.join(named)}"


def _terms(terms: Sequence[str], query: str) -> str:
    sources = {term: origin(term, query) for term in terms}
    derived = [f"{term}, from {source}" for term, source in sources.items() if source]
    named = filter(None, [" ".join(term for term in terms if not sources[term]), *derived])
    return f" ({'; '.join(named)})" if terms else ""
