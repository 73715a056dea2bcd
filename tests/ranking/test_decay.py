from __future__ import annotations

import math

import numpy as np
import pytest

from brvtui.ranking.decay import age_days, decayed_importance, decayed_recency
from tests.support.trees import BRV3, DAY_MS, NOW_MS

DECAY = BRV3.decay


def test_nothing_ages_at_zero_days() -> None:
    assert float(decayed_importance(50.0, 0.0, DECAY)) == 50.0
    assert float(decayed_recency(0.4, 0.0, DECAY)) == 0.4


def test_recency_forgets_what_was_stored_as_soon_as_it_ages() -> None:
    assert float(decayed_recency(0.4, 1e-9, DECAY)) == pytest.approx(1.0)
    assert float(decayed_recency(0.4, 30.0, DECAY)) == pytest.approx(math.exp(-1))


def test_importance_loses_half_a_percent_a_day() -> None:
    assert float(decayed_importance(80.0, 10.0, DECAY)) == pytest.approx(80 * 0.995**10, rel=1e-14)


def test_days_are_fractions_and_never_negative() -> None:
    days = age_days(NOW_MS, np.asarray([NOW_MS - DAY_MS / 2, NOW_MS + DAY_MS, NOW_MS], dtype=np.float64))
    assert days.tolist() == [0.5, 0.0, 0.0]
