"""Properties of V4's reading and ranking, its limits, and rows that are waiting to be sent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover_v4 import scripts
from brvtui.engines.byterover_v4.command_line import CommandLine
from brvtui.engines.byterover_v4.documents import documents_of
from brvtui.engines.byterover_v4.engine import ByteRoverV4
from brvtui.engines.byterover_v4.index import TopicIndex
from brvtui.engines.byterover_v4.migration import tree as migration
from brvtui.engines.byterover_v4.scripts import query_space, ranked_space
from brvtui.engines.contract import EngineError
from brvtui.session import Session
from brvtui.text import segment
from brvtui.tree.spaces import contents, topic_html
from brvtui.tree.spaces.contents import read_space
from brvtui.tree.spaces.locating import SpaceFolder
from brvtui.tree.spaces.topic_html import UnreadableTopic, parse_topic
from tests.support.spaces import V4, small_space
from tests.support.trees import NOW_MS, Tree

TAGS = st.sampled_from(
    ["bv-topic", "bv-fact", "bv-rule", "bv-reason", "p", "b", "table", "td", "template", "script", "svg", "img", "a"]
)


PIECES = st.one_of(
    st.builds("<{}>".format, TAGS),
    st.builds("</{}>".format, TAGS),
    st.builds('<{} id="bve-{}" title="refresh token">'.format, TAGS, st.from_regex(r"[a-z0-9]{8}", fullmatch=True)),
    st.text(max_size=12),
    st.sampled_from(["<!--", "-->", "<![CDATA[", "&amp", "&#0;", "\0", "<", ">", '"', " refresh ", "令牌"]),
)


MARKUP = st.lists(PIECES, max_size=30).map("".join)


WORDS = st.sampled_from(["refresh", "refreshing", "refersh", "token", "tokens", "deploy", "令牌轮换", "a+b", "the"])


TEXT = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


PATHS = st.sampled_from(["a.html", "b.html", "auth/a.html", "auth/b/c.html", ".dot/d.html"])


NOW = 1_763_640_000_000.0


@given(MARKUP)
def test_any_markup_becomes_an_indexable_topic(html: str) -> None:
    topic = parse_topic(html)
    found = documents_of("x.html", topic)
    assert found
    for document in found:
        assert document.lengths[-1] <= sum(document.terms[-1].values())
    TopicIndex(list({document.id: document for document in found}.values()))


@given(MARKUP, st.lists(st.from_regex(r"[a-z0-9]{3,4}", fullmatch=True) | st.sampled_from(["ref", "esh", "oken"])))
def test_document_words_come_from_the_whole_text(html: str, words: list[str]) -> None:
    index = TopicIndex(list({one.id: one for one in documents_of("x.html", parse_topic(html))}.values()))
    wanted = [any(word in document.haystack for word in words) for document in index.documents]
    assert index.containing(words).tolist() == wanted


def test_deep_or_wide_markup_is_parsed_or_refused_in_one_line() -> None:
    for html in ("<b>" * 1_000, "<table>" * 1_000, "<bv-fact>" * 1_000, "&" * 100_000, "<p " + "a=b " * 2_000):
        assert documents_of("x.html", parse_topic(html))
    for html in ("<b>" * 100_000, "<p " + "a=b " * 20_000):
        with pytest.raises(UnreadableTopic, match="too costly to parse"):
            parse_topic(html)
    with pytest.raises(UnreadableTopic, match="too costly to parse"):
        parse_topic("<bv-fact>xxxxxxxxxxxxxxxx" * 20_000)


@given(
    st.lists(st.tuples(PATHS, TEXT, st.integers(0, 90), st.booleans()), min_size=1, max_size=8),
    st.lists(st.tuples(PATHS, st.one_of(TEXT, st.none()), st.integers(0, 90), st.booleans()), max_size=5),
    TEXT,
)
def test_edited_space_equals_a_full_load(
    written: list[tuple[str, str, int, bool]], edits: list[tuple[str, str | None, int, bool]], query: str
) -> None:
    with TemporaryDirectory() as place:
        tree = Path(place) / "space" / "context-tree"
        tree.mkdir(parents=True)
        folder = SpaceFolder(tree, Path(place), "root")
        for path, text, age, has_id in written:
            _write(tree / path, text, age, has_id)
        contents = read_space(folder)
        space = ranked_space(contents)
        query_space(space, CommandLine((query,)), NOW, V4)
        for path, edit, age, has_id in edits:
            if edit is None:
                (tree / path).unlink(missing_ok=True)
            else:
                _write(tree / path, edit, age, has_id)
            contents = read_space(folder, {topic.path: topic for topic in contents.topics})
            space = ranked_space(contents, space)
        made, fresh = (
            query_space(one, CommandLine((query,)), NOW, V4).plain()
            for one in (space, ranked_space(read_space(folder)))
        )
        assert made == fresh


def _write(file: Path, text: str, age: int, has_id: bool) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    inner = f'<bv-fact id="bve-0000000{age % 10}">{text}</bv-fact>' if has_id else f"<p>{text}</p>"
    file.write_text(f'<bv-topic title="{text}">{inner}</bv-topic>', encoding="utf-8")
    moment = NOW / 1000 - age * 86_400
    os.utime(file, (moment, moment))


def loaded(folder: Path) -> Session:
    made = Session.open(folder, now_ms=NOW_MS)
    made.load()
    return made


def words(number: int) -> str:
    return " ".join(f"w{number}x{word}" for word in range(40))


@pytest.fixture
def wordy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    topics = {f"a/{number}": f'<bv-topic title="T {number}"><p>{words(number)}</p></bv-topic>' for number in range(6)}
    return small_space(tmp_path, NOW_MS, topics)


def test_topics_beyond_the_word_limits_are_named(wordy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment, "MOST_WORDS", 100)
    session = loaded(wordy)
    searched = [note.path for note in session.snapshot.notes]
    assert searched == ["a/0.html", "a/1.html", "a/2.html"]
    assert [file.path for file in session.snapshot.unseen] == ["a/3.html", "a/4.html", "a/5.html"]
    [notice] = session.preview("w0x1").notices
    assert notice.startswith("not read: a/3.html, and 2 more: ")
    assert session.snapshot.notices == (notice,)
    shown = session.snapshot
    assert not session.refresh()
    assert session.snapshot is shown


def test_space_beyond_the_limits_is_refused_and_its_topics_are_shown(
    wordy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "MOST_SPACE_ENTRIES", 100)
    session = loaded(wordy)
    with pytest.raises(EngineError, match="split the space"):
        session.preview("w0x1")
    page = session.about("a/5.html")
    assert page.aged is not None


def test_space_with_too_much_text_is_read_up_to_a_limit(wordy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_MOST_CHARS", 500)
    session = loaded(wordy)
    assert 0 < len(session.snapshot.notes) < 6
    assert any("exceed the size limit" in notice for notice in session.preview("w0x1").notices)


def test_topic_that_is_too_large_is_named_beside_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = loaded(small_space(tmp_path, NOW_MS, {"a": "<p>gate</p>", "huge": "gate " * 420_000}))
    trace = session.preview("gate")
    assert [hit.path for hit in trace.hits] == ["a.html"]
    assert trace.notices == ("not read: huge.html: cannot be read: larger than 2097152 bytes",)


def test_topic_whose_elements_share_long_attributes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = "".join(f"<bv-fact id=bve-{number:08}>x</bv-fact>" for number in range(20))
    html = f'<bv-topic summary="{"s " * 50}"><img alt="{"p " * 50}">{facts}</bv-topic>'
    assert len(topic_html.parse_topic(html).searched_elements) == 20
    monkeypatch.setattr(topic_html, "_MOST_REPEATED", 3_000)
    topic_html._topic_or_problem.cache_clear()
    with pytest.raises(topic_html.UnreadableTopic, match="too many elements"):
        topic_html.parse_topic(html)
    topic_html._topic_or_problem.cache_clear()


def test_migration_skips_notes_beyond_the_limits(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (0, 2, 3):
        tree.note(f"a/{number}.md", f"N {number}", words(number))
    tree.note("a/1.md", "N 1", " ".join(map(words, range(10, 20))))
    monkeypatch.setattr(migration, "MOST_WORDS", 150)
    made = migration.migrate_tree(tree.snapshot(), NOW_MS, "small", ByteRoverV4().constants())
    assert [note.note for note in made.notes] == ["a/0.md", "a/2.md", "a/3.md"]
    assert [(file.path, "words" in file.reason) for file in made.left] == [("a/1.md", True)]


MOMENT = 1_795_176_000_000.0


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    marked = small_space(tmp_path, MOMENT)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = Session.open(marked, now_ms=MOMENT)
    session.load()
    yield session
    session.close()


@pytest.mark.parametrize(("name", "limit"), [("MOST_SPACE_ENTRIES", 100), ("MOST_BYTES", 800)])
def test_notes_beyond_the_limits_of_a_space_are_not_read(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, name: str, limit: int
) -> None:
    for number in range(8):
        tree.note(f"n{number}.md", "Note", " ".join(f"w{number}x{word}" for word in range(30)))
    snapshot = tree.snapshot()
    read: list[str] = []
    original = migration.read_regular
    monkeypatch.setattr(migration, "read_regular", lambda path, most: read.append(path.name) or original(path, most))
    monkeypatch.setattr(migration, name, limit)
    result = migration.migrate_tree(snapshot, NOW_MS, "small", ByteRoverV4().constants())
    taken = [note.note for note in result.notes]
    assert 0 < len(taken) < 7
    assert read == [*taken, f"n{len(taken)}.md"]
    assert [file.path for file in result.left] == [f"n{number}.md" for number in range(len(taken), 8)]
