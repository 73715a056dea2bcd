"""What the Retry pane lists: the attempts of a search, entity searches and steps of a ladder, as rows of one kind."""

from __future__ import annotations

from dataclasses import dataclass, field

from brvtui.app.states import AnyTrace
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.trace import Attempt, EntitySearch, EntityStep, Ladder, Listed, Rung, State, Trace, listed

_SCORE = "score"
_RUNG = "rung:"


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was tried, or the heading of several. ``id`` is its own within one trace."""

    id: str
    name: str
    state: State
    found: str
    """What came out, in words; empty when the state says it all."""
    why: str
    query: str = ""
    scope: str = ""
    results: tuple[Listed, ...] = ()
    total: int = 0
    """How many it found in all."""
    unit: str = _SCORE
    took_ms: float | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one trace, and the one that is opened when nobody has chosen."""

    rows: tuple[Row, ...] = ()
    opened: str = ""
    by_id: dict[str, Row] = field(default_factory=dict)


def rows_of(trace: AnyTrace) -> Rows:
    """The engine's own relaxations, entity searches, and the retry ladder; a hybrid search has the ladder alone.

    The step of a ladder is opened that found something after others had not.
    """
    times = trace.timings
    match trace:
        case Trace():
            rows = [_attempt(place, attempt, times) for place, attempt in enumerate(trace.search.attempts)]
            rows += _entities(trace.entities, times)
            rows += _ladder(trace.ladder, times)
        case HybridTrace():
            rows = [_rung(rung, times) for rung in trace.rungs]
    found = (row.id for row in rows if row.id.startswith(_RUNG) and row.results and row.state is State.HIT)
    opened = next((identity for identity in found if identity != f"{_RUNG}0"), "")
    return Rows(tuple(rows), opened, {row.id: row for row in rows})


def _rung(rung: Rung, times: dict[str, float], depth: int = 0) -> Row:
    return Row(
        id=f"{_RUNG}{rung.number}",
        name=rung.strategy,
        state=rung.state,
        found=f"{rung.hits} found" if rung.ran else "",
        why=rung.why,
        query=rung.query,
        results=rung.listed,
        total=rung.hits,
        unit=rung.unit,
        took_ms=times.get(rung.timed_by),
        depth=depth,
    )


def _attempt(place: int, attempt: Attempt, times: dict[str, float]) -> Row:
    reached = attempt.state not in (State.NOT_REACHED, State.SKIPPED)
    return Row(
        id=f"attempt:{place}",
        name=attempt.name,
        state=attempt.state,
        found=f"{attempt.found} of {attempt.came_in}" if reached else "",
        why=attempt.why,
        query=attempt.query if reached else "",
        scope=attempt.scope,
        results=attempt.listed,
        total=attempt.found,
        took_ms=times.get(attempt.timed_by),
    )


def _entities(step: EntityStep, times: dict[str, float]) -> list[Row]:
    added = sum(len(one.added) for one in step.searches)
    head = Row("entities", "entity searches", step.state, f"{added} added" if step.searches else "", step.why)
    return [head, *(_entity(place, one, times) for place, one in enumerate(step.searches))]


def _entity(place: int, one: EntitySearch, times: dict[str, float]) -> Row:
    total = one.search.total_found
    state = State.HIT if one.added else State.PASSED if one.search.hits else State.MISSED
    new = str(len(one.added)) if one.added else "none"
    why = f"{new} of them new to the results" if one.search.hits else one.search.outcome.value
    return Row(
        id=f"entity:{place}",
        name=f"“{one.entity}”",
        state=state,
        found=f"{total} found, {len(one.added)} added",
        why=why.replace("_", " "),
        results=tuple(map(listed, one.search.hits)),
        total=len(one.search.hits),
        took_ms=times.get(one.timed_by),
        depth=1,
    )


def _ladder(ladder: Ladder, times: dict[str, float]) -> list[Row]:
    name = "retry ladder" if ladder.in_route else "retry ladder · advice"
    found = f"{len(ladder.found)} found" if ladder.state is State.HIT else ""
    head = Row("ladder", name, ladder.state, found, ladder.why)
    return [head, *(_rung(rung, times, depth=1) for rung in ladder.rungs)]
