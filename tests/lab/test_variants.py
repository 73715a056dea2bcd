"""Variants: written and read back, and compared with other ways of computing them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines import registry
from brvtui.engines.contract import EngineError, Query
from brvtui.lab.evaluation.results import DEFAULT_METRICS
from brvtui.lab.judgments.file import judgment_of, with_grade, with_query
from brvtui.lab.judgments.model import JudgedDocument, Judgment
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
from brvtui.session import Session
from brvtui.session.evaluating import EvaluationPlan, assess
from brvtui.session.variants import with_constants
from tests.app.garden import plant
from tests.support.trees import BRV3, DAY_MS, NOW_MS, Tree


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    tree = plant(tmp_path_factory.mktemp("sweep") / "garden")
    signals = tree.root / "signals.json"
    result = Session.open(tree.root, now_ms=NOW_MS, signals_file=signals if signals.exists() else None)
    result.load()
    return result


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


def scores_of(session: Session, query: str = QUERY.text) -> dict[str, float]:
    return {hit.file: hit.score for hit in session.preview(query).hits}


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
def test_written_variant_is_read_back(variant: Variant) -> None:
    assert parse_variant(str(variant), PROFILES, "byterover") == variant


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the variant is empty"),
        ("solery", "soleri"),
        ("soleri docs", "soleri has no profile docs"),
        ("a.md:size=3", "no signal size"),
        ("a.md:importance=300", "from 0 to 100"),
        ("a.md:maturity=ripe", "draft, validated, core"),
        ("rev:main without:a.md", "cannot be combined"),
        ("'open", "quotation"),
    ],
)
def test_impossible_variant_is_reported(text: str, message: str) -> None:
    with pytest.raises(VariantError) as caught:
        parse_variant(text, PROFILES, "byterover")
    assert message in str(caught.value)


def test_engine_and_profile_with_one_name_are_named_once() -> None:
    with pytest.raises(VariantError, match=r"known: byterover_v4$"):
        parse_variant("soleri", {"byterover_v4": ("byterover_v4",)}, "byterover_v4")


def test_profile_names_its_engine() -> None:
    assert parse_variant("soleri-code", PROFILES, "byterover") == Variant("soleri", "soleri-code")
    assert parse_variant("docs +2w", PROFILES, "byterover") == Variant(profile="docs", days=14)


def test_unchanged_variant_equals_a_preview(garden: Tree) -> None:
    session = opened(garden)
    assert answer(session, Variant()) == pytest.approx(scores_of(session))


def test_variants_ignore_the_cache_of_runs(garden: Tree) -> None:
    session = opened(garden)
    tier = session.preview(QUERY.text).tier
    session.run(QUERY.text)
    assert session.preview(QUERY.text).tier == 0
    result = session.variants.result(session.variants.state(Variant()), QUERY)
    assert result.outcome == f"tier {tier}"
    assert result.results


def test_variant_changes_profile_and_constants(garden: Tree) -> None:
    session, other = opened(garden), opened(garden)
    other.use_profile("docs")
    other.load()
    assert answer(session, Variant("byterover", "docs")) == pytest.approx(scores_of(other))
    changed = Variant().with_constant("score.recency", 0.0)
    without_recency = answer(session, changed)
    assert without_recency != pytest.approx(scores_of(session))
    assert changed.with_constant("score.recency", None) == Variant()
    with pytest.raises(EngineError, match=r"score\.nothing"):
        session.variants.state(Variant().with_constant("score.nothing", 1))


def test_variant_with_a_time_equals_a_session_at_that_time(garden: Tree) -> None:
    session, then = opened(garden), opened(garden, NOW_MS + 30 * DAY_MS)
    assert answer(session, Variant(days=30)) == pytest.approx(scores_of(then))
    earlier = opened(garden, NOW_MS - DAY_MS)
    assert answer(session, Variant(days=-1)) == pytest.approx(scores_of(earlier))


def test_variant_with_an_edit_equals_the_saved_edit(garden: Tree, tmp_path: Path) -> None:
    data = b"# Something else\n\nNothing of it is left.\n"
    copy = tmp_path / "copy"
    shutil.copytree(garden.root, copy)
    result = answer(opened(garden), Variant(edit=EditedText(TOKENS, data, keep_mtime=True)))
    saved = Tree.__new__(Tree)
    saved.root, saved.tree = copy, copy / ".brv" / "context-tree"
    saved.file(TOKENS, data, days=20)
    assert result == pytest.approx(scores_of(opened(saved)))


def test_variant_without_a_note_equals_removing_it(garden: Tree) -> None:
    session = opened(garden)
    result = answer(session, Variant(without=(TOKENS,)))
    assert TOKENS in scores_of(session)
    (garden.tree / TOKENS).unlink()
    assert result == pytest.approx(scores_of(opened(garden)))


def test_variant_changes_the_signals_of_a_note(garden: Tree) -> None:
    session = opened(garden)
    low = answer(session, Variant(signals=(SignalChange(TOKENS, "importance", 0),)))
    high = answer(session, Variant(signals=(SignalChange(TOKENS, "importance", 100),)))
    assert low[TOKENS] < high[TOKENS]
    with pytest.raises(VariantError, match="no such note"):
        session.variants.state(Variant(without=("nowhere.md",)))


def test_variant_runs_each_query_once(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(garden)
    state = session.variants.state(Variant(days=7))
    first = session.variants.result(state, QUERY)
    assert session.variants.state(Variant(days=7)) is state
    assert session.variants.result(state, QUERY) is first
    garden.note(TOKENS, "Token rotation", "Changed.", days=0)
    session.load()
    assert session.variants.state(Variant(days=7)) is not state


def test_grades_are_added_changed_and_removed() -> None:
    result = with_grade((), "tokens", "", JudgedDocument("a.md", 3), True)
    assert [(each.id, each.documents[0].grade) for each in result] == [("tokens", 3)]
    result = with_grade(result, "tokens", "", JudgedDocument("b.md", 1), True)
    result = with_grade(result, "tokens", "", JudgedDocument("a.md", 0), True)
    assert [(each.path, each.grade) for each in result[0].documents] == [("a.md", 0), ("b.md", 1)]
    result = with_grade(result, "tokens", "", JudgedDocument("a.md", 0), False)
    assert [each.path for each in result[0].documents] == ["b.md"]
    other = with_query(result, "tokens", "auth", "tier 2", ())
    assert [each.id for each in other] == ["tokens", "tokens-2"]
    assert with_query(other, "tokens", "auth", "covered", ()) is other
    assert judgment_of(other, "tokens", "auth") == other[1]
    assert with_grade((), "tokens", "", JudgedDocument("a.md", 0), False) == ()


def test_every_constant_has_a_control_and_can_be_reset() -> None:
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
                result = with_constants(constants, changed.constants, "test")
                assert with_constants(result, ((control.name, control.base),), "test") == constants


@given(st.floats(1e-4, 1e6) | st.integers(1, 10**7), st.integers(-50, 50))
def test_slider_stays_in_its_range_and_on_its_steps(base: float, steps: int) -> None:
    result = Control("g", "g.x", base, 0.0, 2.0 * base, step_of(base))
    value = result.moved(base, steps)
    assert isinstance(value, type(base))
    assert 0 <= float(value) <= 2.0 * base
    assert isinstance(base, float) or value == int(value)


def test_controls_change_clock_and_note(garden: Tree) -> None:
    session = opened(garden)
    controls = {each.name: each for each in session.variants.note_controls(TOKENS)}
    result = with_value(Variant(), controls["importance"], 10.0)
    result = with_value(result, controls["left out"], True)
    result = with_value(result, clock_control(), 30.0)
    assert result == Variant(days=30, signals=(SignalChange(TOKENS, "importance", 10.0),), without=(TOKENS,))
    assert [value_in(result, each) for each in (controls["importance"], controls["left out"])] == [10.0, True]
    for control in (*controls.values(), clock_control()):
        result = with_value(result, control, control.base)
    assert result == Variant()
    assert session.variants.note_controls("nowhere.md") == ()


def test_stored_profile_has_the_same_constants(garden: Tree, tmp_path: Path) -> None:
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


def test_variant_answers_are_stored_for_later_and_for_eval(garden: Tree) -> None:
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
    outcome = assess(opened(garden), [QUERY], plan, lambda done, of: None).evaluation
    assert outcome.kept == 1
    assert outcome.queries[0].results[0].parts
    tried = second.variants.state(Variant(constants=(("score.cap", 0.5),)))
    assert not tried.known
    garden.note(TOKENS, "Token rotation", "Changed.", days=0)
    assert not opened(garden).variants.state(Variant()).known
