"""One open project: what a session does, and that looking changes nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brvtui.profile import ProfileError
from brvtui.session import NotLoaded, Session
from brvtui.trace import Origin
from tests.support.trees import NOW_MS, SUMMARY, Tree, paths

Make = Callable[[str], Tree]
WITHIN_SECONDS = 1.0


@pytest.fixture
def quokkas(tree: Tree) -> Tree:
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.note("x/m.md", "Wallaby", "wallaby jumping far", days=5)
    tree.summary("x", "Animals")
    tree.sidecar_file("x/n.md", {"importance": 61, "maturity": "draft", "accessCount": 4})
    tree.notes(20)
    return tree


def test_nothing_can_be_asked_before_it_is_loaded(quokkas: Tree) -> None:
    session = Session.open(quokkas.root)
    assert not session.is_loaded
    with pytest.raises(NotLoaded):
        session.probe("quokka")
    assert session.load()
    assert session.is_loaded


def test_loading_again_publishes_only_changes(quokkas: Tree) -> None:
    session = quokkas.session()
    before = session.snapshot
    assert not session.load()
    assert session.snapshot is before
    quokkas.note("x/new.md", "New")
    assert session.load()
    assert session.snapshot.generation == before.generation + 1
    assert "x/new.md" in session.snapshot.by_path
    assert "x/new.md" not in before.by_path


def test_maturity(quokkas: Tree) -> None:
    session = quokkas.session()
    board = session.board()
    row = board.row(board.snapshot.by_path["x/n.md"])
    assert (row.importance_stored, row.access_count, row.source) == (61, 4, "sidecar")
    assert session.forecast(70, board).board is board
    assert session.forecast(70).any_change.all()
    assert session.curve("x/m.md", 30).importance[0] == pytest.approx(50 * 0.995**5)
    assert (session.after_hits("x/n.md", 2).importance, session.after_hits("x/n.md", 2).maturity) == (67, "validated")
    assert (session.after_updates("x/m.md", 1).importance, session.after_updates("x/m.md", 1).days) == (55, 0)
    for ask in (session.curve, lambda path: session.after_hits(path, 1)):
        with pytest.raises(KeyError):
            ask("x/gone.md")
    assert board.snapshot is session.snapshot


def test_cancelled_loads_publish_nothing(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.note("x/new.md", "New")
    assert not session.load(cancelled=lambda: True)
    assert "x/new.md" not in session.snapshot.by_path


def test_stored_signals_that_change_are_a_change(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar_file("x/n.md", {"importance": 90})
    assert session.load()
    assert session.probe("quokka").hits[0].signals is not None


def test_stored_signals_of_a_summary_are_a_change_too(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar_file("x/_index.md", {"importance": 90})
    assert session.load()
    assert session.snapshot.summary_signals["x/_index.md"].importance == 90


def test_a_probe_has_no_effect_and_a_run_fills_the_cache(quokkas: Tree) -> None:
    session = quokkas.session()
    for _ in range(3):
        trace = session.probe("quokka facts")
        assert (trace.mode, trace.used, trace.cache.entries) == ("probe", True, ())
    run = session.run("quokka facts")
    assert (run.mode, run.used) == ("run", True)
    assert session.probe("QUOKKA facts").tier == 0
    assert session.probe("facts quokka").tier == 1
    session.clear_cache()
    assert session.probe("quokka facts").used


def test_the_simulated_cache_beside_what_is_typed(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka jumping facts")
    now = session.cache_now("quokka jumping")
    assert [entry.key for entry in now.look.entries] == ["quokka jumping facts"]
    assert now.look.entries[0].similarity == pytest.approx(2 / 3)
    assert now.look.simulated
    assert now.fingerprint.held


def test_another_profile_empties_the_cache(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka")
    session.use_profile("docs")
    session.load()
    trace = session.probe("quokka")
    assert (trace.profile, trace.used) == ("docs", True)
    with pytest.raises(ProfileError):
        session.use_profile("nothing")
    assert session.profile.name == "docs"


def test_a_clock_that_is_given_is_frozen(quokkas: Tree) -> None:
    assert quokkas.session().frozen
    assert not Session.open(quokkas.root).frozen


def test_the_detail_of_a_hit(quokkas: Tree) -> None:
    session = quokkas.session()
    found = session.probe("quokka")
    made = session.detail(found, found.hits[0].file)
    assert found.hits[0].text is not None
    assert made.score.raw == pytest.approx(found.hits[0].text.raw, rel=1e-12)
    with pytest.raises(KeyError):
        session.detail(found, "nowhere.md")


def test_queries_from_many_threads(quokkas: Tree) -> None:
    session = quokkas.session()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(15):
                session.run(f"turn{number}x{turn} place{number}y{turn}")
                session.probe("wallaby")
                if turn % 5 == 0:
                    quokkas.note(f"x/t{number}.md", f"Turn {turn}")
                    session.load()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(session.cache_now("x").look.entries) == 50


# Looking changes nothing


def state_of(*folders: Path) -> dict[str, tuple[int, int, str]]:
    """Every file and folder below the folders: mode, mtime and content."""
    found = {}
    for folder in folders:
        for path in sorted([folder, *folder.rglob("*")]):
            stat = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            found[str(path)] = (stat.st_mode, stat.st_mtime_ns, content)
    return found


def test_looking_changes_nothing(quokkas: Tree, make_tree: Make, own_data_folders: Path) -> None:
    quokkas.file("_archived/x/o.stub.md", "# Old\nquokka")
    quokkas.file("x/context.md", "# X\nquokka")
    other = make_tree("other")
    other.note("pay/c.md", "Shared", "quokka")
    quokkas.source(("lib", other))
    before = state_of(quokkas.root, other.root, own_data_folders)
    assert len(before) > 30
    session = quokkas.session()
    for query in (
        "quokka",
        "wallaby jumping",
        "x",
        "x/n.md",
        "zebra",
        "",
        "the of",
        "x quokka",
        "[lib]:pay",
        "quokka?",
    ):
        session.probe(query)
        session.run(query)
        session.search(query, 10)
        found = session.probe(query)
        for hit in found.hits:
            if hit.file in session.snapshot.by_path:
                session.detail(found, hit.file)
        for note in ("x/n.md", "x/_index.md", "Wallaby"):
            session.explain(query, note)
        session.cache_now(query)
    session.load()
    session.use_profile("docs")
    session.load()
    session.run("quokka")
    assert not session.recording
    assert session.history.read() == []
    session.close()
    assert state_of(quokkas.root, other.root, own_data_folders) == before
    assert not (own_data_folders / "tool").exists()


def test_watching_changes_nothing(quokkas: Tree, own_data_folders: Path) -> None:
    before = state_of(quokkas.root, own_data_folders)
    session = quokkas.session()
    assert session.watch(lambda: None).active
    session.run("quokka")
    session.close()
    assert state_of(quokkas.root, own_data_folders) == before


def test_recording_goes_to_the_tools_own_overlay(quokkas: Tree, own_data_folders: Path) -> None:
    before = state_of(quokkas.root, own_data_folders / "engine")
    session = quokkas.session()
    session.recording = True
    session.probe("quokka")
    assert not (own_data_folders / "tool").exists()
    trace = session.run("quokka")
    assert "x/n.md" in paths(trace)
    written = [path for path in (own_data_folders / "tool").rglob("*") if path.is_file()]
    assert [path.name for path in written] == ["overlay.json"]
    recorded = json.loads(written[0].read_text())
    assert recorded["x/n.md"] == {
        "accessCount": 5,
        "importance": 64,
        "maturity": "draft",
        "recency": 1,
        "updateCount": 0,
    }
    assert state_of(quokkas.root, own_data_folders / "engine") == before
    position = session.snapshot.by_path["x/n.md"]
    assert (session.snapshot.signals[position].importance, session.snapshot.signals[position].source) == (64, "overlay")
    session.clear_cache()
    session.run("quokka")
    assert json.loads(written[0].read_text())["x/n.md"]["maturity"] == "validated"


def test_a_cached_answer_records_nothing(quokkas: Tree, own_data_folders: Path) -> None:
    session = quokkas.session()
    session.run("quokka")
    session.recording = True
    assert not session.run("quokka").used
    assert not (own_data_folders / "tool").exists()


def test_shared_and_propagated_hits_are_not_recorded(tree: Tree, make_tree: Make, own_data_folders: Path) -> None:
    other = make_tree("other")
    other.note("pay/c.md", "Quokka", "quokka")
    other.file("pay/context.md", "# Pay")
    tree.note("x/n.md", "Quokka", "quokka")
    tree.file("x/context.md", "# Quokka\nquokka")
    tree.source(("lib", other))
    tree.notes(30)
    session = tree.session()
    session.recording = True
    trace = session.run("quokka")
    assert any(hit.shared_source for hit in trace.hits)
    assert {hit.path for hit in trace.hits if hit.origin is Origin.PROPAGATED} >= {"x"}
    overlay = next((own_data_folders / "tool").rglob("overlay.json"))
    recorded = json.loads(overlay.read_text())
    assert set(recorded) == {"x/n.md", "x/context.md"}
    assert {entry["importance"] for entry in recorded.values()} == {53}


# Watching


class Changes:
    """Loads the session at every notice, and lets a test wait for what it expects."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.noticed = threading.Condition()
        assert session.watch(self.changed).active

    def changed(self) -> None:
        self.session.load()
        with self.noticed:
            self.noticed.notify_all()

    def within_a_second(self, expected: Callable[[], bool]) -> bool:
        """Whether it comes true in time. Waits for notices alone."""
        deadline = time.monotonic() + WITHIN_SECONDS
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


