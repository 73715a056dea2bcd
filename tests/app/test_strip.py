"""The strip of steps: clear names, complete at every width."""

from __future__ import annotations

import pytest

from brvtui.engines.registry import presentation
from brvtui.paint.glyphs import for_terminal
from brvtui.paint.steps import check_line, outcome, places_of, strip
from brvtui.trace import Check, State, Step
from tests.app.driving import NARROW, WIDE, ask
from tests.app.looking import AppPilot, shown
from tests.support.trees import Tree


@pytest.mark.parametrize("size", [NARROW, (100, 30), WIDE], ids=["80x24", "100x30", "120x36"])
async def test_cache_tiers_have_names(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    assert "0 exact cache" in shown(pilot)
    assert "1 fuzzy cache" in shown(pilot)


def test_no_name_or_state_is_cut_at_any_width(garden: Tree) -> None:
    trace = garden.session().preview("refresh token rotation")
    outlook, glyphs = presentation(trace.engine).outlook, for_terminal("off")
    for width in range(72, 221):
        names, states = strip(trace.steps, trace.timings, outlook, width, glyphs)
        for line in (names, states):
            assert "…" not in line.plain, width
            assert len(line.plain) <= width
        if width >= NARROW[0]:
            assert "0 exact cache" in names.plain
            assert "1 fuzzy cache" in names.plain


def test_no_deciding_value_is_cut_on_a_medium_window(garden: Tree) -> None:
    for query in ("refresh token rotation", "rollback", "token store", "billing notes"):
        trace = garden.session().preview(query)
        values = strip(trace.steps, trace.timings, presentation(trace.engine).outlook, 116, for_terminal("off"), True)
        assert "…" not in values[2].plain, values[2].plain


def test_satisfied_condition_is_not_given_as_the_reason_for_a_skip(garden: Tree) -> None:
    for query, why in (("rollback", "1 word, 2 needed"), ("token", "found ")):
        trace = garden.session().preview(query)
        (entities,) = [step for step in trace.steps if step.name == "entity_search"]
        assert entities.state is State.SKIPPED
        for width in (116, 200):
            outlook = presentation(trace.engine).outlook
            values = strip(trace.steps, trace.timings, outlook, width, for_terminal("off"), True)[2].plain
            assert (why in values) or (width == 116 and "found" not in values), values


def test_failing_value_never_looks_equal_to_its_threshold() -> None:
    def outcome_of(value: float, passed: bool) -> str:
        return outcome(Check("high", value, "≥", 0.6, passed, value - 0.6, "", ""))

    assert outcome_of(0.596, False) == "high 0.596 < .600"
    assert outcome_of(0.604, True) == "high 0.604 ≥ .600"
    assert outcome_of(0.6, True) == "high 0.60 ≥ .60"
    assert outcome_of(0.52, False) == "high 0.52 < .60"


@pytest.mark.parametrize(
    ("value", "threshold", "places"),
    [
        (3, 2, 0),
        (None, 0.85, 2),
        (0.82, 0.85, 2),
        (0.5, 0.5, 2),
        (0.8496, 0.85, 4),
        (0.850001, 0.85, 6),
        (0.850000004, 0.85, 9),
        (1e-12, 0.0, 2),
        (0.1 + 0.2, 0.3, 2),
    ],
)
def test_check_has_enough_decimals_to_distinguish_its_values(
    value: float | None, threshold: float, places: int
) -> None:
    assert places_of(Check("top", value, "≥", threshold, None, None, "", "")) == places


@pytest.mark.parametrize(
    ("state", "last", "role"),
    [
        (State.FAILED, False, "bad"),
        (State.FAILED, True, "bad"),
        (State.MISSED, True, "bad"),
        (State.TAKEN, False, "bad"),
        (State.TAKEN, None, "bad"),
        (State.TAKEN, True, "muted"),
        (State.PASSED, False, "muted"),
        (State.SKIPPED, True, "muted"),
        (State.NOT_REACHED, True, "muted"),
    ],
)
def test_cross_marks_only_a_check_that_decided_against_the_step(state: State, last: bool | None, role: str) -> None:
    failed = Check("top", 0.5, "≥", 0.85, False, -0.35, "", "")
    step = Step("direct", 2, "direct", state, (failed, Check("gap", 0.3, "≥", 0.08, last, 0.22, "", "")), "")
    glyphs = for_terminal("off")
    sign = glyphs.cross if role == "bad" else glyphs.state["not_reached"]
    assert (f"{sign} ", role) in check_line(failed, step, 80, glyphs).spans
