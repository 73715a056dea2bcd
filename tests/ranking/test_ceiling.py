"""The table of the fact sheet's section 7, and the days from which a note cannot reach a threshold any more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.ceiling import (
    HORIZON_DAYS,
    Floats,
    ceiling_at,
    ceilings,
    days_until_all_below,
    days_until_below,
    seen_by_gates,
)
from brvtui.ranking.compound import round_half_up
from tests.support.trees import BRV3, DOCS, changed

DAYS = (0, 7, 14, 30, 45, 60, 90, 180)
TABLE = {
    ("draft", 50): (0.865, 0.827, 0.796, 0.746, 0.716, 0.696, 0.673, 0.645),
    ("draft", 100): (0.950, 0.909, 0.875, 0.819, 0.784, 0.759, 0.727, 0.679),
    ("validated", 50): (1, 0.955, 0.919, 0.860, 0.824, 0.801, 0.774, 0.741),
    ("core", 50): (1, 1, 1, 0.974, 0.933, 0.906, 0.875, 0.837),
}


@pytest.mark.parametrize(("maturity", "importance"), TABLE)
def test_the_table(maturity: str, importance: float) -> None:
    row = [ceiling_at(days, importance, 1.0, maturity, True, BRV3) for days in DAYS]
    assert [round_half_up(value, 3) for value in row] == list(TABLE[maturity, importance])


def default_note(days: float) -> float:
    return ceiling_at(days, 50, 1.0, "draft", True, BRV3)


@pytest.mark.parametrize(
    ("threshold", "unrounded", "rounded"),
    [(0.85, 2.6, 3.5), (0.70, 56.4, 60.9)],
)
def test_until_when_a_note_with_default_signals_reaches(threshold: float, unrounded: float, rounded: float) -> None:
    assert days_until_below(threshold, default_note, 0.0) == pytest.approx(unrounded, abs=0.05)
    gates_see = seen_by_gates(threshold, 2)
    assert days_until_below(gates_see, default_note, 0.0) == pytest.approx(rounded, abs=0.05)


@pytest.mark.parametrize("threshold", [0.85, 0.70])
def test_the_day_is_where_the_rounded_ceiling_turns(threshold: float) -> None:
    day = days_until_below(seen_by_gates(threshold, 2), default_note, 0.0)
    assert day is not None
    assert round_half_up(default_note(day - 0.01), 2) >= threshold
    assert round_half_up(default_note(day + 0.01), 2) < threshold


def test_days_count_from_the_age_that_the_note_has() -> None:
    from_now = days_until_below(0.70, default_note, 40.0)
    assert from_now is not None
    assert from_now == pytest.approx(56.4 - 40, abs=0.05)


def test_a_ceiling_that_has_already_fallen() -> None:
    assert days_until_below(0.85, default_note, 30.0) == 0.0


def test_a_ceiling_that_never_falls_so_far() -> None:
    assert days_until_below(0.5, default_note, 0.0) is None
    assert default_note(HORIZON_DAYS) > 0.5


def test_shared_notes_and_docs_have_no_bonus() -> None:
    assert ceiling_at(0, 50, 1.0, "draft", False, BRV3) == pytest.approx(0.765)
    assert ceiling_at(0, 50, 1.0, "draft", True, DOCS) == pytest.approx(0.765)


@given(st.floats(0, 400), st.floats(0, 100), st.sampled_from(["draft", "validated", "core"]))
def test_no_text_can_exceed_it(days: float, importance: float, maturity: str) -> None:
    perfect = ceiling_at(days, importance, 1.0, maturity, True, BRV3)
    imperfect = changed(BRV3, score={"relevance": 0.6 * 0.999})
    assert ceiling_at(days, importance, 1.0, maturity, True, imperfect) <= perfect <= 1


NOTE = st.tuples(
    st.floats(0, 400) | st.just(0.0),
    st.floats(0, 100),
    st.floats(0, 1),
    st.sampled_from(["draft", "validated", "core"]),
    st.booleans(),
)


@given(st.lists(NOTE, min_size=1), st.sampled_from([0.845, 0.695, 0.5, 0.0, 1.0]))
def test_many_at_once_are_as_one_by_one(notes: list[tuple[float, float, float, str, bool]], threshold: float) -> None:
    days, importance, recency = (np.asarray([note[place] for note in notes]) for place in range(3))
    boost = np.asarray([BRV3.score.boost[note[3]] for note in notes])
    bonus = np.asarray([BRV3.score.local_bonus if note[4] else 0.0 for note in notes])

    def at(age: Floats) -> Floats:
        return ceilings(age, importance, recency, boost, bonus, BRV3)

    assert at(days) == pytest.approx([ceiling_at(*note, BRV3) for note in notes], abs=1e-12)
    found = days_until_all_below(threshold, at, days)
    for place, (age, *rest) in enumerate(notes):
        alone = days_until_below(threshold, lambda day, rest=rest: ceiling_at(day, *rest, BRV3), age)
        assert found[place] == pytest.approx(np.inf if alone is None else alone, abs=2e-3)
