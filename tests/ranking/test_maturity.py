from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.constants import SignalRules
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
from tests.support.trees import BRV3, changed

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
def test_hysteresis(importance: float, maturity: str, then: str) -> None:
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
def test_an_access_hit(importance: float, maturity: str, then: tuple[float, str]) -> None:
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
def test_a_curate_update(importance: float, maturity: str, then: tuple[float, str]) -> None:
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
def test_many_at_once_are_as_one_by_one(notes: list[tuple[float, str]], rules: SignalRules) -> None:
    importance = np.asarray([note[0] for note in notes])
    levels = levels_of(note[1] for note in notes)
    moved = [LEVELS[level] for level in next_levels(importance, levels, rules)]
    assert moved == [next_maturity(*note, rules) for note in notes]


@given(st.floats(0, 100))
def test_the_thresholds_are_where_maturity_changes(importance: float) -> None:
    for level, maturity in enumerate(LEVELS):
        then = LEVELS.index(next_maturity(importance, maturity))
        assert (then > level) == (importance >= promoted_from(SIGNALS)[level])
        assert (then < level) == (importance < demoted_below(SIGNALS)[level])


@given(st.floats(0, 100), st.sampled_from(LEVELS), st.sampled_from([0.0, 0.1, 3.0, 200.0]))
def test_hits_until_promotion_are_counted(importance: float, maturity: str, gain: float) -> None:
    rules = changed(BRV3, signals={"access_gain": gain}).signals
    raised, levels = np.asarray([importance]), levels_of([maturity])
    hits = float(hits_until_promotion(raised, levels, rules)[0])
    level, most = levels[0], 1_100
    for number in range(1, most):
        raised, levels = after_access(raised, levels, rules)
        if levels[0] > level:
            assert hits == pytest.approx(number, abs=1 if gain == 0.1 else 0)
            return
    assert hits > most
