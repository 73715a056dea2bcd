from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.decay import age_days, days_until_importance, decayed_importance, decayed_recency, just_before_ms
from tests.support.trees import BRV3, DAY_MS, NOW_MS, changed

DECAY = BRV3.decay


def test_nothing_ages_at_zero_days() -> None:
    assert float(decayed_importance(50.0, 0.0, DECAY)) == 50.0
    assert float(decayed_recency(0.4, 0.0, DECAY)) == 0.4


def test_recency_forgets_what_was_stored_as_soon_as_it_ages() -> None:
    assert float(decayed_recency(0.4, 1e-9, DECAY)) == pytest.approx(1.0)
    assert float(decayed_recency(0.4, 30.0, DECAY)) == pytest.approx(math.exp(-1))


def test_importance_loses_half_a_percent_a_day() -> None:
    assert float(decayed_importance(80.0, 10.0, DECAY)) == pytest.approx(80 * 0.995**10, rel=1e-14)


def test_a_file_that_is_saved_now_has_an_age() -> None:
    assert [just_before_ms(now_ms) for now_ms in (5.0, 5.1, 5.9)] == [4, 4, 4], "an engine may count whole milliseconds"


def test_days_are_fractions_and_never_negative() -> None:
    days = age_days(NOW_MS, np.asarray([NOW_MS - DAY_MS / 2, NOW_MS + DAY_MS, NOW_MS], dtype=np.float64))
    assert days.tolist() == [0.5, 0.0, 0.0]


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 4_000) | st.just(0.0)), min_size=1, max_size=40))
def test_one_note_decays_as_among_many_to_the_bit(notes: list[tuple[float, float]]) -> None:
    stored, days = (np.asarray([note[place] for note in notes]) for place in range(2))
    importance, recency = decayed_importance(stored, days, DECAY), decayed_recency(stored / 100, days, DECAY)
    for place in range(len(notes)):
        only = slice(place, place + 1)
        assert decayed_importance(stored[only], days[only], DECAY)[0] == importance[place]
        assert decayed_recency(stored[only] / 100, days[only], DECAY)[0] == recency[place]
        assert float(decayed_importance(float(stored[place]), float(days[place]), DECAY)) == importance[place]


@given(st.floats(1, 100), st.floats(0.01, 100))
def test_the_age_until_an_importance_inverts_decay(stored: float, threshold: float) -> None:
    days = float(days_until_importance(threshold, np.asarray([stored]), DECAY)[0])
    assert (days > 0) == (stored > threshold)
    if days > 0:
        assert float(decayed_importance(stored, days, DECAY)) == pytest.approx(threshold, rel=1e-12)


def test_importance_that_never_falls_to_it() -> None:
    stored = np.asarray([50.0, 0.0])
    assert days_until_importance(0.0, stored, DECAY).tolist() == [math.inf, math.inf]
    assert days_until_importance(np.asarray([-math.inf, 35.0]), stored, DECAY).tolist() == [math.inf, math.inf]
    steady = changed(BRV3, decay={"importance_base": 1.0}).decay
    assert days_until_importance(35.0, stored, steady).tolist() == [math.inf, math.inf]
