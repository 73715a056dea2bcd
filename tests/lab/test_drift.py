"""What is lost between days, from evaluations alone."""

from __future__ import annotations

from dataclasses import replace

from brvtui.lab.evaluation.comparing import Drift, DriftPoint, LostByDay, compare_evaluations, first_lost
from brvtui.lab.evaluation.results import DEFAULT_METRICS, Evaluation, QueryResult, RankedDocument


def answered(outcome: str, found: str, quoted: str) -> QueryResult:
    """A query that should find the notes a and b, and finds and quotes those named by letters."""
    results = tuple(RankedDocument(path, 1.0) for path in found)
    grades = {"a": 3, "b": 1, "c": 0}
    return QueryResult("q", "x", "", "", grades, outcome, results, 0, 0.0, quoted=tuple(quoted))


def test_each_loss_is_said_once_by_the_first_day_and_again_when_it_comes_back() -> None:
    def evaluation(query: QueryResult) -> Evaluation:
        return Evaluation("byterover", "", "", "", "", 3, "", (query,))

    now = evaluation(answered("tier 2", "abc", "abc"))
    days = {
        7.0: answered("tier 2", "abc", "a"),
        30.0: answered("tier 3", "a", "a"),
        60.0: answered("tier 2", "abc", "abc"),
        90.0: answered("tier 3", "ba", ""),
        120.0: answered("tier 3", "acb", "abc"),
    }
    points = [DriftPoint(day, compare_evaluations(evaluation(query), now)) for day, query in days.items()]
    drift = Drift(now, DEFAULT_METRICS, tuple(points))
    assert drift.losses == (
        LostByDay("q", "no longer quoted in the answer", "b", 7.0),
        LostByDay("q", "no longer found", "b", 30.0),
        LostByDay("q", "tier 2 → tier 3", "", 30.0),
        LostByDay("q", "no longer quoted in the answer", "a", 90.0),
        LostByDay("q", "no longer quoted in the answer", "b", 90.0),
        LostByDay("q", "tier 2 → tier 3", "", 90.0),
        LostByDay("q", "ranked lower", "b", 120.0),
    )
    assert first_lost(drift.losses) == {"q": 7.0}
    assert drift.passed
    assert replace(drift, points=()).losses == ()
