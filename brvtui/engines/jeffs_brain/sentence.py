"""The sentence that says why Jeffs Brain ranked a note first: a pure function of the trace."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.engines.jeffs_brain.sections import OPERATORS, Hybrid, RankedNote, RetrievalMode
from brvtui.engines.sentence import LEAST_LEAD, lead_of, missing_words, nothing_for, place_of_first
from brvtui.ladder import TRIGRAMS
from brvtui.paint.sentence import ALWAYS, Clause, Sentence, answered_words, clause, title, word
from brvtui.trace import Hit, Ladder, Rung, State, Trace, Whereabouts

_LEAST_SHOWN = 0.001
"""The least lead that its decimals show: BM25 is nearly 0 where nearly every note holds the words."""
_LEGS = {"bm25": "by words", "vector": "by vectors"}


def sentence(trace: Trace) -> Sentence:
    """Why the first note is first: its place in each list, its words, what moved it, and its lead."""
    if not trace.hits:
        return (clause("Not found: "), *_nothing(trace))
    first = trace.hits[0]
    return (
        clause(title(first.title), f" {place_of_first(trace.total_found)}"),
        *_retried(trace),
        clause(f"{';' if _rung(trace) else ':'} {_places(trace, first)}", weight=25 if _rung(trace) else ALWAYS),
        *_words(trace, first),
        *_moved(trace, first),
        *_lead(trace),
        *_mode(trace),
    )


def _nothing(trace: Trace) -> Iterator[Clause]:
    """Which words no note contains, or what else went wrong."""
    hybrid = trace.section(Hybrid)
    limit = next((name for name in ("candidate_k", "top_k") if getattr(hybrid, name) < 1), "")
    if limit:
        yield clause(f"{limit} = {getattr(hybrid, limit)} lets no note into the answer")
        return
    missed = next((leg for leg in trace.legs if leg.counts and leg.name == "bm25" and leg.state is State.MISSED), None)
    if missed is None or not hybrid.compiled:
        yield clause(trace.verdict.removeprefix("nothing was found: "))
        return
    operators = " AND " in hybrid.compiled
    yield clause("no note matches the whole of ", word(hybrid.compiled), "; ") if operators else clause()
    among = [one.word for one in trace.missing if not operators or one.where is not Whereabouts.WHOLE]
    yield from missing_words(trace, "Jeffs Brain", among=among or (hybrid.compiled,))
    climbed = any(rung.ran for rung in trace.section(Ladder).rungs[1:])
    yield clause("; no step of the retry ladder finds a note" if climbed else "")


def _lead(trace: Trace) -> Iterator[Clause]:
    """How far it leads: of one list alone by what ranked it, since its place says no more than that it is first."""
    counting = [leg for leg in trace.legs if leg.counts and leg.hits]
    own = [
        next((place.value for place in hit.places if place.leg == leg.name), None)
        for leg in counting
        for hit in trace.hits[:2]
    ]
    moved = trace.section(Hybrid).reranked or any(part.name == "intent" for hit in trace.hits[:2] for part in hit.parts)
    if len(counting) != 1 or moved or len(own) < 2 or own[0] is None or own[1] is None:
        yield from lead_of(trace)
        return
    lead = own[0] - own[1]
    amount = f"{lead:.3f}" if lead >= _LEAST_SHOWN else f"less than {_LEAST_SHOWN}"
    how = f"{amount} ahead of " if lead > LEAST_LEAD else "level with "
    yield clause(f"; {counting[0].unit} {own[0]:.3f}, {how}", title(trace.hits[1].title), weight=30)


def _places(trace: Trace, first: Hit) -> str:
    """The place in each leg that counts."""
    own = {place.leg: place.rank + 1 for place in first.places}
    legs = [leg for leg in trace.legs if leg.counts and leg.hits]
    named = [f"#{own[leg.name]} {_LEGS.get(leg.name, leg.name)}" for leg in legs if leg.name in own]
    missing = [f"not found {_LEGS.get(leg.name, leg.name)}" for leg in legs if leg.name not in own]
    return " and ".join([*named, *missing])


def _words(trace: Trace, first: Hit) -> Iterator[Clause]:
    held = answered_words(first.words, trace.query)
    yield clause(", " if held else "", held, weight=60)
    compiled = trace.section(Hybrid).compiled
    if _rung(trace) is None and " NOT " not in compiled:
        yield nothing_for((term for term in OPERATORS.split(compiled) if term.isalnum()), first)


def _retried(trace: Trace) -> Iterator[Clause]:
    """What the retry ladder found it by, where the query as it was typed found nothing."""
    rung = _rung(trace)
    if rung is None:
        return
    by = word(rung.query) if rung.query and rung.strategy != TRIGRAMS else "the likeness of its name"
    yield clause(": as typed the query finds nothing; the retry ladder found it by ", by)


def _rung(trace: Trace) -> Rung | None:
    """The step of the retry ladder that found something, where the ladder was needed."""
    ladder = trace.find(Ladder)
    if ladder is None or ladder.state is not State.HIT:
        return None
    return next((rung for rung in ladder.rungs if rung.number and rung.state is State.HIT), None)


def _moved(trace: Trace, first: Hit) -> Iterator[Clause]:
    """What moved it since the lists were fused: rules of intent, or a reranker."""
    hybrid = trace.section(Hybrid)
    factors = [part.factor for part in first.parts if part.name == "intent" and part.factor is not None]
    if factors:
        product = 1.0
        for factor in factors:
            product *= factor
        yield clause(f"; the intent {hybrid.intent} multiplies it by {product:.3g}", weight=55)
    placed = next((one for one in hybrid.ranking if one.hit.file == first.file), None)
    if hybrid.reranked and placed is not None:
        yield clause(_reranked(placed, hybrid), weight=65)


def _reranked(placed: RankedNote, hybrid: Hybrid) -> str:
    before = placed.reweighted_rank + 1
    how = "left it there" if before == 1 else f"brought it up from #{before}"
    return f"; {hybrid.reranker} {how}"


def _mode(trace: Trace) -> Iterator[Clause]:
    hybrid = trace.section(Hybrid)
    if hybrid.fell_back:
        asked = hybrid.requested_mode.value
        yield clause(f"; without an embedder, mode {asked} searches {_BY.get(hybrid.mode, '')}", weight=66)


_BY = {RetrievalMode.BM25: "by words alone", RetrievalMode.SEMANTIC: "by vectors alone"}
