"""Properties of V4's reading and ranking, its limits, and rows that wait to be sent."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover_v4 import scripts
from brvtui.engines.byterover_v4.command_line import CommandLine
from brvtui.engines.byterover_v4.documents import documents_of
from brvtui.engines.byterover_v4.engine import ByteRoverV4
from brvtui.engines.byterover_v4.index import TopicIndex
from brvtui.engines.byterover_v4.migration import tree as migration
from brvtui.engines.byterover_v4.pending_rows import LARGEST_READ, ROWS, PendingRows
from brvtui.engines.byterover_v4.scripts import query_space, ranked_space
from brvtui.engines.contract import EngineError
from brvtui.session import Session
from brvtui.text import segment
from brvtui.tree.engine_files.query_log import LoggedQuery
from brvtui.tree.spaces import contents, topic_html
from brvtui.tree.spaces.contents import read_space
from brvtui.tree.spaces.locating import SpaceFolder
from brvtui.tree.spaces.project import NamedSpace
from brvtui.tree.spaces.topic_html import UnreadableTopic, parse_topic
from tests.support.examples import examples
from tests.support.spaces import SPACE_ID, V4, small_space
from tests.support.trees import NOW_MS, Tree
from tests.support.untouched import state_of

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
def test_any_markup_is_a_topic_whose_documents_can_be_indexed(html: str) -> None:
    topic = parse_topic(html)
    found = documents_of("x.html", topic)
    assert found
    for document in found:
        assert document.lengths[-1] <= sum(document.terms[-1].values())
    TopicIndex(list({document.id: document for document in found}.values()))


@given(MARKUP, st.lists(st.from_regex(r"[a-z0-9]{3,4}", fullmatch=True) | st.sampled_from(["ref", "esh", "oken"])))
def test_the_words_that_a_document_contains_are_those_of_its_whole_text(html: str, words: list[str]) -> None:
    index = TopicIndex(list({one.id: one for one in documents_of("x.html", parse_topic(html))}.values()))
    wanted = [any(word in document.haystack for word in words) for document in index.documents]
    assert index.containing(words).tolist() == wanted


def test_deep_and_wide_markup_ends_in_a_topic_or_a_line() -> None:
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
def test_a_space_that_is_edited_equals_a_fresh_reading(
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


def test_topics_beyond_the_limits_of_words_are_named(wordy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment, "MOST_WORDS", 100)
    session = loaded(wordy)
    searched = [note.path for note in session.snapshot.notes]
    assert searched == ["a/0.html", "a/1.html", "a/2.html"]
    assert [file.path for file in session.snapshot.unseen] == ["a/3.html", "a/4.html", "a/5.html"]
    [notice] = session.probe("w0x1").notices
    assert notice.startswith("not read: a/3.html, and 2 more: ")
    assert session.snapshot.notices == (notice,)
    shown = session.snapshot
    assert not session.refresh()
    assert session.snapshot is shown


def test_a_space_beyond_the_limits_is_refused_and_its_topics_are_shown(
    wordy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "MOST_SPACE_ENTRIES", 100)
    session = loaded(wordy)
    with pytest.raises(EngineError, match="split the space"):
        session.probe("w0x1")
    page = session.about("a/5.html")
    assert page.aged is not None


def test_a_space_of_too_much_text_is_read_up_to_a_limit(wordy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_MOST_CHARS", 500)
    session = loaded(wordy)
    assert 0 < len(session.snapshot.notes) < 6
    assert any("exceed the size limit" in notice for notice in session.probe("w0x1").notices)


def test_a_topic_whose_elements_share_long_attributes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = "".join(f"<bv-fact id=bve-{number:08}>x</bv-fact>" for number in range(20))
    html = f'<bv-topic summary="{"s " * 50}"><img alt="{"p " * 50}">{facts}</bv-topic>'
    assert len(topic_html.parse_topic(html).searched_elements) == 20
    monkeypatch.setattr(topic_html, "_MOST_REPEATED", 3_000)
    topic_html._topic_or_problem.cache_clear()
    with pytest.raises(topic_html.UnreadableTopic, match="too many elements"):
        topic_html.parse_topic(html)
    topic_html._topic_or_problem.cache_clear()


def test_a_migration_leaves_out_notes_beyond_the_limits(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (0, 2, 3):
        tree.note(f"a/{number}.md", f"N {number}", words(number))
    tree.note("a/1.md", "N 1", " ".join(map(words, range(10, 20))))
    monkeypatch.setattr(migration, "MOST_WORDS", 150)
    made = migration.migrate_tree(tree.snapshot(), NOW_MS, "small", ByteRoverV4().constants())
    assert [note.note for note in made.notes] == ["a/0.md", "a/2.md", "a/3.md"]
    assert [(file.path, "words" in file.reason) for file in made.left] == [("a/1.md", True)]


MOMENT = 1_795_176_000_000.0
OTHER = "1c2a4e6f-1b3d-4f5a-8b7c-9d0e1f2a3b4c"
HITS = [{"path": "auth/jwt.html", "title": "JWT", "score": 0.81, "snippet": "a token", "confidence": "high"}]


def row(name: str, properties: dict[str, Any]) -> str:
    return json.dumps({"id": "1", "name": name, "occurred_at": "2026-11-20T11:00:00.000Z", "properties": properties})


def asked(query: str, space: str = SPACE_ID) -> str:
    return row("v4:skill:query_completed", {"query": query, "space_id": space, "matched_doc_count": 1})


def printed(*arguments: str, command: str = "query", cwd: str = "/elsewhere", **result: Any) -> str:
    held = {"ok": True, "data": {"hits": HITS, "citation_block": "cited"}, **result}
    known = {"command": command, "args": arguments, "cwd": cwd, "ok": True, "duration_ms": 12, "result": held}
    return row("v4:skill:command", known)


def pieces(parts: int, cwd: str, *arguments: str) -> list[str]:
    whole = json.dumps({"args": arguments, "result": {"ok": True, "data": {"content": "files", "matchedDocs": HITS}}})
    step = -(-len(whole) // parts)
    common = {"command": "recall", "cwd": cwd, "ok": True, "duration_ms": 3, "group_id": "g", "chunk_total": parts}
    return [
        row("v4:skill:command", {**common, "chunk_index": place, "chunk": whole[place * step : (place + 1) * step]})
        for place in range(parts)
    ]


def read(folder: Path, *lines: str) -> list[LoggedQuery]:
    (folder / ROWS).write_text("\n".join(lines) + "\n")
    return PendingRows(folder, [SPACE_ID], Path("/project")).read(100)


def test_a_query_and_what_the_agent_read(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, asked("refresh token"), printed("refresh", "token", "--scope", "auth", "--limit", "3"))
    assert (entry.query, entry.scope, entry.status, entry.engine) == (
        "refresh token", "auth", "completed", "byterover_v4",
    )  # fmt: skip
    assert (entry.top_score, entry.total_found, entry.paths, entry.took_ms) == (0.81, 1, ("auth/jwt.html",), 12)
    assert entry.response == "cited\nauth/jwt.html: a token"
    assert entry.options == {"argv": ["refresh", "token", "--scope", "auth", "--limit", "3"]}


def test_pieces_of_a_long_answer_are_put_together(tmp_path: Path) -> None:
    lines = pieces(4, "/project/src", "token", "--scope", "auth")
    (entry,) = read(tmp_path, *lines)
    assert (entry.query, entry.response, entry.options) == ("token", "files", {"argv": ["token", "--limit", "5"]})
    assert entry.scope == ""
    assert not read(tmp_path, *lines[:-1])


def test_those_of_other_spaces_and_folders_are_left_out(tmp_path: Path) -> None:
    failed = {"ok": False, "error": "no such space"}
    found = read(
        tmp_path,
        asked("one", OTHER), printed("one", cwd="/project"), asked("two"), printed("two"),
        *pieces(1, "/elsewhere", "three"), printed("four", cwd="/project", **failed), printed("five", **failed),
        printed("six", command="list", cwd="/project"),
    )  # fmt: skip
    assert [(entry.query, entry.status, entry.problem) for entry in found] == [
        ("four", "error", "no such space"),
        ("two", "completed", ""),
    ]


def test_a_recall_counts_for_the_space_of_its_folder_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the folder is reached through a link; not for another space that is opened there by its root."""
    data = tmp_path / "data"
    monkeypatch.setenv("BRV_DATA_DIR", str(data))
    marked = small_space(tmp_path, MOMENT)
    shutil.copytree(data / "projects" / SPACE_ID, data / "projects" / OTHER)
    (data / ROWS).write_text("\n".join(pieces(1, str(marked.resolve()), "token")) + "\n")
    (tmp_path / "link").symlink_to(marked)
    for folder in (marked, tmp_path / "link"):
        assert [entry.query for entry in Session.open(folder, now_ms=MOMENT).logbook.engine.read(9)] == ["token"]
    other = NamedSpace(root=data / "projects" / OTHER / "context-tree")
    assert not Session.open(marked, now_ms=MOMENT, space=other).logbook.engine.read(9)
    own = NamedSpace(root=data / "projects" / SPACE_ID / "context-tree")
    assert Session.open(marked, now_ms=MOMENT, space=own).logbook.engine.read(9)


