"""Variants: written and read back, and asked against computing the same another way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.contract import EngineError
from brvtui.lab.judgments.grading import judgment_of, with_grade, with_query
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.lab.whatif.variant import EditedText, SignalChange, Variant, VariantError, parse_variant
from brvtui.session import Session
from tests.support.trees import DAY_MS, NOW_MS, Tree

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
    session = Session.open(tree.root, now_ms=now_ms)
    session.load()
    return session


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
