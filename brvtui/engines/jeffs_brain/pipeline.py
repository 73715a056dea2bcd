"""The hybrid search, which consists of legs, retry ladder, fusion, intent and reranking.

See ``docs/reference/jeffs-brain.md``, "The pipeline".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

from brvtui.engines.better_match import better_match
from brvtui.engines.jeffs_brain import intent as intents
from brvtui.engines.jeffs_brain.index import ChunkIndex, RankedHit
from brvtui.engines.jeffs_brain.profile import Defaults, HybridProfile
from brvtui.engines.jeffs_brain.reranking import RerankOutcome, head_and_tail, rerank, rerank_text
from brvtui.engines.jeffs_brain.sections import ENGINE, Hybrid, RankedNote, RetrievalMode, StageError
from brvtui.engines.jeffs_brain.steps import stages_of, steps_of, verdict_of
from brvtui.ladder import INITIAL, TRIGRAMS, Climbed, Searches, climb, not_climbed, time_of
from brvtui.ranking.fusion import Candidate, Fused, fuse, positive_k, ranked
from brvtui.services.legs import Embedder, LegError, Reranker
from brvtui.text.query_language import Aliases, ParsedQuery, compile_fts, expand, parse
from brvtui.timing import Stopwatch
from brvtui.trace import (
    SCHEMA,
    Hit,
    Kind,
    Ladder,
    Leg,
    LegHit,
    LegRank,
    Listed,
    Origin,
    Part,
    Scale,
    SnapshotInfo,
    State,
    Trace,
    behind_the_first,
)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The trace of an answer, and its notes with their texts, in the order of ``trace.hits``."""

    results: tuple[Candidate, ...]
    trace: Trace


BM25, VECTOR = "bm25", "vector"
_DECIMALS = 4
_NOWHERE = SnapshotInfo("", 0, 0, "")


@dataclass(frozen=True, slots=True)
class Request:
    """One query. Values that are None are taken from the profile."""

    query: str
    mode: RetrievalMode | None = None
    top_k: int | None = None
    candidate_k: int | None = None
    rerank_top_n: int | None = None
    rerank: bool | None = None
    skip_retry_ladder: bool = False
    preview: bool = False
    """True while the user is typing; the reranker is then not called."""
    scope: str = ""
    """A folder. The pipeline does not support scopes, so a notice reports that the scope is ignored."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The index to search, and the available services."""

    index: ChunkIndex
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    aliases: Aliases = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    idle_rules: tuple[str, ...] = ()
    embedder_waits: str = ""
    """The reason why the embedder is not called this time; empty if it is called."""
    snapshot: SnapshotInfo = _NOWHERE
    """The snapshot behind the index."""


@dataclass(frozen=True, slots=True)
class _Search:
    request: Request
    options: Defaults
    """The options of the request, with defaults from the profile."""
    mode: RetrievalMode
    """The mode that is actually used."""
    fell_back: bool
    profile: HybridProfile
    sources: Sources
    watch: Stopwatch

    @property
    def k(self) -> float:
        """The constant ``k`` of rank fusion."""
        return positive_k(self.profile.fusion.k)