def test_a_piece_that_comes_again_is_no_second_query(tmp_path: Path) -> None:
    lines = pieces(2, "/project", "token")
    assert len(read(tmp_path, *lines, lines[0])) == 1


def test_broken_rows_are_left_out_and_old_ones_of_a_large_file_not_read(tmp_path: Path) -> None:
    broken = ("{", "[]", "null", row("x", {}), '{"occurred_at": "never"}', "[" * 10_000, printed("half")[:80])
    found = read(tmp_path, asked("old"), printed("old"), "x" * LARGEST_READ, *broken, asked("new"), printed("new"))
    assert [entry.query for entry in found] == ["new"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("command", "args", "cwd", "duration_ms", "result", "group_id", "chunk_index", "chunk_total", "chunk", "query")


@examples(500)
@given(changed=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4), hit=JSON, data=JSON)
def test_nothing_in_a_row_does_harm(
    tmp_path_factory: pytest.TempPathFactory, changed: dict[str, Any], hit: Any, data: Any
) -> None:
    properties = {"command": "query", "args": ["a"], "cwd": "/project", "result": {"ok": True, "data": data}, **changed}
    with_hit = {**properties, "result": {"ok": True, "data": {"hits": [hit], "citation_block": hit}}}
    found = read(tmp_path_factory.mktemp("rows"), row("x", properties), row("x", with_hit), asked("b"), printed("b"))
    assert found[0].query == "b"
    assert all(isinstance(path, str) for entry in found for path in entry.paths)


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    marked = small_space(tmp_path, MOMENT)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = Session.open(marked, now_ms=MOMENT)
    session.load()
    yield session
    session.close()


def test_a_session_compares_with_now_follows_and_writes_nothing(space: Session, tmp_path: Path) -> None:
    file = tmp_path / "data" / ROWS
    came: list[LoggedQuery] = []
    noticed = threading.Event()

    def answered(entries: list[LoggedQuery]) -> None:
        came.extend(entries)
        noticed.set()

    space.logbook.engine.follow(answered)
    file.write_text(asked("refresh token") + "\n" + printed("refresh", "token") + "\n")
    before = state_of(tmp_path / "data")
    assert noticed.wait(20)
    assert came == space.logbook.read(10)
    compared = space.explainer.compare_logged(came[0])
    assert compared.paths[0] == "auth/jwt.html"
    assert any("0.810 then" in difference for difference in compared.differences)
    assert state_of(tmp_path / "data") == before
