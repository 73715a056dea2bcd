"""Everything that was tried for one answer, as rows of one kind: attempts, extra searches, steps of a ladder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brvtui.trace import Ladder, Listed, Rung, State

_SCORE = "score"
RUNG = "rung:"
"""How the id of a ladder's step begins."""


@dataclass(frozen=True, slots=True)
class Attempted:
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


def opened_first(rows: tuple[Attempted, ...]) -> str:
    """The row that is open when nobody has chosen: the step of a ladder that found something after others had not."""
    found = (row.id for row in rows if row.id.startswith(RUNG) and row.results and row.state is State.HIT)
    return next((identity for identity in found if identity != f"{RUNG}0"), "")


def rung_row(rung: Rung, times: Mapping[str, float], depth: int = 0) -> Attempted:
    """A step of a ladder."""
    return Attempted(
        id=f"{RUNG}{rung.number}",
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


def ladder_rows(ladder: Ladder, times: Mapping[str, float]) -> tuple[Attempted, ...]:
    """A ladder and its steps below it."""
    name = "retry ladder" if ladder.in_route else "retry ladder · advice"
    found = f"{len(ladder.found)} found" if ladder.state is State.HIT else ""
    head = Attempted("ladder", name, ladder.state, found, ladder.why)
    return (head, *(rung_row(rung, times, depth=1) for rung in ladder.rungs))