def test_a_changed_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    assert "bilby" not in paths(watched.session.probe("bilby"))
    quokkas.note("x/n.md", "Bilby", "all about the bilby", days=-1)
    assert watched.within_a_second(lambda: "x/n.md" in paths(watched.session.probe("bilby")))


def test_an_added_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    quokkas.note("new/deep/n.md", "Bilby", "all about the bilby")
    assert watched.within_a_second(lambda: paths(watched.session.probe("bilby")) == ["new/deep/n.md"])


def test_a_moved_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    (quokkas.tree / "x" / "n.md").rename(quokkas.tree / "pad" / "moved.md")
    assert watched.within_a_second(lambda: "pad/moved.md" in watched.session.snapshot.by_path)
    assert "x/n.md" not in watched.session.snapshot.by_path


def test_a_deleted_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    (quokkas.tree / "x" / "n.md").unlink()
    assert watched.within_a_second(lambda: "x/n.md" not in watched.session.snapshot.by_path)
    assert watched.session.probe("quokka").outcome == "not_covered"


def test_a_note_saved_by_exchange_is_noticed(watched: Changes, quokkas: Tree) -> None:
    draft = quokkas.tree / "x" / ".n.md.swp"
    draft.write_text("# Bilby\nall about the bilby")
    draft.replace(quokkas.tree / "x" / "n.md")
    assert watched.within_a_second(lambda: "x/n.md" in paths(watched.session.probe("bilby")))


