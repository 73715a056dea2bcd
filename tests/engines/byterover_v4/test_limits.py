"""Limits of words and text: topics and notes beyond them are named, and what is searched stays the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.engines.byterover_v4 import scripts
from brvtui.engines.byterover_v4.engine import ByteRoverV4
from brvtui.engines.byterover_v4.migration import tree as migration
from brvtui.engines.contract import EngineError
from brvtui.session import Session
from brvtui.text import segment
from brvtui.tree.spaces import contents, topic_html
from tests.support.spaces import small_space
from tests.support.trees import NOW_MS, Tree


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
    assert page.is_topic
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
