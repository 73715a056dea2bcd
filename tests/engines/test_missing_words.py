"""No answer claims that no note contains a word if a note contains it, in any engine and script."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brvtui.engines import registry, sentence
from brvtui.engines.contract import Context, Query
from brvtui.engines.no_result import missing_words as looked_up
from brvtui.engines.registry import verdict_sentence
from brvtui.paint.sentence import plain
from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import fold, typed_word
from brvtui.trace import MissingWord, Trace, Whereabouts
from tests.support.spaces import SPACE_ID, small_space
from tests.support.trees import NOW_MS, Tree

ENGINES = ("byterover", "jeffs_brain", "soleri", "knowing", "baseline")
V4 = "byterover_v4"
_CLAIM = re.compile(r"no (?:note|entry|topic) contains ((?:‘[^’]*’(?: \(searched as ‘[^’]*’\))?(?:, | or )?)+)")


def asked(snapshot: Snapshot, text: str, engine: str, **options: object) -> Trace:
    loaded = registry.load(engine)
    return loaded.answer(Context(snapshot, loaded.constants(), NOW_MS), Query(text, options=options))


def written(folder: Path, texts: list[str], engine: str) -> Snapshot:
    """A snapshot of a tree of notes with ``texts``, or of a space of topics for V4."""
    if engine != V4:
        tree = Tree(folder)
        for number, text in enumerate(texts):
            tree.note(f"a/b/{number}.md", "Title", text)
        return tree.snapshot()
    topics = {f"a/{number}": f'<bv-topic title="Title"><p>{text}</p></bv-topic>' for number, text in enumerate(texts)}
    small_space(folder, NOW_MS, topics)
    session = Session.open(folder / "data/projects" / SPACE_ID / "context-tree", now_ms=NOW_MS, engine=V4)
    session.load()
    return session.snapshot


def missing_words(snapshot: Snapshot, query: str, words: list[str]) -> tuple[MissingWord, ...]:
    """The occurrences of ``words`` in notes, without trying remedies."""
    return looked_up(snapshot, query, words, lambda _: ())


def denied(trace: Trace) -> list[str]:
    """The words that no note contains according to the sentence of ``trace``."""
    return [
        word
        for claim in _CLAIM.findall(verdict_sentence(trace))
        for word in re.findall(r"‘([^’]*)’", re.sub(r"\(searched as ‘[^’]*’\)", "", claim))
    ]


def plainly(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("text", "query", "where"),
    [
        ("客户可以在三十天之内申请退款，逾期系统自动拒绝。", "申请退款", Whereabouts.INSIDE),
        ("リフレッシュトークンは七日ごとに更新されます。", "トークン", Whereabouts.INSIDE),
        ("사용자는환불요청을할수있습니다", "환불요청", Whereabouts.INSIDE),
        ("ลูกค้าสามารถขอคืนเงินได้", "คืนเงิน", Whereabouts.INSIDE),
        ("Zielgerichtete Rückerstattungsanfrage", "erstattungsanfrage", Whereabouts.INSIDE),
        ("the call to parseHTMLParserTree", "htmlparser", Whereabouts.INSIDE),
    ],
)
def test_word_inside_a_run_of_characters_is_located(
    tree: Tree, engine: str, text: str, query: str, where: Whereabouts
) -> None:
    tree.note("a/b/c.md", "Title", text)
    trace = asked(tree.snapshot(), query, engine)
    if trace.hits:
        return
    (found,) = trace.missing
    assert (found.where, found.notes, found.file) == (where, 1, "a/b/c.md")
    said = verdict_sentence(trace)
    assert denied(trace) == []
    assert "1 note contains" in said.replace("entry", "note")
    assert found.run in said or not found.helps


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (unicodedata.normalize("NFD", "chính sách hoàn tiền"), "hoàn"),
        (unicodedata.normalize("NFD", "chính sách hoàn tiền"), "tiền"),
        ("ＲＥＦＵＮＤ window", "refund"),
        ("die Straße", "STRASSE"),
        ("İSTANBUL", "istanbul"),
        ("ısparta", "Isparta"),
        ("co\u00adop\u200berate", "cooperate"),
    ],
)
def test_another_spelling_is_named(tree: Tree, text: str, query: str) -> None:
    tree.note("a/b/c.md", "Title", text)
    (found,) = missing_words(tree.snapshot(), query, [query.lower()])
    assert (found.where, found.notes) == (Whereabouts.SPELLING, 1)
    assert fold(found.run) == fold(query)


_UNSEEN = (
    "\xad\u034f\u061c\u115f\u17b4\u180e\u200b\u200d\u202e\u2060\u2064"
    "\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\U000e0061\U000e0100"
)


@pytest.mark.parametrize("engine", [*ENGINES, V4])
@pytest.mark.parametrize(
    ("written_as", "query"),
    [
        *((f"star{unseen}text", "startext") for unseen in _UNSEEN),
        ("xlebil\u034fehimi", "lebilehimi"),
        ("مُحَمَّد", "محمد"), ("שָׁלוֹם", "שלום"),
        ("z" + "\u0301\u0323" * 20 + "algo", "zalgo"), ("ระบบฐานข้อมูล", "ระบบ"), ("don’t", "don't"),
        ("q" * 130 + "zyzzyva", "zyzzyva"),
    ],
)  # fmt: skip
def test_suggested_spellings_find_the_note(tmp_path: Path, engine: str, written_as: str, query: str) -> None:
    snapshot = written(tmp_path, [f"some {written_as} here", "other words"], engine)
    trace = asked(snapshot, query, engine)
    said = verdict_sentence(trace)
    assert denied(trace) == []
    assert "\ufe0f" not in said
    assert (": search for" in said) <= any(one.helps for one in trace.missing)
    for one in trace.missing:
        assert not one.helps or asked(snapshot, one.run, engine).hits


def test_letters_with_different_marks_stay_different() -> None:
    assert len({fold(word) for word in ("ที", "ที่", "कि", "की", "か", "が")}) == 6


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        (unicodedata.normalize("NFD", "la señal café"), "señal", "written with decomposed characters"),
        (unicodedata.normalize("NFD", "la señal café"), "CAFÉ", "written with decomposed characters"),
        (unicodedata.normalize("NFD", "chính sách hoàn tiền"), "tiền", "written with decomposed characters"),
        ("la señal café", unicodedata.normalize("NFD", "señal"), "written with composed characters"),
        ("Ünïcödé window", unicodedata.normalize("NFD", "Ünïcödé"), "written with composed characters"),
        (unicodedata.normalize("NFD", "한국어 문서"), "한국어", "written with decomposed characters"),
        ("co\u00adop\u200berate", "cooperate", "with invisible characters in it"),
        ("ＲＥＦＵＮＤ window", "refund", "in another spelling"),
        ("die Straße", "STRASSE", "in another spelling"),
    ],
)
def test_look_alike_spellings_are_explained(tree: Tree, text: str, query: str, expected: str) -> None:
    tree.note("a/b/c.md", "Title", text)
    missing = missing_words(tree.snapshot(), query, [query.lower()])
    trace = replace(asked(tree.snapshot(), "zyzzyva", "byterover"), missing=missing)
    said = plain(tuple(sentence.missing_words(trace, "ByteRover")))
    assert said.startswith(f"1 note contains ‘{query}’ only {expected}")


@pytest.mark.parametrize(
    ("text", "query", "where"),
    [
        ("first\n" * 2_100 + "zyzzyva", "zyzzyva", Whereabouts.UNREAD),
        ("x " * 1_100 + "zyzzyva", "zyzzyva", Whereabouts.UNREAD),
        ("see https://example.org/a-b_c?d=1 there", "https://example.org/a-b_c?d=1", Whereabouts.WHOLE),
        ("a well-known thing", "well-known", Whereabouts.WHOLE),
        ("call snake_case_name here", "snake_case", Whereabouts.WHOLE),
        ("nothing here", "zyzzyva", Whereabouts.NOWHERE),
        ("well and known", "well-known", Whereabouts.NOWHERE),
    ],
)
def test_word_in_an_unsearched_place_is_located(tree: Tree, text: str, query: str, where: Whereabouts) -> None:
    tree.note("a/b/c.md", "Title", text)
    assert [one.where for one in missing_words(tree.snapshot(), query, [query])] == [where]


def test_large_tree_leaves_a_missing_word_undecided(tree: Tree) -> None:
    for number in range(3):
        tree.note(f"a/b/{number}.md", "Title", "word\n" * 200_000)
    (found,) = missing_words(tree.snapshot(), "zyzzyva", ["zyzzyva"])
    assert found.where is Whereabouts.UNKNOWN
    assert "no note matches ‘zyzzyva’" in verdict_sentence(asked(tree.snapshot(), "zyzzyva", "byterover"))


@pytest.mark.parametrize("count", [1, 32, 33, 5_000])
def test_at_most_32_words_are_looked_up(tree: Tree, count: int) -> None:
    tree.note("a/b/c.md", "Title", "nothing here")
    words = [f"zyzzyva{number}" for number in range(count)]
    found = missing_words(tree.snapshot(), " ".join(words), [*words, *words])
    assert [one.word for one in found] == words[:32]


def test_stacked_marks_are_folded_in_linear_time() -> None:
    assert len(fold("\u05b0\u05bc" * 500_000)) <= 30
    assert fold("a" + "\u0301\u0323" * 500_000) == "a"


@pytest.mark.parametrize(
    ("term", "query", "typed"),
    [
        ("caf", "a café?", "café"), ("foobar", "foo-bar", "foo-bar"), ("well", "well-known", "well"),
        ("naïve", "NAÏVE!", "NAÏVE"), ("other", "some words", ""), ("退款", "“退款”", "退款"),
    ],
)  # fmt: skip
def test_term_is_traced_to_the_typed_word(term: str, query: str, typed: str) -> None:
    assert typed_word(term, query) == typed


class TestFilters:
    @pytest.mark.parametrize(("name", "value"), [("domain", "nosuch"), ("type", "playbook"), ("severity", "critical")])
    def test_filter_that_excludes_every_note_is_named(self, tree: Tree, name: str, value: str) -> None:
        for number in range(12):
            tree.note(f"auth/b/{number}.md", f"Title {number}", "rotate the jwt")
        trace = asked(tree.snapshot(), "jwt", "soleri", **{name: value})
        assert (trace.filtered_out, trace.filters) == (12, f"{name} {value}")
        expected = f"Not found: 12 entries match, but the filter {name} {value} removes all of them."
        assert verdict_sentence(trace) == expected

    def test_filter_is_not_blamed_if_no_note_matches(self, tree: Tree) -> None:
        tree.note("auth/b/c.md", "Title", "text")
        trace = asked(tree.snapshot(), "jwt", "soleri", domain="nosuch")
        assert verdict_sentence(trace) == "Not found: no entry contains ‘jwt’."

    @pytest.mark.parametrize(("name", "value"), [("candidate_k", 0), ("top_k", 0)])
    def test_limit_of_zero_is_named_as_the_cause(self, tree: Tree, name: str, value: int) -> None:
        tree.note("auth/b/c.md", "Title", "rotate the jwt")
        trace = asked(tree.snapshot(), "jwt", "jeffs_brain", **{name: value})
        assert verdict_sentence(trace) == f"Not found: {name} = {value} allows no note in the answer."

    def test_exhausted_budget_is_named_as_the_cause(self, tree: Tree) -> None:
        for number in range(30):
            tree.note(f"auth/b/{number}.md", f"Title {number}", "rotate the jwt")
        trace = asked(tree.snapshot(), "jwt", "soleri", max_tokens=1)
        if not trace.hits:
            assert "a budget of 1 tokens allows none of 30 entries" in verdict_sentence(trace)

    def test_operators_are_not_named_as_missing_words(self, tree: Tree) -> None:
        tree.note("a/b/c.md", "One", "jwt")
        tree.note("a/b/d.md", "Two", "gateway")
        trace = asked(tree.snapshot(), "jwt AND gateway AND zyzzyva", "jeffs_brain", skip_retry_ladder=True)
        assert denied(trace) == ["zyzzyva"]


_LETTERS = "ab退款申请トークン환불ขคืนเéßİ"
_WORDS = st.text(_LETTERS + "-_'", min_size=1, max_size=6)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=6).flatmap(
    lambda words: st.lists(st.sampled_from([" ", "", "，", "/"]), min_size=len(words), max_size=len(words)).map(
        lambda joints: "".join(word + joint for word, joint in zip(words, joints, strict=True))
    )
)


@pytest.mark.parametrize("engine", [*ENGINES, V4])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(_TEXTS, min_size=1, max_size=3), composed=st.booleans(), words=st.lists(_WORDS, max_size=4))
def test_every_word_reported_missing_is_missing(
    engine: str, tmp_path_factory: pytest.TempPathFactory, texts: list[str], composed: bool, words: list[str]
) -> None:
    folder = Path(tmp_path_factory.mktemp("tree"))
    raw = [unicodedata.normalize("NFC" if composed else "NFD", text) for text in texts]
    query = " ".join([*words, texts[0][1:4]])
    for word in denied(asked(written(folder, raw, engine), query, engine)):
        assert all(plainly(word) not in plainly(text) for text in raw), (word, raw)


@pytest.mark.parametrize("query", ["申请退款", "トークン", "환불요청", "คืนเงิน", "hoàn"])
def test_v4_never_reports_a_word_in_a_topic_as_missing(tmp_path: Path, query: str) -> None:
    texts = [f"x{query}x", unicodedata.normalize("NFD", f"{query} y")]
    trace = asked(written(tmp_path, texts, V4), query, V4)
    assert denied(trace) == []
    if not trace.hits:
        assert re.search("contains? ‘", verdict_sentence(trace))


def test_v4_reports_a_word_that_is_in_no_topic_as_missing(tmp_path: Path) -> None:
    trace = asked(written(tmp_path, ["some text"], V4), "zyzzyva", V4)
    assert denied(trace) == ["zyzzyva"]


@pytest.mark.parametrize("engine", ENGINES)
def test_word_in_an_unread_file_is_not_reported_missing(tree: Tree, engine: str) -> None:
    tree.note("a/b/c.md", "A note", "Some text.")
    (tree.tree / "a/b/latin.md").write_bytes("# Latin\nwörd\0 zyzzyva\n".encode("utf-16"))
    trace = asked(tree.snapshot(), "zyzzyva", engine)
    assert [one.where for one in trace.missing] == [Whereabouts.UNKNOWN]
    assert denied(trace) == []


def test_word_in_code_outside_symbols_is_not_reported_missing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def alpha(x):\n    # inlinecomment\n    return betacall(x)\n")
    session = Session.open(repository=tmp_path, now_ms=NOW_MS)
    session.load()
    for word in ("inlinecomment", "betacall"):
        trace = session.preview(word)
        assert "contains" not in verdict_sentence(trace)


def test_overly_costly_topics_are_not_reported_missing(tmp_path: Path) -> None:
    written(tmp_path, ["<nobr><a><b>fact" * 3_000], V4)
    session = Session.open(tmp_path / "data/projects" / SPACE_ID / "context-tree", now_ms=NOW_MS, engine=V4)
    session.load()
    trace = session.preview("fact")
    assert not session.snapshot.notes
    assert "there are no topics" not in verdict_sentence(trace)


def test_topic_without_a_score_is_not_reported_as_unrelated(tmp_path: Path) -> None:
    written(tmp_path, ["plainword"], V4)
    signals = tmp_path / "data/projects" / SPACE_ID / "state/signals/a/0.html.json"
    signals.parent.mkdir(parents=True, exist_ok=True)
    signals.write_text('{"importance": "x"}')
    session = Session.open(tmp_path / "data/projects" / SPACE_ID / "context-tree", now_ms=NOW_MS, engine=V4)
    session.load()
    trace = session.preview("plainword")
    assert len(trace.hits) == 1
    assert "about your words" not in verdict_sentence(trace)


@pytest.mark.parametrize("engine", ENGINES)
def test_unread_file_is_not_reported_missing(tree: Tree, engine: str) -> None:
    tree.note("a/b/c.md", "A note", "Some text.")
    (tree.tree / "a/b/latin.md").write_bytes(b"# Latin\n\0 zyzzyva\n")
    explanation = tree.session().explainer.explain("zyzzyva", "a/b/latin.md", engine=engine)
    assert "not read" in explanation.numbers or "read" in explanation.reason.text
    assert "add the note" not in explanation.remedy.text
