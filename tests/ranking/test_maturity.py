from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.constants import SignalRules
from brvtui.ranking.maturity import (
    LEVELS,
    after_access,
    after_update,
    demoted_below,
    next_levels,
    next_maturity,
    promoted_from,
)
from tests.support.trees import BRV3, changed

SIGNALS = BRV3.signals


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
    assert next_maturity(importance, maturity, SIGNALS) == then


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
    assert after_access(importance, maturity, SIGNALS) == then


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
    assert after_update(importance, maturity, SIGNALS) == then


RULES = st.builds(
    lambda *edges: (
        changed(
            BRV3,
            signals=dict(zip(("validated_from", "validated_until", "core_from", "core_until"), edges, strict=True)),
        ).signals
    ),
    *[st.floats(0, 100)] * 4,
)


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from(LEVELS)), min_size=1), st.just(SIGNALS) | RULES)
def test_many_at_once_are_as_one_by_one(notes: list[tuple[float, str]], rules: SignalRules) -> None:
    importance = np.asarray([note[0] for note in notes])
    levels = np.asarray([LEVELS.index(note[1]) for note in notes], dtype=np.int8)
    moved = [LEVELS[level] for level in next_levels(importance, levels, rules)]
    assert moved == [next_maturity(*note, rules) for note in notes]


@given(st.floats(0, 100))
def test_the_thresholds_are_where_maturity_changes(importance: float) -> None:
    for level, maturity in enumerate(LEVELS):
        then = LEVELS.index(next_maturity(importance, maturity, SIGNALS))
        assert (then > level) == (importance >= promoted_from(SIGNALS)[level])
        assert (then < level) == (importance < demoted_below(SIGNALS)[level])