def test_a_summary_and_signals_are_noticed(watched: Changes, quokkas: Tree) -> None:
    quokkas.file("pad/_index.md", SUMMARY.format(order=1, tokens=1, text="x"))
    assert watched.within_a_second(lambda: "pad" in watched.session.snapshot.summaries)
    quokkas.sidecar_file("x/m.md", {"importance": 77})
    position = watched.session.snapshot.by_path["x/m.md"]
    assert watched.within_a_second(lambda: watched.session.snapshot.signals[position].importance == 77)


def test_shared_sources_are_watched(quokkas: Tree, make_tree: Make) -> None:
    other = make_tree("other")
    other.note("pay/c.md", "Shared")
    quokkas.source(("lib", other))
    session = quokkas.session()
    changes = Changes(session)
    other.note("pay/d.md", "Bilby")
    assert changes.within_a_second(lambda: "[lib]:pay/d.md" in session.snapshot.by_path)
    session.close()


def test_a_burst_is_few_calls(quokkas: Tree) -> None:
    session = quokkas.session()
    calls = []
    last = threading.Event()

    def changed() -> None:
        calls.append(1)
        session.load()
        if f"burst/{49}.md" in session.snapshot.by_path:
            last.set()

    session.watch(changed)
    for number in range(50):
        quokkas.note(f"burst/{number}.md", "Burst")
    assert last.wait(5)
    session.close()
    assert len(calls) <= 5