@dataclass(frozen=True, slots=True)
class _ReweightedCandidate:
    """A fused candidate after reweighting."""

    fused: Fused
    fused_rank: int
    factors: tuple[intents.Factor, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _RankedLeg:
    """The ranked hits of a leg, and the leg in the trace."""

    hits: tuple[RankedHit, ...]
    leg: Leg
    errors: tuple[StageError, ...] = ()

    @property
    def candidates(self) -> list[Candidate]:
        return [hit.candidate for hit in self.hits]


def retrieve(request: Request, sources: Sources, profile: HybridProfile, watch: Stopwatch | None = None) -> Retrieved:
    """The answer to ``request`` and its trace. No errors are raised; the trace reports legs and services that failed.

    The result is deterministic apart from services and timings.
    """
    own = {option.name: value for option in fields(Defaults) if (value := getattr(request, option.name)) is not None}
    options = replace(profile.options, **own)
    mode, fell_back = resolve_mode(RetrievalMode(options.mode), sources.embedder is not None)
    run = _Search(request, options, mode, fell_back, profile, sources, watch or Stopwatch())
    with run.watch.measure("total"):
        result = _retrieve(run)
    result.trace.timings.update({name: round(ms, 3) for name, ms in run.watch.ms.items()})
    return result


def resolve_mode(wanted: RetrievalMode, has_embedder: bool) -> tuple[RetrievalMode, bool]:
    """The mode to use, and True if it replaces an explicitly requested mode that is not available."""
    if wanted is RetrievalMode.BM25:
        return wanted, False
    if has_embedder:
        return (RetrievalMode.HYBRID if wanted is RetrievalMode.AUTO else wanted), False
    return RetrievalMode.BM25, wanted is not RetrievalMode.AUTO


def _retrieve(run: _Search) -> Retrieved:
    with run.watch.measure("parse"):
        query = _parsed(run, run.request.query)
        compiled = compile_fts(query)
    with run.watch.measure("bm25"):
        lexical, climbed = _bm25(run, query, compiled)
    with run.watch.measure("vector"):
        semantic = _vector(run)
    with run.watch.measure("fusion"):
        fused = _fused(run, lexical, semantic)
    with run.watch.measure("intent"):
        intent = intents.detect(run.request.query)
        weighed = _reweighed(run, intent, fused)
    with run.watch.measure("rerank"):
        outcome = rerank(
            run.request.query,
            [entry.fused.candidate for entry in weighed],
            run.sources.reranker,
            (lexical.candidates, semantic.candidates),
            run.options,
            run.request.preview,
            run.profile,
        )
    legs = (lexical.leg, semantic.leg)
    ranking = _ranking(run, weighed, outcome, legs)
    count, answered = len(weighed), len(ranking[: max(0, run.options.top_k)])
    factored = sum(1 for entry in weighed if entry.factors)
    embedder, reranker = run.sources.embedder, run.sources.reranker
    hits = tuple(placed.hit for placed in ranking[: max(0, run.options.top_k)])
    behind = ranking[len(hits) :]
    trace = Trace(
        schema=SCHEMA,
        engine=ENGINE,
        version="Jeffs Brain",
        profile=run.profile.name,
        mode="preview" if run.request.preview else "run",
        query=run.request.query,
        scope_option=run.request.scope,
        snapshot=run.sources.snapshot,
        verdict=verdict_of(run.mode, legs, climbed.rungs, count),
        tier=None,
        covered=bool(hits),
        steps=steps_of(legs, climbed.rungs, count, intent.name, factored, outcome),
        stages=stages_of(legs, count, answered),
        hits=hits,
        legs=legs,
        near_misses=tuple(
            behind_the_first(placed.hit, rank, len(hits)) for rank, placed in enumerate(behind, len(hits) + 1)
        ),
        better_match=better_match(hits, enumerate((placed.hit for placed in ranking), 1), BM25),
        total_found=count,
        matched=count,
        sections=(
            Hybrid(
                compiled=compiled,
                requested_mode=RetrievalMode(run.options.mode),
                mode=run.mode,
                fell_back=run.fell_back,
                top_k=run.options.top_k,
                candidate_k=run.options.candidate_k,
                rerank_top_n=run.options.rerank_top_n,
                rrf_k=run.k,
                intent=intent.name,
                fused=count,
                embedder=embedder.name if embedder else "",
                embedder_used=semantic.leg.state in (State.HIT, State.MISSED),
                reranker=reranker.name if reranker else "",
                reranked=outcome.ran,
                rerank_skipped=outcome.skipped,
                agreements=outcome.agreements,
                errors=(*lexical.errors, *semantic.errors, *outcome.errors),
                ranking=ranking,
                idle_rules=run.sources.idle_rules,
            ),
            _ladder(climbed),
        ),
        scale=Scale(_DECIMALS, max((placed.hit.score for placed in ranking), default=1.0) or 1.0),
        notices=_notices(run),
    )
    texts = {entry.fused.candidate.id: entry.fused.candidate for entry in weighed}
    return Retrieved(tuple(texts[placed.id] for placed in ranking[: len(hits)]), trace)


def _ladder(climbed: Climbed[RankedHit]) -> Ladder:
    paths = tuple(hit.candidate.path for hit in climbed.found) if climbed.strategy != INITIAL else ()
    state = State.FAILED if climbed.error else State.HIT if paths else State.MISSED
    return Ladder(state, climbed.error or climbed.strategy, climbed.rungs, paths, in_route=True)


def _notices(run: _Search) -> tuple[str, ...]:
    if not run.request.scope:
        return run.sources.notices
    return (
        *run.sources.notices,
        f"{run.request.scope}: this engine does not support scopes, so the whole tree was searched",
    )


def _parsed(run: _Search, text: str) -> ParsedQuery:
    language = run.profile.query
    return expand(parse(text, language.stopped, language.word_length), run.sources.aliases)


def _bm25(run: _Search, query: ParsedQuery, compiled: str) -> tuple[_RankedLeg, Climbed[RankedHit]]:
    index, limit = run.sources.index, run.options.candidate_k
    counts = run.mode is not RetrievalMode.SEMANTIC

    def search(text: str) -> Sequence[RankedHit]:
        parsed = _parsed(run, text)
        return index.bm25(parsed, limit) if parsed.tokens else ()

    def like(tokens: Sequence[str]) -> Sequence[RankedHit]:
        return index.like_names(tokens, limit)

    try:
        with run.watch.measure(time_of(INITIAL)):
            first = index.bm25(query, limit) if query.tokens else ()
    except LegError as failure:
        leg = Leg(BM25, State.FAILED, "", counts, str(failure))
        return _RankedLeg((), leg, (StageError(BM25, str(failure)),)), not_climbed(
            compiled, (), str(failure), failed=True
        )
    if run.request.skip_retry_ladder:
        climbed = not_climbed(compiled, first, "the request skips the retry ladder")
    else:
        with run.watch.measure("retry ladder"):
            climbed = climb(run.request.query, (compiled, first), Searches(search, like), run.profile.ladder, run.watch)
    hits = _placed(climbed.found)
    unit = "" if not hits else "similarity of names" if climbed.strategy == TRIGRAMS else "BM25"
    why = climbed.strategy or ("nothing to search for" if not compiled else "nothing was found")
    leg = Leg(BM25, State.HIT if hits else State.MISSED, unit, counts, why, _leg_hits(hits))
    errors = (StageError(BM25, climbed.error),) if climbed.error else ()
    return _RankedLeg(hits, leg, errors), replace(climbed, rungs=climbed.with_listed(_in_short, unit))


def _in_short(hit: RankedHit) -> Listed:
    note = hit.candidate
    return Listed(note.path, note.path, note.title, None, "", hit.value)


def _placed(hits: Sequence[RankedHit]) -> tuple[RankedHit, ...]:
    return tuple(replace(hit, candidate=replace(hit.candidate, bm25_rank=rank)) for rank, hit in enumerate(hits))


def _leg_hits(hits: Sequence[RankedHit]) -> tuple[LegHit, ...]:
    return tuple(LegHit(hit.candidate.id, rank, hit.value) for rank, hit in enumerate(hits))


def _vector(run: _Search) -> _RankedLeg:
    embedder = run.sources.embedder
    if embedder is None or run.mode is RetrievalMode.BM25:
        why = "there is no embedder" if embedder is None else "the mode is bm25"
        return _RankedLeg((), Leg(VECTOR, State.NOT_RUN, "", False, why))
    if run.sources.embedder_waits:
        return _RankedLeg((), Leg(VECTOR, State.SKIPPED, "", True, run.sources.embedder_waits))
    try:
        with run.watch.measure("vector.embed"):
            vectors = embedder.embed([run.request.query])
        if not vectors or not len(vectors[0]):
            return _RankedLeg(
                (), Leg(VECTOR, State.SKIPPED, "", True, f"{embedder.name} returned no vector for the query")
            )
        hits = tuple(run.sources.index.nearest(vectors[0], run.options.candidate_k))
    except LegError as failure:
        return _RankedLeg((), Leg(VECTOR, State.FAILED, "", True, str(failure)), (StageError(VECTOR, str(failure)),))
    state = State.HIT if hits else State.MISSED
    return _RankedLeg(hits, Leg(VECTOR, state, "cosine" if hits else "", True, embedder.name, _leg_hits(hits)))


def _fused(run: _Search, lexical: _RankedLeg, semantic: _RankedLeg) -> list[Fused]:
    if run.mode is RetrievalMode.BM25:
        return ranked(lexical.candidates, run.k)
    if run.mode is RetrievalMode.SEMANTIC:
        return ranked(semantic.candidates, run.k, leg=1)
    return fuse((lexical.candidates, semantic.candidates), run.k)


def _reweighed(run: _Search, intent: intents.Intent, fused: Sequence[Fused]) -> list[_ReweightedCandidate]:
    result = []
    for rank, entry in enumerate(fused):
        note = entry.candidate
        factors = intents.factors(intent, note.path, note.title, note.summary, note.content, run.profile.intent)
        result.append(_ReweightedCandidate(entry, rank, factors, intents.multiplied(entry.score, factors)))
    if not intent:
        return result
    return [result[position] for position in intents.reordered([entry.score for entry in result])]


def _ranking(
    run: _Search, weighed: Sequence[_ReweightedCandidate], outcome: RerankOutcome, legs: tuple[Leg, ...]
) -> tuple[RankedNote, ...]:
    places = [{hit.id: hit for hit in reversed(leg.hits)} for leg in legs]
    head, _ = head_and_tail(len(weighed), run.options.rerank_top_n)
    snippet = run.profile.rerank.snippet_chars
    ranking = []
    for position in outcome.order:
        entry = weighed[position]
        note = entry.fused.candidate
        own = tuple(
            LegRank(leg.name, place[note.id].rank, place[note.id].value)
            for leg, place in zip(legs, places, strict=True)
            if note.id in place
        )
        hit = Hit(
            path=note.path,
            file=note.path,
            title=note.title,
            kind=Kind.CONTEXT,
            origin=Origin.FUSED,
            score=entry.score,
            parts=_parts(entry, run.k),
            places=own,
        )
        sent = rerank_text(note.title, note.summary, note.content, snippet) if position in head else ""
        score = outcome.scores.get(position)
        ranking.append(RankedNote(hit, note.id, note.summary, entry.fused_rank, position, score, sent))
    return tuple(ranking)


def _parts(entry: _ReweightedCandidate, k: float) -> tuple[Part, ...]:
    parts = [
        Part(f"{(BM25, VECTOR)[own.leg]} leg", own.value, own.rank + 1, None, f"1 / ({k:g} + {own.rank + 1})")
        for own in entry.fused.shares
    ]
    score = entry.fused.score
    for factor in entry.factors:
        parts.append(Part("intent", score * factor.value - score, score, factor.value, factor.why))
        score *= factor.value
    return tuple(parts)


def with_words(index: ChunkIndex, trace: Trace, aliases: Aliases) -> Trace:
    """``trace`` with the words that its hits match; unchanged if no words or only file names were searched."""
    hybrid = trace.section(Hybrid)
    searched = _searched(index, trace, aliases)
    if hybrid.mode is RetrievalMode.SEMANTIC or searched is None or not trace.hits:
        return trace
    answered = hybrid.ranking[: len(trace.hits)]
    try:
        words = index.answered(searched, [placed.id for placed in answered])
    except LegError:  # the BM25 leg has already reported this error
        return trace

    def own(placed: RankedNote) -> RankedNote:
        return replace(placed, hit=replace(placed.hit, words=words.get(placed.id, ())))

    ranking = (*map(own, answered), *hybrid.ranking[len(answered) :])
    sections = tuple(replace(hybrid, ranking=ranking) if one is hybrid else one for one in trace.sections)
    return replace(trace, hits=tuple(placed.hit for placed in ranking[: len(answered)]), sections=sections)


def _searched(index: ChunkIndex, trace: Trace, aliases: Aliases) -> ParsedQuery | None:
    """The query of the ladder step that found notes; None if no step found any, or if that step compared file names."""
    hit_rung = next((rung for rung in trace.section(Ladder).rungs if rung.state is State.HIT), None)
    if hit_rung is None or hit_rung.strategy == TRIGRAMS:
        return None
    language = index.profile.query
    parsed = parse(hit_rung.query, language.stopped, language.word_length)
    return parsed if hit_rung.strategy == INITIAL else expand(parsed, aliases)
