"""Compound scores, maturity, and the days until a note can no longer reach a threshold."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_FLOOR, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.ceiling import HORIZON_DAYS, PRECISION_DAYS, ceilings, days_until_below, falling_ages, scores
from brvtui.ranking.compound import compound, round_half_up, score_parts, unrounded_threshold
from brvtui.ranking.constants import CompoundRules, SignalRules
from brvtui.ranking.maturity import (
    LEVELS,
    Floats,
    Levels,
    after_access,
    after_update,
    demoted_below,
    hits_until_promotion,
    levels_of,
    next_levels,
    promoted_from,
)
from brvtui.trace import Part
from tests.support.ceilings import Signals, ceiling_of, days_left, inputs
from tests.support.trees import BRV3, DOCS, changed

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
def test_halves_are_rounded_up(value: float, rounded: float) -> None:
    assert round_half_up(value, 2) == rounded


def test_rounding_works_on_the_double_value() -> None:
    """The double 1.005 is slightly less than 1.005: times 100 it is 100.49999999999999."""
    assert round_half_up(1.005, 2) == 1.0
    assert round_half_up(0.285, 2) == 0.28  # 28.499999999999996


@given(st.floats(0, 1_000), st.integers(0, 4))
def test_rounding_equals_floor_of_the_scaled_value_plus_a_half(value: float, decimals: int) -> None:
    scaled = Decimal(value * 10.0**decimals + 0.5)
    assert round_half_up(value, decimals) == int(scaled.to_integral_value(ROUND_FLOOR)) / 10.0**decimals


@given(st.floats(0.001, 1.2) | st.integers(1, 120).map(lambda cents: cents / 100), st.integers(0, 6))
def test_unrounded_threshold_inverts_rounding(threshold: float, decimals: int) -> None:
    minimum = unrounded_threshold(threshold, decimals)
    assert round_half_up(minimum, decimals) >= threshold
    assert round_half_up(math.nextafter(minimum, -math.inf), decimals) < threshold


def one(
    relevance: float, importance: float, recency: float, maturity: str, local: bool, rules: CompoundRules, rounded: bool
) -> tuple[float, tuple[Part, ...]]:
    """The score and the parts of one match."""
    given = (np.asarray([value]) for value in (relevance, importance, recency))
    bonus = np.asarray([rules.local_bonus if local else 0.0])
    result = compound(*given, np.asarray([rules.boost[maturity]]), bonus, rules)
    return score_parts(result, [maturity], [local], rules, rounded)[0]


@given(UNIT, st.floats(0, 100), UNIT, MATURITY, st.booleans(), st.booleans())
def test_parts_sum_to_the_score(
    relevance: float, importance: float, recency: float, maturity: str, local: bool, rounded: bool
) -> None:
    for score in (SCORE, DOCS.score):
        final, parts = one(relevance, importance, recency, maturity, local, score, rounded)
        assert abs(math.fsum(part.value for part in parts) - final) <= 1e-9
        assert 0 <= final <= score.cap


@given(st.lists(st.tuples(UNIT, st.floats(0, 100), UNIT, MATURITY, st.booleans()), min_size=1, max_size=40))
def test_score_and_parts_do_not_depend_on_the_number_of_matches(
    matches: list[tuple[float, float, float, str, bool]],
) -> None:
    relevance, importance, recency = (np.asarray([match[place] for match in matches]) for place in range(3))
    boost = np.asarray([SCORE.boost[match[3]] for match in matches])
    bonus = np.asarray([SCORE.local_bonus if match[4] else 0.0 for match in matches])
    result = compound(relevance, importance, recency, boost, bonus, SCORE)
    together = score_parts(
        result, [match[3] for match in matches], [match[4] for match in matches], SCORE, rounded=False
    )
    assert [score for score, _ in together] == result.score.tolist()
    assert together == [one(*match, SCORE, rounded=False) for match in matches]


def test_score_equals_a_manual_calculation() -> None:
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


def test_importance_is_capped_at_its_scale() -> None:
    assert one(0, 140, 0, "validated", False, SCORE, rounded=False)[0] == pytest.approx(0.2)


def test_cap_is_one_of_the_parts() -> None:
    final, parts = one(1.0, 100.0, 1.0, "core", True, SCORE, rounded=True)
    assert final == 1.0
    assert next(part.value for part in parts if part.name == "cap") == pytest.approx(-0.25)


def test_shared_notes_have_no_bonus() -> None:
    local, _ = one(0.5, 50.0, 0.5, "validated", True, SCORE, rounded=False)
    shared, _ = one(0.5, 50.0, 0.5, "validated", False, SCORE, rounded=False)
    assert local - shared == pytest.approx(0.1)


def test_docs_profile_has_no_local_bonus() -> None:
    assert one(0.5, 50.0, 0.5, "validated", True, DOCS.score, rounded=False)[0] == pytest.approx(0.5)


DAYS = (0, 7, 14, 30, 45, 60, 90, 180)
TABLE = {
    ("draft", 50): (0.865, 0.827, 0.796, 0.746, 0.716, 0.696, 0.673, 0.645),
    ("draft", 100): (0.950, 0.909, 0.875, 0.819, 0.784, 0.759, 0.727, 0.679),
    ("validated", 50): (1, 0.955, 0.919, 0.860, 0.824, 0.801, 0.774, 0.741),
    ("core", 50): (1, 1, 1, 0.974, 0.933, 0.906, 0.875, 0.837),
}
DEFAULT: Signals = (50, 1.0, "draft", True)


@pytest.mark.parametrize(("maturity", "importance"), TABLE)
def test_ceilings_match_the_published_table(maturity: str, importance: float) -> None:
    row = [ceiling_of(days, importance, 1.0, maturity, True) for days in DAYS]
    assert [round_half_up(value, 3) for value in row] == list(TABLE[maturity, importance])


@pytest.mark.parametrize(
    ("threshold", "unrounded", "rounded"),
    [(0.85, 2.6, 3.5), (0.70, 56.4, 60.9)],
)
def test_days_until_default_signals_miss_a_threshold(threshold: float, unrounded: float, rounded: float) -> None:
    assert days_left(threshold, 0.0, DEFAULT) == pytest.approx(unrounded, abs=0.05)
    gates_see = unrounded_threshold(threshold, 2)
    assert days_left(gates_see, 0.0, DEFAULT) == pytest.approx(rounded, abs=0.05)


@pytest.mark.parametrize("threshold", [0.85, 0.70])
def test_day_is_the_first_with_a_lower_rounded_ceiling(threshold: float) -> None:
    day = days_left(unrounded_threshold(threshold, 2), 0.0, DEFAULT)
    assert round_half_up(ceiling_of(day - PRECISION_DAYS, *DEFAULT), 2) >= threshold
    assert round_half_up(ceiling_of(day, *DEFAULT), 2) < threshold


def test_days_left_count_from_the_current_age() -> None:
    assert days_left(0.70, 40.0, DEFAULT) == pytest.approx(56.4 - 40, abs=0.05)


def test_note_with_a_future_date_does_not_age_yet() -> None:
    assert days_left(0.70, -10.0, DEFAULT) == pytest.approx(56.4 + 10, abs=0.05)


def test_ceiling_already_below_the_threshold_has_0_days_left() -> None:
    assert days_left(0.85, 30.0, DEFAULT) == 0.0


def test_ceiling_always_above_the_threshold_has_infinite_days_left() -> None:
    assert days_left(0.5, 0.0, DEFAULT) == math.inf
    assert ceiling_of(HORIZON_DAYS, *DEFAULT) > 0.5


def test_ceilings_of_shared_notes_and_docs_have_no_bonus() -> None:
    assert ceiling_of(0, 50, 1.0, "draft", False) == pytest.approx(0.765)
    assert ceiling_of(0, 50, 1.0, "draft", True, DOCS) == pytest.approx(0.765)


@given(st.floats(0, 400), st.floats(0, 100), st.sampled_from(["draft", "validated", "core"]))
def test_no_relevance_exceeds_the_ceiling(days: float, importance: float, maturity: str) -> None:
    perfect = ceiling_of(days, importance, 1.0, maturity, True)
    imperfect = changed(BRV3, score={"relevance": 0.6 * 0.999})
    assert ceiling_of(days, importance, 1.0, maturity, True, imperfect) <= perfect <= 1


NOTE = st.tuples(st.floats(0, 100), st.floats(0, 1), st.sampled_from(["draft", "validated", "core"]), st.booleans())
AGED = st.tuples(st.floats(0, 400) | st.just(0.0), NOTE)
RELEVANCE = st.floats(0, 1)


@given(st.lists(st.tuples(RELEVANCE, AGED), min_size=1, max_size=40))
def test_scores_of_one_note_and_an_array_are_identical(
    matches: list[tuple[float, tuple[float, Signals]]],
) -> None:
    relevance, days = np.asarray([match[0] for match in matches]), np.asarray([match[1][0] for match in matches])
    notes = [note for _, (_, note) in matches]
    together = scores(relevance, days, inputs(notes), BRV3)
    for place, note in enumerate(notes):
        alone = scores(relevance[[place]], days[[place]], inputs([note]), BRV3)
        one = float(scores(float(relevance[place]), days[[place]], inputs([note]), BRV3).score[0])
        assert together.score[place] == alone.score[0] == one
        assert (together.importance[place], together.recency[place]) == (alone.importance[0], alone.recency[0])


@given(st.lists(AGED, min_size=1, max_size=40), st.lists(st.sampled_from([0.845, 0.695, 0.5, 0.0, 1.0]), min_size=1))
def test_days_until_a_fall_are_equal_for_one_or_many_notes(
    notes: list[tuple[float, Signals]], thresholds: list[float]
) -> None:
    days, signals = np.asarray([age for age, _ in notes]), inputs([note for _, note in notes])
    found = days_until_below(thresholds, days, signals, BRV3)
    assert found.shape == (len(thresholds), len(notes))
    for place, (age, note) in enumerate(notes):
        assert [days_left(threshold, age, note) for threshold in thresholds] == found[:, place].tolist()


@given(st.lists(AGED, min_size=1, max_size=8), st.floats(0.3, 1.1))
def test_days_left_invert_the_ceiling(notes: list[tuple[float, Signals]], threshold: float) -> None:
    """The threshold is met until the step before that day; a ceiling that never falls still meets it in ten years."""
    days, signals = np.asarray([age for age, _ in notes]), inputs([note for _, note in notes])
    left = days_until_below([threshold], days, signals, BRV3)[0]
    already, never = left == 0, np.isinf(left)
    last = np.where(never | already, 0.0, left)
    assert ((ceilings(days, signals, BRV3) < threshold) == already).all()
    assert (ceilings(days + np.where(never, HORIZON_DAYS, 0.0), signals, BRV3) >= threshold)[never].all()
    assert (ceilings(days + last, signals, BRV3) < threshold)[~never].all()
    # at exactly 0 days, the stored recency applies instead
    before = np.maximum(days + last - PRECISION_DAYS, 0.0)
    assert (ceilings(before, signals, BRV3) >= threshold)[~never & ~already].all()


@given(st.lists(NOTE, min_size=1, max_size=20), st.floats(0.3, 1.1))
def test_age_for_a_ceiling_inverts_the_ceiling(notes: list[Signals], threshold: float) -> None:
    signals = inputs(notes)
    ages = falling_ages(np.full(len(notes), threshold), signals, BRV3)
    falls = np.isfinite(ages)
    assert (ages >= PRECISION_DAYS).all()
    assert (ceilings(np.where(falls, ages, 0.0), signals, BRV3) < threshold)[falls].all()
    before = np.where(falls, ages - PRECISION_DAYS, 20_000.0)
    assert (ceilings(before, signals, BRV3) >= threshold)[before > 0].all()
    for place, note in enumerate(notes):
        assert falling_ages(np.asarray([threshold]), inputs([note]), BRV3)[0] == ages[place]


SIGNALS = BRV3.signals
Event = Callable[[Floats, Levels, SignalRules], tuple[Floats, Levels]]


def next_maturity(importance: float, maturity: str, rules: SignalRules = SIGNALS) -> str:
    """The maturity that one note moves to."""
    return LEVELS[next_levels(np.asarray([importance]), levels_of([maturity]), rules)[0]]


def after(event: Event, importance: float, maturity: str) -> tuple[float, str]:
    """Importance and maturity of one note after an event."""
    raised, levels = event(np.asarray([float(importance)]), levels_of([maturity]), SIGNALS)
    return float(raised[0]), LEVELS[levels[0]]


@pytest.mark.parametrize(
    ("importance", "maturity", "then"),
    [
        (84.999, "draft", "validated"),
        (85, "draft", "core"),
        (85, "validated", "core"),
        (84.999, "validated", "validated"),
        (64.999, "draft", "draft"),
        (65, "draft", "validated"),
        (60, "core", "core"),
        (59.999, "core", "validated"),
        (35, "validated", "validated"),
        (34.999, "validated", "draft"),
        (0, "draft", "draft"),
        (34, "core", "validated"),
    ],
)
def test_maturity_changes_with_hysteresis(importance: float, maturity: str, then: str) -> None:
    assert next_maturity(importance, maturity) == then


@pytest.mark.parametrize(
    ("importance", "maturity", "then"),
    [
        (50, "draft", (53, "draft")),
        (62, "draft", (65, "validated")),
        (61.5, "draft", (64.5, "draft")),
        (82, "validated", (85, "core")),
        (99, "core", (100, "core")),
        (100, "core", (100, "core")),
    ],
)
def test_access_hit_raises_importance_and_maturity(importance: float, maturity: str, then: tuple[float, str]) -> None:
    assert after(after_access, importance, maturity) == then


@pytest.mark.parametrize(
    ("importance", "maturity", "then"),
    [
        (50, "draft", (55, "draft")),
        (60, "draft", (65, "validated")),
        (98, "validated", (100, "core")),
        (50, "core", (55, "validated")),
        (29, "validated", (34, "draft")),
    ],
)
def test_update_raises_importance_and_maturity(importance: float, maturity: str, then: tuple[float, str]) -> None:
    assert after(after_update, importance, maturity) == then


RULES = st.builds(
    lambda *edges: (
        changed(
            BRV3,
            signals=dict(zip(("validated_from", "validated_until", "core_from", "core_until"), edges, strict=True)),
        ).signals
    ),
    *[st.just(0.0) | st.floats(1e-15, 100)] * 4,
)


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from(LEVELS)), min_size=1), st.just(SIGNALS) | RULES)
def test_maturity_changes_are_equal_for_one_or_many_notes(notes: list[tuple[float, str]], rules: SignalRules) -> None:
    importance = np.asarray([note[0] for note in notes])
    levels = levels_of(note[1] for note in notes)
    moved = [LEVELS[level] for level in next_levels(importance, levels, rules)]
    assert moved == [next_maturity(*note, rules) for note in notes]


@given(st.floats(0, 100))
def test_maturity_changes_exactly_at_its_thresholds(importance: float) -> None:
    for level, maturity in enumerate(LEVELS):
        then = LEVELS.index(next_maturity(importance, maturity))
        assert (then > level) == (importance >= promoted_from(SIGNALS)[level])
        assert (then < level) == (importance < demoted_below(SIGNALS)[level])


@given(st.floats(0, 100), st.sampled_from(LEVELS), st.sampled_from([0.0, 0.1, 3.0, 200.0]))
def test_hits_until_promotion_are_counted(importance: float, maturity: str, gain: float) -> None:
    rules = changed(BRV3, signals={"access_gain": gain}).signals
    raised, levels = np.asarray([importance]), levels_of([maturity])
    hits = float(hits_until_promotion(raised, levels, rules)[0])
    level, limit = levels[0], 1_100
    for number in range(1, limit):
        raised, levels = after_access(raised, levels, rules)
        if levels[0] > level:
            assert hits == pytest.approx(number, abs=1 if gain == 0.1 else 0)
            return
    assert hits > limit
