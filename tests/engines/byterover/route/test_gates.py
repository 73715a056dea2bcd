"""Which tier answers: the gates over the scores as the results carry them."""

from __future__ import annotations

import pytest

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route.gates import gate_steps, prefetched
from brvtui.trace import Hit, Kind, Origin, Part, Step
from tests.support.trees import BRV3, changed


def hits(*scores: float) -> list[Hit]:
    return [
        Hit(
            f"x/{n}.md", f"x/{n}.md", f"T{n}", Kind.CONTEXT, Origin.TEXT, score, (Part("all", score),), None, None, None
        )
        for n, score in enumerate(scores)
    ]


def steps(*scores: float, profile: Profile = BRV3) -> tuple[Step, Step, Step]:
    """The three gates in their order, each asked as long as none before it took the query."""
    direct, single, loop = gate_steps(hits(*scores), profile, reached=True)
    return direct, single, loop


def tier(*scores: float, profile: Profile = BRV3) -> int | None:
    return next(step for step in steps(*scores, profile=profile) if step.took).tier


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.85,), 2),
        ((0.84,), 3),
        ((0.70,), 3),
        ((0.69,), 4),
        ((), 4),
        ((0.6999999999,), 4),
        ((0.85, 0.69), 2),
        ((0.93, 0.93), 2),
        ((0.92, 0.92), 3),
        ((1.0, 1.0), 2),
        ((0.84, 0.2), 3),
    ],
)
def test_tiers_by_score(scores: tuple[float, ...], expected: int) -> None:
    assert tier(*scores) == expected


@pytest.mark.parametrize("top", [0.85, 0.86, 0.87, 0.88, 0.89])
def test_a_shown_gap_of_008_fails_below_090(top: float) -> None:
    """In IEEE doubles the gap is 0.07999999999999996 there."""
    second = round(top - 0.08, 2)
    assert top - second < 0.08
    assert tier(top, second) == 3
    assert tier(top, round(second - 0.01, 2)) == 2


@pytest.mark.parametrize("top", [0.90, 0.91, 0.92])
def test_a_shown_gap_of_008_passes_from_090(top: float) -> None:
    second = round(top - 0.08, 2)
    assert top - second >= 0.08
    assert tier(top, second) == 2
    assert tier(top, round(second + 0.01, 2)) == 3


def checks(*scores: float) -> list[tuple[str, bool | None]]:
    return [(check.name, check.passed) for check in steps(*scores)[0].checks]


def test_what_was_not_reached_is_said() -> None:
    assert checks(0.8) == [("top score", False), ("sure top", None), ("lead over the next", None)]
    assert checks(0.9) == [("top score", True), ("notes to choose from", True)]
    assert checks(0.95, 0.94) == [("top score", True), ("sure top", True)]
    assert checks(0.9, 0.85) == [("top score", True), ("sure top", False), ("lead over the next", False)]


def test_margins() -> None:
    direct, single, _ = steps(0.84, 0.8)
    assert direct.checks[0].margin == pytest.approx(-0.01)
    assert direct.checks[0].constant == "direct.min_top"
    assert single.checks[0].margin == pytest.approx(0.14)
    assert steps()[1].checks[0].value is None


def test_exactly_one_step_takes_a_query() -> None:
    for scores in ((0.9,), (0.84, 0.8), (0.2,), ()):
        assert [step.took for step in steps(*scores)].count(True) == 1


def test_the_first_is_the_first_that_reaches_the_prefetch_threshold() -> None:
    """Results of entity searches are appended, so a better one may stand behind a worse one."""
    assert tier(0.6, 0.9) == 2
    assert tier(0.75, 0.95) == 3
    assert tier(0.86, 0.95) == 3


def test_only_five_are_taken() -> None:
    found = hits(0.8, 0.79, 0.78, 0.77, 0.76, 0.75, 0.74)
    assert len(prefetched(found, BRV3)) == 5
    step = gate_steps(found, BRV3, reached=True)[1]
    assert step.checks[0].note.startswith("7 ")
    assert step.summary == "5 of the 7 results that reach 0.7 are quoted"
    assert gate_steps(found[:5], BRV3, reached=True)[1].summary == "5 notes reach 0.7"


def test_thresholds_come_from_the_profile() -> None:
    lax = changed(BRV3, direct={"min_top": 0.5, "prefetch": 0.4, "min_gap": 0.0})
    assert tier(0.5, 0.5, profile=lax) == 2
    assert tier(0.39, profile=lax) == 4
