"""Ranking formulas, each compared with another computation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking import bm25
from brvtui.ranking.bm25 import log
from brvtui.ranking.decay import age_days, days_until_importance, decayed_importance, decayed_recency, just_before_ms
from brvtui.ranking.packing import estimated_tokens, fitting
from brvtui.text.trigrams import jaccard
from tests.support.trees import BRV3, DAY_MS, NOW_MS, changed


@pytest.mark.parametrize(("notes", "df"), [(10, 0), (10, 3), (10, 10), (9900, 17), (1, 1)])
def test_idf_follows_the_plus_one_formula(notes: int, df: int) -> None:
    assert bm25.idf(notes, df) == pytest.approx(math.log(1 + (notes - df + 0.5) / (df + 0.5)), rel=1e-15)


def test_idf_of_a_term_in_every_note_is_positive() -> None:
    assert bm25.idf(10, 10) > 0


def test_length_norm_at_average_length_is_k() -> None:
    assert float(bm25.length_norm(np.asarray(7.0), 7.0, 1.2, 0.7)) == pytest.approx(1.2, rel=1e-15)


def test_length_norm_is_defined_if_every_field_is_empty() -> None:
    assert bm25.length_norm(np.zeros(3), 0.0, 1.2, 0.7).tolist() == pytest.approx([0.36] * 3)


def test_term_score_equals_a_manual_calculation() -> None:
    got = float(bm25.term_score(np.asarray(2.0), np.asarray(3.0), np.asarray(1.2), 1.2, 0.5))
    assert got == pytest.approx(2.0 * (0.5 + 3 * 2.2 / (3 + 1.2)), rel=1e-15)


@pytest.mark.parametrize(("raw", "shown"), [(9, 0.9), (15, 0.9375), (150, 0.9934)])
def test_raw_scores_saturate_below_1(raw: float, shown: float) -> None:
    assert float(bm25.saturate(np.asarray(float(raw)))) == pytest.approx(shown, abs=5e-5)


@given(st.lists(st.integers(0, 5000), max_size=200))
def test_running_mean_equals_the_mean_except_for_rounding(lengths: list[int]) -> None:
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    assert bm25.running_mean(lengths) == pytest.approx(mean, rel=1e-12, abs=1e-12)


def test_running_mean_depends_on_the_order() -> None:
    lengths = [3, 10, 7, 1, 8, 13, 2]
    in_order = 0.0
    for count, length in enumerate(lengths):
        in_order = (in_order * count + length) / (count + 1)
    assert bm25.running_mean(lengths) == in_order


DECAY = BRV3.decay


def test_signals_are_unchanged_at_age_zero() -> None:
    assert float(decayed_importance(50.0, 0.0, DECAY)) == 50.0
    assert float(decayed_recency(0.4, 0.0, DECAY)) == 0.4


def test_recency_ignores_the_stored_value_after_age_zero() -> None:
    assert float(decayed_recency(0.4, 1e-9, DECAY)) == pytest.approx(1.0)
    assert float(decayed_recency(0.4, 30.0, DECAY)) == pytest.approx(math.exp(-1))


def test_importance_decays_by_half_a_percent_a_day() -> None:
    assert float(decayed_importance(80.0, 10.0, DECAY)) == pytest.approx(80 * 0.995**10, rel=1e-14)


def test_newly_saved_file_is_older_than_now() -> None:
    assert [just_before_ms(now_ms) for now_ms in (5.0, 5.1, 5.9)] == [4, 4, 4], "an engine may count whole milliseconds"


def test_ages_are_fractional_days_and_never_negative() -> None:
    days = age_days(NOW_MS, np.asarray([NOW_MS - DAY_MS / 2, NOW_MS + DAY_MS, NOW_MS], dtype=np.float64))
    assert days.tolist() == [0.5, 0.0, 0.0]


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 4_000) | st.just(0.0)), min_size=1, max_size=40))
def test_decay_of_one_note_and_an_array_is_identical(notes: list[tuple[float, float]]) -> None:
    stored, days = (np.asarray([note[place] for note in notes]) for place in range(2))
    importance, recency = decayed_importance(stored, days, DECAY), decayed_recency(stored / 100, days, DECAY)
    for place in range(len(notes)):
        only = slice(place, place + 1)
        assert decayed_importance(stored[only], days[only], DECAY)[0] == importance[place]
        assert decayed_recency(stored[only] / 100, days[only], DECAY)[0] == recency[place]
        assert float(decayed_importance(float(stored[place]), float(days[place]), DECAY)) == importance[place]


@given(st.floats(1, 100), st.floats(0.01, 100))
def test_days_until_an_importance_invert_decay(stored: float, threshold: float) -> None:
    days = float(days_until_importance(threshold, np.asarray([stored]), DECAY)[0])
    assert (days > 0) == (stored > threshold)
    if days > 0:
        assert float(decayed_importance(stored, days, DECAY)) == pytest.approx(threshold, rel=1e-12)


def test_importance_never_reached_has_infinite_days() -> None:
    stored = np.asarray([50.0, 0.0])
    assert days_until_importance(0.0, stored, DECAY).tolist() == [math.inf, math.inf]
    assert days_until_importance(np.asarray([-math.inf, 35.0]), stored, DECAY).tolist() == [math.inf, math.inf]
    steady = changed(BRV3, decay={"importance_base": 1.0}).decay
    assert days_until_importance(35.0, stored, steady).tolist() == [math.inf, math.inf]


SETS = st.frozensets(st.sampled_from("abcdefgh"))


@given(SETS, SETS)
def test_jaccard_is_intersection_over_union(left: frozenset[str], right: frozenset[str]) -> None:
    shared, union, ratio = jaccard(left, right)
    assert (shared, union) == (len(left & right), len(left | right))
    assert ratio == (len(left & right) / len(left | right) if left | right else 0.0)


@pytest.mark.parametrize(("chars", "tokens"), [(0, 0), (1, 0), (2, 1), (5, 1), (6, 2), (400, 100), (402, 101)])
def test_token_estimate_is_a_quarter_of_the_characters(chars: int, tokens: int) -> None:
    assert int(estimated_tokens(chars, BRV3.manifest.chars_per_token)) == tokens
    assert estimated_tokens(np.asarray([chars, chars]), BRV3.manifest.chars_per_token).tolist() == [tokens, tokens]


@given(st.lists(st.integers(-3, 30), max_size=20), st.integers(0, 60))
def test_entries_that_fit_the_budget_are_taken_in_order(tokens: list[int], budget: int) -> None:
    taken, left = [], budget
    for place, amount in enumerate(tokens):
        if amount <= left:
            taken.append(place)
            left -= amount
    assert fitting(np.asarray(tokens, dtype=np.int64), budget).tolist() == taken


@given(st.floats(1e-300, 1e300))
def test_logarithm_matches_except_for_the_last_digit(value: float) -> None:
    assert abs(log(value) - math.log(value)) <= math.ulp(math.log(value))


@given(st.integers(0, 20_000), st.integers(0, 20_000))
def test_logarithm_matches_for_values_used_in_ranking(notes: int, df: int) -> None:
    value = 1 + (max(notes, df) - df + 0.5) / (df + 0.5)
    assert log(value) == pytest.approx(math.log(value), rel=1e-15)


@pytest.mark.parametrize("exponent", [-1000, -2, -1, 0, 1, 2, 10, 1000])
def test_logarithms_of_powers_of_two_are_accurate(exponent: int) -> None:
    assert log(2.0**exponent) == pytest.approx(exponent * math.log(2), rel=1e-15)


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, -math.inf, math.nan])
def test_values_without_a_logarithm_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no logarithm"):
        log(value)
