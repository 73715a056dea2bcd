"""Sweeps and variants, compared with other ways of computing them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from brvtui.lab.evaluation.results import parse_metric
from brvtui.lab.judgments.model import JudgedDocument, Judgment, outcome_of
from brvtui.lab.whatif.sweep import Sweep, SweepError, crossing_between, crossings_between, parse_axis
from brvtui.lab.whatif.variant import (
    Control,
    Variant,
)
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import ASCII
from brvtui.report.sweep import sweep_as_plain, sweep_blocks, sweep_svg
from brvtui.session import Session
from brvtui.session.evaluating import parse_axes, swept_over
from brvtui.trace import Check, Trace
from tests.app.garden import plant
from tests.support.trees import NOW_MS

METRIC = parse_metric("ndcg@10")


FLOAT = Control("direct", "direct.min_top", 0.85, 0.0, 1.0, 0.01)


WHOLE = Control("search", "search.limit", 10, 1, 20, 1)


CHOICE = Control("text", "text.relevance", "minisearch", choices=("minisearch", "tantivy"))


QUERIES = tuple(
    Judgment(f"q{number}", text, documents=(JudgedDocument("auth/jwt/refresh_rotation.md", 3),))
    for number, text in enumerate(("refresh token rotation", "session expiry", "freeze window", "zebra"))
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    tree = plant(tmp_path_factory.mktemp("sweep") / "garden")
    signals = tree.root / "signals.json"
    result = Session.open(tree.root, now_ms=NOW_MS, signals_file=signals if signals.exists() else None)
    result.load()
    return result


def swept(session: Session, written: list[str], judgments: tuple[Judgment, ...]) -> Sweep:
    axes = parse_axes(session, written)
    return swept_over(session, axes, judgments, METRIC, Variant(), session.engine, {}, lambda done, of: None)


def outcome(session: Session, name: str, value: float, judgment: Judgment) -> str:
    variant = Variant(days=value) if name == "days" else Variant(constants=((name, value),))
    return outcome_of(session.variants.state(variant).trace(judgment))


def test_axis_is_parsed_from_text() -> None:
    assert parse_axis("direct.min_top=0.5:1:6", [FLOAT], 1).values == (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert len(parse_axis("direct.min_top", [FLOAT], 1).values) == 21
    assert len(parse_axis("direct.min_top=0.5:0.7", [FLOAT], 2).values) == 11
    assert parse_axis("search.limit=1:3:9", [WHOLE], 1).values == (1, 2, 3)
    assert parse_axis("text.relevance", [CHOICE], 1).values == ("minisearch", "tantivy")


@pytest.mark.parametrize(
    "text",
    ["direct.min_tops", "direct.min_top=1", "direct.min_top=1:0.5", "direct.min_top=-1:1", "direct.min_top=0:1:1",
     "direct.min_top=0:nan", "direct.min_top=0:1:999", "text.relevance=0:1", "direct.min_top=a:b"],
)  # fmt: skip
def test_invalid_axis_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SweepError) as caught:
        parse_axis(text, [FLOAT, CHOICE], 1)
    assert text.partition("=")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_constants_changed_in_the_variant_are_listed(session: Session) -> None:
    base = Variant(days=2.0, constants=(("direct.min_top", 0.5), ("score.recency", 0.1)))
    axis = parse_axis("direct.min_top=0.5:1:3", session.variants.controls("byterover"), 1)
    result = swept_over(session, [axis], QUERIES, METRIC, base, "byterover", {}, lambda done, of: None)
    said = "as of 2026-11-22T12:00:00.000Z, with score.recency=0.1 +2d"
    assert f" {said}" in [each.plain for each in lines_of(sweep_blocks(result, 80, ASCII), 80, ASCII)]
    assert said in sweep_svg(result)
    plain = sweep_as_plain(result)
    assert (plain["clock"], plain["others"]) == ("2026-11-22T12:00:00.000Z", "score.recency=0.1 +2d")
    results = [session.variants.state(base).ask(each) for each in QUERIES]
    assert plain["measured"] == sum(each.value(METRIC) is not None for each in results)


@pytest.mark.long
def test_means_and_outcomes_equal_direct_evaluation(session: Session) -> None:
    result = swept(session, ["score.relevance=0.2:0.8:4"], QUERIES)
    for point in result.points:
        state = session.variants.state(Variant(constants=(("score.relevance", point.values[0]),)))
        results = [state.ask(each) for each in QUERIES]
        values = [value for each in results if (value := each.value(METRIC)) is not None]
        assert point.mean == pytest.approx(sum(values) / len(values))
        assert point.outcomes == tuple(each.outcome for each in results)


LINEAR = ("direct.min_top", "direct.sure_top", "direct.min_gap", "direct.prefetch", "score.relevance", "score.recency")


OTHERS = ("text.k", "days")


@pytest.mark.long
@pytest.mark.parametrize("name", [*LINEAR, *OTHERS])
def test_crossings_equal_bisection(session: Session, name: str) -> None:
    ends = {"days": (0.0, 200.0), "text.k": (0.1, 5.0)}.get(name, (0.01, 1.0))
    result = swept(session, [f"{name}={ends[0]}:{ends[1]}:5"], QUERIES)
    changes = sum(one != two for row in zip(*(point.outcomes for point in result.points), strict=True)
                  for one, two in itertools.pairwise(row))  # fmt: skip
    assert len(result.crossings) >= changes
    for query in {crossing.query for crossing in result.crossings}:
        chain = sorted((each for each in result.crossings if each.query == query), key=lambda each: float(each.at))
        assert all(one.after == two.before for one, two in itertools.pairwise(chain))
    values = result.axes[0].values
    by_id = {each.id: each for each in QUERIES}
    for crossing in result.crossings:
        assert isinstance(crossing.at, float)
        low, high = next(pair for pair in itertools.pairwise(values) if pair[0] <= crossing.at <= pair[1])
        judgment = by_id[crossing.query]
        # a range that contains only one crossing
        low, high = max(low, crossing.at - 1e-4), min(high, crossing.at + 1e-4)
        for _ in range(18):
            middle = (low + high) / 2
            if outcome(session, name, middle, judgment) == crossing.before:
                low = middle
            else:
                high = middle
        assert crossing.at == pytest.approx(high, abs=3e-9 * max(1.0, high))
    if name in LINEAR:
        assert all(crossing.is_solved for crossing in result.crossings)


def test_tested_axes_have_crossings(session: Session) -> None:
    result = [swept(session, [f"{name}=0.01:1:5"], QUERIES).crossings for name in LINEAR[-2:]]
    assert sum(map(len, result)) >= 4


@dataclass(frozen=True)
class _Step:
    name: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class _Scale:
    decimals: int = 2


@dataclass(frozen=True)
class _Trace:
    """The part of a trace that crossings are computed from: the comparison of a function with a threshold."""

    value: float

    covered = True
    scale = _Scale()
    hits = ()

    @property
    def tier(self) -> int:
        return 2 if self.value >= 0.0 else 3

    @property
    def steps(self) -> tuple[_Step, ...]:
        passed = self.value >= 0
        return (_Step("gate", (Check("value", self.value, "≥", 0.0, passed, self.value, "", ""),)),)


def _trace(value: float) -> Any:
    return _Trace(value)


@settings(max_examples=200)
@given(st.floats(0.01, 0.99), st.sampled_from([-3.0, -0.5, 0.25, 7.0]))
def test_linear_crossing_is_solved_at_once(root: float, slope: float) -> None:
    asked: list[float] = []

    def at(value: Any) -> Trace:
        asked.append(value)
        return _trace(slope * (value - root))  # type: ignore[no-any-return]

    result = crossing_between("q", 0.0, 1.0, at)
    assert result.is_solved
    assert result.at == pytest.approx(root, abs=1e-9)
    assert len(asked) == 4


@settings(max_examples=100)
@given(st.floats(0.05, 0.95))
def test_crossing_on_a_curve_is_bisected(root: float) -> None:
    result = crossing_between("q", 0.0, 1.0, lambda value: _trace(float(value) ** 3 - root**3))
    assert result.at == pytest.approx(root, abs=2e-9)


@settings(max_examples=100)
@given(st.lists(st.floats(0.01, 0.99), min_size=2, max_size=4, unique=True), st.booleans())
def test_every_crossing_between_two_values_is_found(roots: list[float], is_whole: bool) -> None:
    """Each step of the outcomes 0, 1, 2 … is found once, however far apart the two queried values are."""
    ends = (0, 1000) if is_whole else (0.0, 1000.0)
    steps = sorted({round(1000 * root) for root in roots})
    assume(len(steps) > 1)

    def at(value: Any) -> Any:
        return SimpleNamespace(
            tier=sum(value >= step for step in steps), covered=True, steps=(), hits=(), scale=_Scale()
        )

    found = list(crossings_between("q", *ends, at))
    assert [one.before for one in found] == [f"tier {place}" for place in range(len(steps))]
    assert [float(one.at) for one in found] == pytest.approx(steps, abs=1e-6)


def test_crossings_of_integers_and_choices_are_found() -> None:
    result = crossing_between("q", 0, 100, lambda value: _trace(float(value) - 41.5))
    assert (result.at, result.before, result.after, result.is_solved) == (42, "tier 3", "tier 2", False)
    result = crossing_between("q", "a", "b", lambda value: _trace(1.0 if value == "b" else -1.0))
    assert result.at == "b"


def test_sweep_report_supports_every_format(session: Session) -> None:
    one = swept(session, ["score.relevance=0.01:1:5"], QUERIES)
    two = swept(session, ["score.relevance=0.2:0.6:3", "score.recency=0:0.6:4"], QUERIES)
    nothing = swept(session, ["text.relevance"], QUERIES[-1:])
    signal = swept(session, ["auth/jwt/refresh_rotation.md:importance=0:100:3"], QUERIES)
    assert len(two.points) == 12
    assert two.crossings == ()
    for result in (one, two, nothing, signal):
        lines = lines_of(sweep_blocks(result, 80, ASCII), 80, ASCII)
        assert max(each.width for each in lines) <= 80
        svg = ElementTree.fromstring(sweep_svg(result))
        drawn = [each.tag.rpartition("}")[2] for each in svg.iter()]
        if len(result.axes) == 2:
            assert drawn.count("rect") == len(result.points) + 1
            now = tuple(axis.control.base for axis in result.axes)
            assert drawn.count("path") == sum(point.values == now for point in result.points) == 1
        else:
            assert drawn.count("circle") == sum(point.mean is not None for point in result.points)
        plain = sweep_as_plain(result)
        assert len(plain["points"]) == len(result.points)
        assert [each["query"] for each in plain["crossings"]] == [each.query for each in result.crossings]
    with pytest.raises(SweepError, match="given twice"):
        swept(session, ["score.cap", "score.cap"], QUERIES)
    with pytest.raises(SweepError, match="one or two"):
        swept(session, ["score.cap"] * 3, QUERIES)
