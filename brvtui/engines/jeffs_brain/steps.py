"""The steps, stages and verdict in the trace of a hybrid search."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.engines.jeffs_brain.reranking import RerankOutcome
from brvtui.engines.jeffs_brain.sections import RetrievalMode, SkipReason
from brvtui.ladder import INITIAL
from brvtui.trace import Leg, Rung, Stage, State, Step
from brvtui.wording import counted

NO_WORD = "no word to search for"
_NOT_RERANKED = {
    SkipReason.EMPTY_CANDIDATES: "there is nothing to rerank",
    SkipReason.MODE_OFF: "reranking is turned off",
    SkipReason.NO_RERANKER: "there is no reranker",
    SkipReason.PREVIEW: "previews do not call rerankers, but runs do",
}


def steps_of(
    legs: tuple[Leg, Leg], rungs: Sequence[Rung], fused: int, intent: str, weighed: int, outcome: RerankOutcome
) -> tuple[Step, ...]:
    """The steps of the search as they ran. ``weighed`` is the number of notes with an intent factor."""
    return (
        _words(rungs[0]),
        _ladder(rungs),
        _vectors(legs[1]),
        _fusion(legs, fused),
        _intent(intent, weighed),
        _reranking(outcome),
    )


def stages_of(legs: tuple[Leg, Leg], fused: int, answered: int) -> tuple[Stage, ...]:
    """The stages, with the number of notes before fusion, after fusion, and in the answer."""
    counting = [leg for leg in legs if leg.counts]
    came_in = sum(len(leg.hits) for leg in counting)
    note = " + ".join(f"{leg.name} {len(leg.hits)}" for leg in counting)
    return (
        Stage("fusion", came_in, came_in - fused, fused, "fusion", note),
        Stage("top_k", fused, fused - answered, answered, "options"),
    )


def verdict_of(mode: RetrievalMode, legs: tuple[Leg, Leg], rungs: Sequence[Rung], fused: int) -> str:
    """The verdict on the search in one line."""
    words, vectors = legs
    if not fused:
        return f"nothing was found: {_why_nothing(mode, words, vectors, rungs)}"
    hit = next((rung for rung in rungs if rung.state is State.HIT), None)
    how = f"by words at {hit.strategy}" if hit is not None and hit.strategy != INITIAL else "by words"
    notes = counted(fused, "note", "notes")
    if mode is RetrievalMode.HYBRID and vectors.hits:
        return f"{notes}: {len(words.hits)} {how}, {len(vectors.hits)} by vectors"
    return f"{notes} by vectors" if mode is RetrievalMode.SEMANTIC else f"{notes} {how}"


def _why_nothing(mode: RetrievalMode, words: Leg, vectors: Leg, rungs: Sequence[Rung]) -> str:
    if mode is RetrievalMode.SEMANTIC:
        return "no note has a vector" if vectors.state is State.MISSED else vectors.why
    if words.state is State.FAILED:
        return words.why
    why = "no note matches the words" if rungs[0].query else f"the query has {NO_WORD}"
    climbed = any(rung.ran for rung in rungs[1:])
    return f"{why}, and no rung of the retry ladder finds a note" if climbed else why


def _words(first: Rung) -> Step:
    summary = first.why if first.state is State.FAILED else counted(first.hits, "note", "notes")
    if not first.query:
        summary = NO_WORD
    return Step("words", None, "words", first.state, (), summary)


def _ladder(rungs: Sequence[Rung]) -> Step:
    first, *others = rungs
    hit = next((rung for rung in others if rung.state is State.HIT), None)
    failed = next((rung for rung in others if rung.state is State.FAILED), None)
    if hit is not None:
        state, summary = State.HIT, f"{counted(hit.hits, 'note', 'notes')} at {hit.strategy}"
    elif failed is not None:
        state, summary = State.FAILED, failed.why
    elif any(rung.ran for rung in others):
        state, summary = State.MISSED, "no rung of the ladder found a note"
    else:
        state = State.NOT_REACHED if first.state is State.HIT else State.SKIPPED
        summary = others[0].why
    return Step("retry_ladder", None, "retry ladder", state, (), summary)


def _vectors(leg: Leg) -> Step:
    summary = counted(len(leg.hits), "note", "notes") if leg.state in (State.HIT, State.MISSED) else leg.why
    return Step("vectors", None, "vectors", leg.state, (), summary)


def _fusion(legs: tuple[Leg, Leg], fused: int) -> Step:
    counting = [leg for leg in legs if leg.counts and leg.hits]
    if not counting:
        return Step("fusion", None, "fusion", State.SKIPPED, (), "nothing to merge")
    if len(counting) == 1:
        return Step(
            "fusion", None, "fusion", State.PASSED, (), f"{counting[0].name} is the only list, so its order stays"
        )
    came_in = " + ".join(str(len(leg.hits)) for leg in counting)
    return Step("fusion", None, "fusion", State.PASSED, (), f"{came_in} places make {counted(fused, 'note', 'notes')}")


def _intent(intent: str, weighed: int) -> Step:
    if not intent:
        return Step("intent", None, "intent", State.SKIPPED, (), "the query asks for neither advice nor a fact")
    return Step("intent", None, "intent", State.PASSED, (), f"{intent}: {counted(weighed, 'note', 'notes')} weighed")


def _reranking(outcome: RerankOutcome) -> Step:
    if outcome.ran:
        state, summary = State.TAKEN, f"{counted(len(outcome.scores), 'note', 'notes')} judged"
    elif outcome.errors:
        state, summary = State.FAILED, outcome.errors[0].detail
    elif outcome.skipped is SkipReason.UNANIMITY:
        state, summary = (
            State.SKIPPED,
            f"the legs have the same note at {counted(outcome.agreements or 0, 'place', 'places')}",
        )
    else:
        state, summary = State.SKIPPED, _NOT_RERANKED.get(outcome.skipped, "") if outcome.skipped else ""
    return Step("rerank", None, "rerank", state, (), summary)
