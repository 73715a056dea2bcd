"""A session that watches a project notices each kind of change, and changes nothing itself."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brvtui.session import Session
from brvtui.trace.routing import Route
from tests.support.trees import SUMMARY, Tree, paths
from tests.support.untouched import state_of

Make = Callable[[str], Tree]


IN_TIME_S = 30.0
"""The limit in seconds. A change takes a fraction of a second, except on a busy machine."""


def test_watching_changes_no_file(quokkas: Tree, own_data_folders: Path) -> None:
    before = state_of(quokkas.root, own_data_folders)
    session = quokkas.session()
    assert not session.watch(lambda: None).why
    session.run("quokka")
    session.close()
    assert state_of(quokkas.root, own_data_folders) == before


class Changes:
    """Loads the session at every notice, and lets a test wait for a condition."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.noticed = threading.Condition()
        assert not session.watch(self.changed).why

    def changed(self) -> None:
        self.session.load()
        with self.noticed:
            self.noticed.notify_all()

    def in_time(self, expected: Callable[[], bool]) -> bool:
        """True if the condition becomes true in time. Checks it only after notices."""
        deadline = time.monotonic() + IN_TIME_S
        with self.noticed:
            while not expected():
                left = deadline - time.monotonic()
                if left <= 0 or not self.noticed.wait(left):
                    return expected()
        return True


@pytest.fixture
def watched(quokkas: Tree) -> Iterator[Changes]:
    quokkas.sidecar.mkdir(parents=True, exist_ok=True)
    session = quokkas.session()
    changes = Changes(session)
    yield changes
    session.close()


def test_changed_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    assert "bilby" not in paths(watched.session.preview("bilby"))
    quokkas.note("x/n.md", "Bilby", "all about the bilby", days=-1)
    assert watched.in_time(lambda: "x/n.md" in paths(watched.session.preview("bilby")))


def test_added_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    quokkas.note("new/deep/n.md", "Bilby", "all about the bilby")
    assert watched.in_time(lambda: paths(watched.session.preview("bilby")) == ["new/deep/n.md"])


def test_moved_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    (quokkas.tree / "x" / "n.md").rename(quokkas.tree / "pad" / "moved.md")
    assert watched.in_time(lambda: "pad/moved.md" in watched.session.snapshot.by_path)
    assert "x/n.md" not in watched.session.snapshot.by_path


def test_deleted_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    (quokkas.tree / "x" / "n.md").unlink()
    assert watched.in_time(lambda: "x/n.md" not in watched.session.snapshot.by_path)
    assert watched.session.preview("quokka").section(Route).outcome == "not_covered"


def test_note_saved_by_renaming_a_draft_is_noticed(watched: Changes, quokkas: Tree) -> None:
    draft = quokkas.tree / "x" / ".n.md.swp"
    draft.write_text("# Bilby\nall about the bilby")
    draft.replace(quokkas.tree / "x" / "n.md")
    assert watched.in_time(lambda: "x/n.md" in paths(watched.session.preview("bilby")))


def test_summary_and_signal_changes_are_noticed(watched: Changes, quokkas: Tree) -> None:
    quokkas.file("pad/_index.md", SUMMARY.format(order=1, tokens=1, text="x"))
    assert watched.in_time(lambda: "pad" in watched.session.snapshot.summaries)
    quokkas.sidecar_file("x/m.md", {"importance": 77})
    position = watched.session.snapshot.by_path["x/m.md"]
    assert watched.in_time(lambda: watched.session.snapshot.signals[position].importance == 77)


def test_shared_sources_are_watched(quokkas: Tree, make_tree: Make) -> None:
    other = make_tree("other")
    other.note("pay/c.md", "Shared")
    quokkas.source(("lib", other))
    session = quokkas.session()
    changes = Changes(session)
    other.note("pay/d.md", "Bilby")
    assert changes.in_time(lambda: "[lib]:pay/d.md" in session.snapshot.by_path)
    session.close()


def test_burst_of_changes_causes_few_calls(quokkas: Tree, make_tree: Make) -> None:
    aside = make_tree("aside")
    files = [aside.tree / aside.note(f"burst/{number}.md", "Burst") for number in range(50)]
    (quokkas.tree / "burst").mkdir()
    session = quokkas.session()
    calls = []
    last = threading.Event()

    def changed() -> None:
        calls.append(1)
        session.load()
        if f"burst/{49}.md" in session.snapshot.by_path:
            last.set()

    session.watch(changed)
    for file in files:  # renaming takes only a moment, even on a busy machine
        file.rename(quokkas.tree / "burst" / file.name)
    assert last.wait(30)
    session.close()
    assert len(calls) <= 5


def test_closed_session_makes_no_calls(quokkas: Tree) -> None:
    session = quokkas.session()
    calls: list[int] = []
    session.watch(lambda: calls.append(1))
    session.close()
    quokkas.note("x/late.md", "Late")
    threads = [thread for thread in threading.enumerate() if thread.name == "brv-tui-watch"]
    assert [thread for thread in threads if thread.is_alive()] == []
    assert calls == []


def test_polling_replaces_refused_file_watching(quokkas: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def start(self) -> None:
            raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("brvtui.tree.watching.native_events.Observer", Refusing)
    session = quokkas.session()
    watching = session.watch(lambda: None)
    session.close()
    assert "watch is left" in watching.why
    assert watching.poll_seconds > 0


def test_removed_and_recreated_tree_is_noticed(quokkas: Tree) -> None:
    session = quokkas.session()
    noticed = threading.Event()
    assert not session.watch(noticed.set).why
    try:
        shutil.rmtree(quokkas.tree)
        assert noticed.wait(30)
        noticed.clear()
        quokkas.note("x/new.md", "Numbat", "numbat")
        assert noticed.wait(30)
        noticed.clear()
        quokkas.note("x/newer.md", "Bilby", "bilby")
        assert noticed.wait(30)
    finally:
        session.close()


def test_signal_folder_created_later_is_noticed(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar.parent.parent.parent.mkdir(parents=True, exist_ok=True)
    noticed = threading.Event()
    assert not session.watch(noticed.set).why
    try:
        quokkas.sidecar_file("x/n.md", {"importance": 90})
        assert noticed.wait(30)
    finally:
        session.close()
