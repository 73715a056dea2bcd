"""Drift: what time alone does to the answers of judged queries, if nobody touches a note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brvtui.lab.evaluation.assessment import GateResult
from brvtui.lab.evaluation.comparing import Comparison, QueryChange
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation

NO_LONGER_QUOTED, FALLS_OUT, FALLS_BEHIND = "no longer quoted in the answer", "no longer found", "ranked lower"


@dataclass(frozen=True, slots=True)
class LostByDay:
    """One thing that a judged query loses by a day at which it was asked again."""

    query: str
    """Its id."""
    what: str
    """``tier 2 → tier 3``, or what became of ``document``."""
    document: str
    """The path of the relevant note that is lost; empty where the outcome changes."""
    days: float
    """The first of the days that were asked for by which it is lost; it was not lost the time before."""


@dataclass(frozen=True)
class DriftPoint:
    """The judged set as it will be answered in ``days`` days, beside now."""

    days: float
    comparison: Comparison
    gates: tuple[GateResult, ...] = ()


@dataclass(frozen=True)
class Drift:
    """The judged set now, and at some later days."""

    now: Evaluation
    metrics: tuple[Metric, ...]
    points: tuple[DriftPoint, ...]
    """The earliest first."""

    @property
    def losses(self) -> tuple[LostByDay, ...]:
        """Everything that is lost between now and the last day, in the order of days and queries."""
        known: set[tuple[str, str, str]] = set()
        made = []
        for point in self.points:
            found = {loss for change in point.comparison.changes for loss in losses_of(change)}
            named = [each.now.id for each in point.comparison.changes]
            for query, what, document in sorted(found - known, key=lambda loss: (named.index(loss[0]), loss)):
                made.append(LostByDay(query, what, document, point.days))
            known = found
        return tuple(made)

    @property
    def gates(self) -> tuple[GateResult, ...]:
        """The gates of every day."""
        return tuple(gate for point in self.points for gate in point.gates)

    @property
    def passed(self) -> bool:
        """Whether every gate was passed on every day."""
        return all(gate.passed for gate in self.gates)


def losses_of(change: QueryChange) -> Iterator[tuple[str, str, str]]:
    """What the query of ``change`` lost: its id, what happened, and the path of the relevant note that it happened to.

    Of a note the worst is said: it is no longer found, else no longer quoted in the answer, else ranked lower.
    """
    now, before = change.now, change.before
    if change.changes_outcome:
        yield now.id, f"{before.outcome} → {now.outcome}", ""
    for path in now.relevant:
        if path in before.ranking and path not in now.ranking:
            yield now.id, FALLS_OUT, path
        elif path in before.quoted and path not in now.quoted:
            yield now.id, NO_LONGER_QUOTED, path
        elif path in before.ranking and now.ranking.index(path) > before.ranking.index(path):
            yield now.id, FALLS_BEHIND, path


def first_lost(losses: Sequence[LostByDay]) -> dict[str, float]:
    """For each query that loses something, by its id: the first day."""
    made: dict[str, float] = {}
    for loss in losses:
        made.setdefault(loss.query, loss.days)
    return made
