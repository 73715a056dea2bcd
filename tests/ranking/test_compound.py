from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.compound import compound, compound_one, round_half_up, score_parts, with_bonus
from tests.support.trees import BRV3, DOCS

SCORE = BRV3.score
UNIT = st.floats(0, 1)
MATURITY = st.sampled_from(["draft", "validated", "core"])


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (0.125, 0.13),
        (0.135, 0.14),
        (0.695, 0.7),
        (0.6949999, 0.69),
        (0.845, 0.85),
        (0.8449999, 0.84),
        (1.0, 1.0),
        (0.0, 0.0),
    ],
)
def test_round_half_up(value: float, rounded: float) -> None:
    assert round_half_up(value, 2) == rounded


def test_rounding_is_that_of_doubles() -> None:
    """1.005 is a little less than its name: times 100 it is 100.49999999999999."""
    assert round_half_up(1.005, 2) == 1.0
    assert round_half_up(0.285, 2) == 0.28  # 28.499999999999996


@given(st.floats(0, 1_000), st.integers(0, 4))
def test_round_half_up_is_floor_of_the_scaled_value_plus_a_half(value: float, decimals: int) -> None:
    scaled = Decimal(value * 10.0**decimals + 0.5)
    assert round_half_up(value, decimals) == int(scaled.to_integral_value(ROUND_FLOOR)) / 10.0**decimals


@given(UNIT, st.floats(0, 100), UNIT, MATURITY, st.booleans(), st.booleans())
def test_parts_sum_to_the_score(
    relevance: float, importance: float, recency: float, maturity: str, local: bool, rounded: bool
) -> None:
    for score in (SCORE, DOCS.score):
        final, parts = score_parts(relevance, importance, recency, maturity, local, score, rounded)
        assert abs(math.fsum(part.value for part in parts) - final) <= 1e-9
        assert 0 <= final <= 1


@given(UNIT, st.floats(0, 100), UNIT, MATURITY)
def test_arrays_and_plain_floats_agree_to_the_bit(
    relevance: float, importance: float, recency: float, maturity: str
) -> None:
    boost = SCORE.boost[maturity]
    many = float(compound(relevance, importance, recency, boost, SCORE))
    assert many == compound_one(relevance, importance, recency, boost, SCORE)
    final, _ = score_parts(relevance, importance, recency, maturity, True, SCORE, rounded=False)
    assert final == float(with_bonus(compound(relevance, importance, recency, boost, SCORE), 0.1, SCORE))


def test_the_formula_by_hand() -> None:
    final, parts = score_parts(0.9, 80.0, 0.5, "draft", True, SCORE, rounded=False)
    assert final == pytest.approx((0.6 * 0.9 + 0.2 * 0.8 + 0.2 * 0.5) * 0.85 + 0.1, rel=1e-15)
    assert {part.name: round(part.value, 6) for part in parts} == {
        "relevance": 0.54,
        "importance": 0.16,
        "recency": 0.1,
        "maturity": -0.12,
        "local bonus": 0.1,
        "cap": 0.0,
    }


def test_importance_above_the_scale_counts_as_the_scale() -> None:
    assert compound_one(0, 140, 0, 1, SCORE) == pytest.approx(0.2)


def test_the_cap_is_a_part() -> None:
    final, parts = score_parts(1.0, 100.0, 1.0, "core", True, SCORE, rounded=True)
    assert final == 1.0
    assert next(part.value for part in parts if part.name == "cap") == pytest.approx(-0.25)


def test_shared_notes_have_no_bonus() -> None:
    local, _ = score_parts(0.5, 50.0, 0.5, "validated", True, SCORE, rounded=False)
    shared, _ = score_parts(0.5, 50.0, 0.5, "validated", False, SCORE, rounded=False)
    assert local - shared == pytest.approx(0.1)


def test_docs_knows_no_bonus() -> None:
    assert score_parts(0.5, 50.0, 0.5, "validated", True, DOCS.score, rounded=False)[0] == pytest.approx(0.5)