def test_after_unwatching_no_call_comes(quokkas: Tree) -> None:
    session = quokkas.session()
    calls: list[int] = []
    session.watch(lambda: calls.append(1))
    session.unwatch()
    quokkas.note("x/late.md", "Late")
    threads = [thread for thread in threading.enumerate() if thread.name == "brv-tui-watch"]
    assert [thread for thread in threads if thread.is_alive()] == []
    assert calls == []


def test_a_system_that_refuses_to_watch(quokkas: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def start(self) -> None:
            raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("brvtui.tree.native_events.Observer", Refusing)
    session = quokkas.session()
    watching = session.watch(lambda: None)
    session.close()
    assert (watching.active, "watch is left" in watching.why) == (True, True)
    assert watching.poll_seconds > 0


def test_the_frozen_clock_is_the_one_that_ages(quokkas: Tree) -> None:
    later = quokkas.session(now_ms=NOW_MS + 86_400_000).probe("quokka")
    assert later.hits[0].signals is not None
    assert later.hits[0].signals.days == 1.0


def test_a_detail_is_made_on_the_snapshot_of_its_trace(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.probe("quokka")
    file = trace.hits[0].file
    before = session.detail(trace, file)
    quokkas.file(file, "# Something else entirely\n", days=1)
    session.load()
    assert session.detail(trace, file) == before
    assert session.score_of(trace, file) is not None


def test_a_record_that_fails_keeps_the_answer(quokkas: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the data folder should be")
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(blocked))
    session = quokkas.session()
    session.recording = True
    trace = session.run("quokka")
    assert trace.hits
    assert "cannot be recorded" in trace.notices[-1]


def test_a_recorded_hit_reaches_the_next_ranking(quokkas: Tree) -> None:
    session = quokkas.session()
    session.recording = True
    trace = session.run("quokka")
    file = trace.hits[0].file
    position = session.snapshot.by_path[file]
    assert session.snapshot.signals[position].source == "overlay"


def test_a_tree_that_is_removed_and_made_again_is_noticed(quokkas: Tree) -> None:
    session = quokkas.session()
    noticed = threading.Event()
    assert session.watch(noticed.set).active
    try:
        shutil.rmtree(quokkas.tree)
        assert noticed.wait(5)
        noticed.clear()
        quokkas.note("x/new.md", "Numbat", "numbat")
        assert noticed.wait(5)
        noticed.clear()
        quokkas.note("x/newer.md", "Bilby", "bilby")
        assert noticed.wait(5)
    finally:
        session.close()


def test_a_signal_folder_that_is_made_later_is_noticed(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar.parent.parent.parent.mkdir(parents=True, exist_ok=True)
    noticed = threading.Event()
    assert session.watch(noticed.set).active
    try:
        quokkas.sidecar_file("x/n.md", {"importance": 90})
        assert noticed.wait(5)
    finally:
        session.close()
