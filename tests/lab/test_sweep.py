"""Sweeps and variants, against computing the same another way."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from brvtui.engines import registry
from brvtui.engines.contract import EngineError, Query
from brvtui.lab.evaluation.results import DEFAULT_METRICS, parse_metric
from brvtui.lab.judgments.file import judgment_of, with_grade, with_query
from brvtui.lab.judgments.model import JudgedDocument, Judgment, outcome_of
from brvtui.lab.whatif.sweep import SweepError, crossing_between, crossings_between, parse_axis
from brvtui.lab.whatif.variant import (
    Control,
    EditedText,
    SignalChange,
    Variant,
    VariantError,
    clock_control,
    constant_controls,
    parse_variant,
    step_of,
    value_in,
    with_value,
)
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import ASCII
from brvtui.report.sweep import sweep_as_plain, sweep_blocks, sweep_svg
from brvtui.session import Session
from brvtui.session.evaluating import EvaluationPlan, assess, swept, swept_over
from brvtui.session.variants import with_constants
from brvtui.trace import Check, Trace
from tests.app.garden import plant
from tests.support.trees import BRV3, DAY_MS, NOW_MS, Tree

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
    made = Session.open(tree.root, now_ms=NOW_MS, signals_file=signals if signals.exists() else None)
    made.load()
    return made


def outcome(session: Session, name: str, value: float, judgment: Judgment) -> str:
    variant = Variant(days=value) if name == "days" else Variant(constants=((name, value),))
    return outcome_of(session.variants.state(variant).trace(judgment))


def test_an_axis_is_what_is_written() -> None:
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
def test_a_wrong_axis_is_said_in_a_line(text: str) -> None:
    with pytest.raises(SweepError) as caught:
        parse_axis(text, [FLOAT, CHOICE], 1)
    assert text.partition("=")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_else_is_replaced_is_said(session: Session) -> None:
    base = Variant(days=2.0, constants=(("direct.min_top", 0.5), ("score.recency", 0.1)))
    axis = parse_axis("direct.min_top=0.5:1:3", session.variants.controls("byterover"), 1)
    made = swept_over(session, [axis], QUERIES, METRIC, base, "byterover", {}, lambda done, of: None)
    said = "as of 2026-11-22T12:00:00.000Z, with score.recency=0.1 +2d"
    assert f" {said}" in [each.plain for each in lines_of(sweep_blocks(made, 80, ASCII), 80, ASCII)]
    assert said in sweep_svg(made)
    plain = sweep_as_plain(made)
    assert (plain["clock"], plain["others"]) == ("2026-11-22T12:00:00.000Z", "score.recency=0.1 +2d")
    results = [session.variants.state(base).ask(each) for each in QUERIES]
    assert plain["measured"] == sum(each.value(METRIC) is not None for each in results)


@pytest.mark.long
def test_means_and_outcomes_are_those_of_asking_there(session: Session) -> None:
    made = swept(session, ["score.relevance=0.2:0.8:4"], QUERIES, METRIC, {})
    for point in made.points:
        state = session.variants.state(Variant(constants=(("score.relevance", point.values[0]),)))
        results = [state.ask(each) for each in QUERIES]
        values = [value for each in results if (value := each.value(METRIC)) is not None]
        assert point.mean == pytest.approx(sum(values) / len(values))
        assert point.outcomes == tuple(each.outcome for each in results)


LINEAR = ("direct.min_top", "direct.sure_top", "direct.min_gap", "direct.prefetch", "score.relevance", "score.recency")
OTHERS = ("text.k", "days")


@pytest.mark.long
@pytest.mark.parametrize("name", [*LINEAR, *OTHERS])
def test_crossings_are_where_bisection_finds_them(session: Session, name: str) -> None:
    ends = {"days": (0.0, 200.0), "text.k": (0.1, 5.0)}.get(name, (0.01, 1.0))
    made = swept(session, [f"{name}={ends[0]}:{ends[1]}:5"], QUERIES, METRIC, {})
    changes = sum(one != two for row in zip(*(point.outcomes for point in made.points), strict=True)
                  for one, two in itertools.pairwise(row))  # fmt: skip
    assert len(made.crossings) >= changes
    for query in {crossing.query for crossing in made.crossings}:
        chain = sorted((each for each in made.crossings if each.query == query), key=lambda each: float(each.at))
        assert all(one.after == two.before for one, two in itertools.pairwise(chain))
    values = made.axes[0].values
    by_id = {each.id: each for each in QUERIES}
    for crossing in made.crossings:
        assert isinstance(crossing.at, float)
        low, high = next(pair for pair in itertools.pairwise(values) if pair[0] <= crossing.at <= pair[1])
        judgment = by_id[crossing.query]
        low, high = max(low, crossing.at - 1e-4), min(high, crossing.at + 1e-4)  # one crossing within
        for _ in range(18):
            middle = (low + high) / 2
            if outcome(session, name, middle, judgment) == crossing.before:
                low = middle
            else:
                high = middle
        assert crossing.at == pytest.approx(high, abs=3e-9 * max(1.0, high))
    if name in LINEAR:
        assert all(crossing.is_solved for crossing in made.crossings)


def test_something_is_crossed(session: Session) -> None:
    made = [swept(session, [f"{name}=0.01:1:5"], QUERIES, METRIC, {}).crossings for name in LINEAR[-2:]]
    assert sum(map(len, made)) >= 4


@dataclass(frozen=True)
class _Step:
    name: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class _Scale:
    decimals: int = 2


@dataclass(frozen=True)
class _Trace:
    """As much of a trace as crossings are found with: one comparison of a function with a threshold."""

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
def test_a_straight_line_is_solved_at_once(root: float, slope: float) -> None:
    asked: list[float] = []

    def at(value: Any) -> Trace:
        asked.append(value)
        return _trace(slope * (value - root))  # type: ignore[no-any-return]

    made = crossing_between("q", 0.0, 1.0, at)
    assert made.is_solved
    assert made.at == pytest.approx(root, abs=1e-9)
    assert len(asked) == 4


@settings(max_examples=100)
@given(st.floats(0.05, 0.95))
def test_a_bent_curve_is_bisected(root: float) -> None:
    made = crossing_between("q", 0.0, 1.0, lambda value: _trace(float(value) ** 3 - root**3))
    assert made.at == pytest.approx(root, abs=2e-9)


@settings(max_examples=100)
@given(st.lists(st.floats(0.01, 0.99), min_size=2, max_size=4, unique=True), st.booleans())
def test_every_change_on_the_way_is_found(roots: list[float], is_whole: bool) -> None:
    """Outcomes 0, 1, 2 … in steps: each is met once, however far apart the two values are that were asked."""
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


def test_whole_numbers_and_choices() -> None:
    made = crossing_between("q", 0, 100, lambda value: _trace(float(value) - 41.5))
    assert (made.at, made.before, made.after, made.is_solved) == (42, "tier 3", "tier 2", False)
    made = crossing_between("q", "a", "b", lambda value: _trace(1.0 if value == "b" else -1.0))
    assert made.at == "b"


def test_every_form_of_a_report(session: Session) -> None:
    one = swept(session, ["score.relevance=0.01:1:5"], QUERIES, METRIC, {})
    two = swept(session, ["score.relevance=0.2:0.6:3", "score.recency=0:0.6:4"], QUERIES, METRIC, {})
    nothing = swept(session, ["text.relevance"], QUERIES[-1:], METRIC, {})
    signal = swept(session, ["auth/jwt/refresh_rotation.md:importance=0:100:3"], QUERIES, METRIC, {})
    assert len(two.points) == 12
    assert two.crossings == ()
    for made in (one, two, nothing, signal):
        lines = lines_of(sweep_blocks(made, 80, ASCII), 80, ASCII)
        assert max(each.width for each in lines) <= 80
        svg = ElementTree.fromstring(sweep_svg(made))
        drawn = [each.tag.rpartition("}")[2] for each in svg.iter()]
        if len(made.axes) == 2:
            assert drawn.count("rect") == len(made.points) + 1
            now = tuple(axis.control.base for axis in made.axes)
            assert drawn.count("path") == sum(point.values == now for point in made.points) == 1
        else:
            assert drawn.count("circle") == sum(point.mean is not None for point in made.points)
        plain = sweep_as_plain(made)
        assert len(plain["points"]) == len(made.points)
        assert [each["query"] for each in plain["crossings"]] == [each.query for each in made.crossings]
    with pytest.raises(SweepError, match="named twice"):
        swept(session, ["score.cap", "score.cap"], QUERIES, METRIC, {})
    with pytest.raises(SweepError, match="one or two"):
        swept(session, ["score.cap"] * 3, QUERIES, METRIC, {})


PROFILES = {"byterover": ("brv-3", "docs", "combined"), "soleri": ("soleri", "soleri-code")}
TOKENS = "auth/tokens.md"
OTHER = "auth/other.md"
QUERY = Judgment("q", "token rotation")


@pytest.fixture
def garden(tree: Tree) -> Tree:
    tree.note(TOKENS, "Token rotation", "A token is rotated after each use. " * 4, days=20)
    tree.note(OTHER, "Signing keys", "Keys sign a token; rotation is weekly. " * 3, days=2)
    for number in range(6):
        tree.note(f"misc/note_{number}.md", f"Note {number}", f"Words about number {number}.", days=5 + number)
    return tree


def opened(tree: Tree, now_ms: float = NOW_MS) -> Session:
    return tree.session(now_ms=now_ms)


def answer(session: Session, variant: Variant, judgment: Judgment = QUERY) -> dict[str, float]:
    result = session.variants.result(session.variants.state(variant), judgment)
    return {item.path: item.score for item in result.results}


def probed(session: Session, query: str = QUERY.text) -> dict[str, float]:
    return {hit.file: hit.score for hit in session.probe(query).hits}


paths = st.text("abc/ '\"é_", min_size=1, max_size=12).map(lambda text: f"{text}.md")
variants = st.builds(
    Variant,
    engine=st.sampled_from(["", "soleri"]),
    mode=st.sampled_from(["", "bm25"]),
    constants=st.dictionaries(
        st.sampled_from(["direct.min_top", "score.cap", "search.limit"]),
        st.one_of(st.booleans(), st.integers(0, 99), st.floats(0, 99).filter(lambda one: one > 1e-5)),
    ).map(lambda made: tuple(sorted(made.items()))),
    days=st.integers(-900, 900).map(float),
    revision=st.sampled_from(["", "HEAD", "main~2"]),
) | st.builds(
    Variant,
    without=st.sets(paths).map(lambda made: tuple(sorted(made))),
    signals=st.lists(st.builds(SignalChange, paths, st.just("importance"), st.integers(0, 100))).map(tuple),
)


@given(variants)
def test_what_is_written_is_read_back(variant: Variant) -> None:
    assert parse_variant(str(variant), PROFILES, "byterover") == variant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing is named"),
        ("solery", "soleri"),
        ("soleri docs", "soleri has no profile docs"),
        ("a.md:size=3", "no signal size"),
        ("a.md:importance=300", "between 0 and 100"),
        ("a.md:maturity=ripe", "draft, validated, core"),
        ("rev:main without:a.md", "leave out"),
        ("'open", "quotation"),
    ],
)
def test_what_cannot_be_is_said(text: str, said: str) -> None:
    with pytest.raises(VariantError) as caught:
        parse_variant(text, PROFILES, "byterover")
    assert said in str(caught.value)


def test_an_engine_and_its_profile_of_the_same_name_are_named_once() -> None:
    with pytest.raises(VariantError, match=r"known: byterover_v4$"):
        parse_variant("soleri", {"byterover_v4": ("byterover_v4",)}, "byterover_v4")


def test_a_profile_names_its_engine() -> None:
    assert parse_variant("soleri-code", PROFILES, "byterover") == Variant("soleri", "soleri-code")
    assert parse_variant("docs +2w", PROFILES, "byterover") == Variant(profile="docs", days=14)


def test_the_present_is_what_a_probe_gives(garden: Tree) -> None:
    session = opened(garden)
    assert answer(session, Variant()) == pytest.approx(probed(session))


def test_the_cache_of_runs_is_not_asked(garden: Tree) -> None:
    session = opened(garden)
    tier = session.probe(QUERY.text).tier
    session.run(QUERY.text)
    assert session.probe(QUERY.text).tier == 0
    result = session.variants.result(session.variants.state(Variant()), QUERY)
    assert result.outcome == f"tier {tier}"
    assert result.results


def test_a_profile_and_constants(garden: Tree) -> None:
    session, other = opened(garden), opened(garden)
    other.use_profile("docs")
    other.load()
    assert answer(session, Variant("byterover", "docs")) == pytest.approx(probed(other))
    changed = Variant().with_constant("score.recency", 0.0)
    without_recency = answer(session, changed)
    assert without_recency != pytest.approx(probed(session))
    assert changed.with_constant("score.recency", None) == Variant()
    with pytest.raises(EngineError, match=r"score\.nothing"):
        session.variants.state(Variant().with_constant("score.nothing", 1))


def test_a_moment_is_a_session_at_that_moment(garden: Tree) -> None:
    session, then = opened(garden), opened(garden, NOW_MS + 30 * DAY_MS)
    assert answer(session, Variant(days=30)) == pytest.approx(probed(then))
    earlier = opened(garden, NOW_MS - DAY_MS)
    assert answer(session, Variant(days=-1)) == pytest.approx(probed(earlier))


def test_an_edit_is_as_after_saving_it(garden: Tree, tmp_path: Path) -> None:
    data = b"# Something else\n\nNothing of it is left.\n"
    copy = tmp_path / "copy"
    shutil.copytree(garden.root, copy)
    made = answer(opened(garden), Variant(edit=EditedText(TOKENS, data, keep_mtime=True)))
    saved = Tree.__new__(Tree)
    saved.root, saved.tree = copy, copy / ".brv" / "context-tree"
    saved.file(TOKENS, data, days=20)
    assert made == pytest.approx(probed(opened(saved)))


def test_notes_left_out_are_as_if_they_were_removed(garden: Tree) -> None:
    session = opened(garden)
    made = answer(session, Variant(without=(TOKENS,)))
    assert TOKENS in probed(session)
    (garden.tree / TOKENS).unlink()
    assert made == pytest.approx(probed(opened(garden)))


def test_signals_of_a_note(garden: Tree) -> None:
    session = opened(garden)
    low = answer(session, Variant(signals=(SignalChange(TOKENS, "importance", 0),)))
    high = answer(session, Variant(signals=(SignalChange(TOKENS, "importance", 100),)))
    assert low[TOKENS] < high[TOKENS]
    with pytest.raises(VariantError, match="no such note"):
        session.variants.state(Variant(without=("nowhere.md",)))


def test_each_query_is_asked_once(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(garden)
    state = session.variants.state(Variant(days=7))
    first = session.variants.result(state, QUERY)
    assert session.variants.state(Variant(days=7)) is state
    assert session.variants.result(state, QUERY) is first
    garden.note(TOKENS, "Token rotation", "Changed.", days=0)
    session.load()
    assert session.variants.state(Variant(days=7)) is not state


def test_grades_are_added_changed_and_taken_away() -> None:
    made = with_grade((), "tokens", "", JudgedDocument("a.md", 3), True)
    assert [(each.id, each.documents[0].grade) for each in made] == [("tokens", 3)]
    made = with_grade(made, "tokens", "", JudgedDocument("b.md", 1), True)
    made = with_grade(made, "tokens", "", JudgedDocument("a.md", 0), True)
    assert [(each.path, each.grade) for each in made[0].documents] == [("a.md", 0), ("b.md", 1)]
    made = with_grade(made, "tokens", "", JudgedDocument("a.md", 0), False)
    assert [each.path for each in made[0].documents] == ["b.md"]
    other = with_query(made, "tokens", "auth", "tier 2", ())
    assert [each.id for each in other] == ["tokens", "tokens-2"]
    assert with_query(other, "tokens", "auth", "covered", ()) is other
    assert judgment_of(other, "tokens", "auth") == other[1]
    assert with_grade((), "tokens", "", JudgedDocument("a.md", 0), False) == ()


def test_every_constant_has_a_control_and_comes_back() -> None:
    for name in ("byterover", "jeffs_brain", "soleri", "knowing", "byterover_v4"):
        constants = registry.load(name).constants()
        controls = constant_controls(constants)
        assert len({each.key for each in controls}) == len(controls) > 10
        for control in controls:
            assert value_in(Variant(), control) == control.base
            changed = with_value(Variant(), control, control.moved(control.base, 1))
            back = with_value(changed, control, control.base)
            assert back == Variant()
            if not control.choices:
                assert 0 <= control.share(control.base) <= 1
            if changed != Variant():
                made = with_constants(constants, changed.constants, "test")
                assert with_constants(made, ((control.name, control.base),), "test") == constants


@given(st.floats(1e-4, 1e6) | st.integers(1, 10**7), st.integers(-50, 50))
def test_a_slider_stays_in_its_range_and_on_its_steps(base: float, steps: int) -> None:
    made = Control("g", "g.x", base, 0.0, 2.0 * base, step_of(base))
    value = made.moved(base, steps)
    assert isinstance(value, type(base))
    assert 0 <= float(value) <= 2.0 * base
    assert isinstance(base, float) or value == int(value)


def test_controls_of_clock_and_note(garden: Tree) -> None:
    session = opened(garden)
    controls = {each.name: each for each in session.variants.note_controls(TOKENS)}
    made = with_value(Variant(), controls["importance"], 10.0)
    made = with_value(made, controls["left out"], True)
    made = with_value(made, clock_control(), 30.0)
    assert made == Variant(days=30, signals=(SignalChange(TOKENS, "importance", 10.0),), without=(TOKENS,))
    assert [value_in(made, each) for each in (controls["importance"], controls["left out"])] == [10.0, True]
    for control in (*controls.values(), clock_control()):
        made = with_value(made, control, control.base)
    assert made == Variant()
    assert session.variants.note_controls("nowhere.md") == ()


def test_a_profile_that_is_kept_has_the_same_constants(garden: Tree, tmp_path: Path) -> None:
    session = opened(garden)
    file = tmp_path / "mine.toml"
    changes = (("direct.min_top", 0.5), ("score.boost.draft", 0.1), ("text.relevance", "tantivy"))
    file.write_text(session.variants.profile_text(Variant(constants=changes), "byterover", "mine"))
    read = registry.load("byterover").constants(str(file))
    assert replace(read, name="", summary="") == replace(with_constants(BRV3, changes, "test"), name="", summary="")
    soleri = tmp_path / "own.toml"
    soleri.write_text(session.variants.profile_text(Variant(constants=(("limits.search", 3),)), "soleri", "own"))
    assert registry.load("soleri").constants(str(soleri)).limits.search == 3
    brain = tmp_path / "brain.toml"
    brain.write_text(session.variants.profile_text(Variant(constants=(("fusion.k", 3),)), "jeffs_brain", "brain"))
    assert registry.load("jeffs_brain").constants(str(brain)).fusion.k == 3


def test_answers_are_kept_for_another_time_and_for_eval(garden: Tree) -> None:
    first = opened(garden)
    for variant in (Variant(), Variant(days=30), Variant(constants=(("score.cap", 0.5),))):
        state = first.variants.state(variant)
        first.variants.result(state, QUERY)
        first.variants.keep(state)
    expected = [answer(first, variant) for variant in (Variant(), Variant(days=30))]

    def never(*_: object) -> None:
        raise AssertionError("asked again")

    second = opened(garden)
    for variant in (Variant(), Variant(days=30)):
        state = second.variants.state(variant)
        other = replace(QUERY, id="other", documents=(JudgedDocument(TOKENS, 2),))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(type(state.engine), "answer", never)
            result = second.variants.result(state, other)
        assert {item.path: item.score for item in result.results} == expected.pop(0)
        assert (result.id, result.grades) == ("other", {TOKENS: 2})
    plan = EvaluationPlan(DEFAULT_METRICS, Query(""))
    made = assess(opened(garden), [QUERY], plan, lambda done, of: None).evaluation
    assert made.kept == 1
    assert made.queries[0].results[0].parts
    tried = second.variants.state(Variant(constants=(("score.cap", 0.5),)))
    assert not tried.known
    garden.note(TOKENS, "Token rotation", "Changed.", days=0)
    assert not opened(garden).variants.state(Variant()).known
