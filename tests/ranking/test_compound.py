from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.compound import compound, round_half_up, score_parts, unrounded_threshold
from brvtui.ranking.constants import CompoundRules
from brvtui.trace import Part
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


@given(st.floats(0.001, 1.2) | st.integers(1, 120).map(lambda cents: cents / 100), st.integers(0, 6))
def test_the_unrounded_threshold_inverts_rounding(threshold: float, decimals: int) -> None:
    least = unrounded_threshold(threshold, decimals)
    assert round_half_up(least, decimals) >= threshold
    assert round_half_up(math.nextafter(least, -math.inf), decimals) < threshold


def one(
    relevance: float, importance: float, recency: float, maturity: str, local: bool, rules: CompoundRules, rounded: bool
) -> tuple[float, tuple[Part, ...]]:
    """The score and the parts of one match."""
    given = (np.asarray([value]) for value in (relevance, importance, recency))
    bonus = np.asarray([rules.local_bonus if local else 0.0])
    made = compound(*given, np.asarray([rules.boost[maturity]]), bonus, rules)
    return score_parts(made, [maturity], [local], rules, rounded)[0]


@given(UNIT, st.floats(0, 100), UNIT, MATURITY, st.booleans(), st.booleans())
def test_parts_sum_to_the_score(
    relevance: float, importance: float, recency: float, maturity: str, local: bool, rounded: bool
) -> None:
    for score in (SCORE, DOCS.score):
        final, parts = one(relevance, importance, recency, maturity, local, score, rounded)
        assert abs(math.fsum(part.value for part in parts) - final) <= 1e-9
        assert 0 <= final <= score.cap


@given(st.lists(st.tuples(UNIT, st.floats(0, 100), UNIT, MATURITY, st.booleans()), min_size=1, max_size=40))
def test_one_match_has_the_score_and_parts_that_it_has_among_many(
    matches: list[tuple[float, float, float, str, bool]],
) -> None:
    relevance, importance, recency = (np.asarray([match[place] for match in matches]) for place in range(3))
    boost = np.asarray([SCORE.boost[match[3]] for match in matches])
    bonus = np.asarray([SCORE.local_bonus if match[4] else 0.0 for match in matches])
    made = compound(relevance, importance, recency, boost, bonus, SCORE)
    together = score_parts(made, [match[3] for match in matches], [match[4] for match in matches], SCORE, rounded=False)
    assert [score for score, _ in together] == made.score.tolist()
    assert together == [one(*match, SCORE, rounded=False) for match in matches]


def test_the_formula_by_hand() -> None:
    final, parts = one(0.9, 80.0, 0.5, "draft", True, SCORE, rounded=False)
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
    assert one(0, 140, 0, "validated", False, SCORE, rounded=False)[0] == pytest.approx(0.2)


def test_the_cap_is_a_part() -> None:
    final, parts = one(1.0, 100.0, 1.0, "core", True, SCORE, rounded=True)
    assert final == 1.0
    assert next(part.value for part in parts if part.name == "cap") == pytest.approx(-0.25)


def test_shared_notes_have_no_bonus() -> None:
    local, _ = one(0.5, 50.0, 0.5, "validated", True, SCORE, rounded=False)
    shared, _ = one(0.5, 50.0, 0.5, "validated", False, SCORE, rounded=False)
    assert local - shared == pytest.approx(0.1)


def test_docs_knows_no_bonus() -> None:
    assert one(0.5, 50.0, 0.5, "validated", True, DOCS.score, rounded=False)[0] == pytest.approx(0.5)
