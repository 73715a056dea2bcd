"""A session that watches: each kind of change is noticed, what edits change is named, and watching changes nothing."""

from __future__ import annotations

import gc
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.lab.evaluation.comparing import ChangeLine
from brvtui.lab.evaluation.results import QueryResult
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.lab.whatif.variant import EarlierNotes, Variant
from brvtui.loading.revised import UNPUBLISHED
from brvtui.notes.signals import SignalTarget
from brvtui.session import Session
from brvtui.session.edit_effect import EditEffect, asked_last, causes_of_change, effect_of_edits
from brvtui.session.held_notes import HeldNotes, hold
from brvtui.snapshot import Snapshot
from brvtui.trace.routing import Route
from tests.app.garden import plant
from tests.support.spaces import SPACE_ID, small_space
from tests.support.trees import NOW_MS, SUMMARY, Tree, paths
from tests.support.untouched import state_of

Make = Callable[[str], Tree]
IN_TIME_S = 30.0
"""It takes a fraction of a second, but on a busy machine."""


def test_watching_changes_nothing(quokkas: Tree, own_data_folders: Path) -> None:
    before = state_of(quokkas.root, own_data_folders)
    session = quokkas.session()
    assert not session.watch(lambda: None).why
    session.run("quokka")
    session.close()
    assert state_of(quokkas.root, own_data_folders) == before


class Changes:
    """Loads the session at every notice, and lets a test wait for what it expects."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.noticed = threading.Condition()
        assert not session.watch(self.changed).why

    def changed(self) -> None:
        self.session.load()
        with self.noticed:
            self.noticed.notify_all()

    def in_time(self, expected: Callable[[], bool]) -> bool:
        """Whether it comes true in time. Waits for notices alone."""
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


def test_a_changed_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    assert "bilby" not in paths(watched.session.probe("bilby"))
    quokkas.note("x/n.md", "Bilby", "all about the bilby", days=-1)
    assert watched.in_time(lambda: "x/n.md" in paths(watched.session.probe("bilby")))


def test_an_added_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    quokkas.note("new/deep/n.md", "Bilby", "all about the bilby")
    assert watched.in_time(lambda: paths(watched.session.probe("bilby")) == ["new/deep/n.md"])


def test_a_moved_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    (quokkas.tree / "x" / "n.md").rename(quokkas.tree / "pad" / "moved.md")
    assert watched.in_time(lambda: "pad/moved.md" in watched.session.snapshot.by_path)
    assert "x/n.md" not in watched.session.snapshot.by_path


def test_a_deleted_note_is_noticed(watched: Changes, quokkas: Tree) -> None:
    (quokkas.tree / "x" / "n.md").unlink()
    assert watched.in_time(lambda: "x/n.md" not in watched.session.snapshot.by_path)
    assert watched.session.probe("quokka").section(Route).outcome == "not_covered"


def test_a_note_saved_by_exchange_is_noticed(watched: Changes, quokkas: Tree) -> None:
    draft = quokkas.tree / "x" / ".n.md.swp"
    draft.write_text("# Bilby\nall about the bilby")
    draft.replace(quokkas.tree / "x" / "n.md")
    assert watched.in_time(lambda: "x/n.md" in paths(watched.session.probe("bilby")))


def test_a_summary_and_signals_are_noticed(watched: Changes, quokkas: Tree) -> None:
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


def test_a_burst_is_few_calls(quokkas: Tree, make_tree: Make) -> None:
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
    for file in files:  # moving them takes a moment, on a busy machine as well
        file.rename(quokkas.tree / "burst" / file.name)
    assert last.wait(30)
    session.close()
    assert len(calls) <= 5


def test_after_closing_no_call_comes(quokkas: Tree) -> None:
    session = quokkas.session()
    calls: list[int] = []
    session.watch(lambda: calls.append(1))
    session.close()
    quokkas.note("x/late.md", "Late")
    threads = [thread for thread in threading.enumerate() if thread.name == "brv-tui-watch"]
    assert [thread for thread in threads if thread.is_alive()] == []
    assert calls == []


def test_a_system_that_refuses_to_watch(quokkas: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def start(self) -> None:
            raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("brvtui.tree.watching.native_events.Observer", Refusing)
    session = quokkas.session()
    watching = session.watch(lambda: None)
    session.close()
    assert "watch is left" in watching.why
    assert watching.poll_seconds > 0


def test_a_tree_that_is_removed_and_made_again_is_noticed(quokkas: Tree) -> None:
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


def test_a_signal_folder_that_is_made_later_is_noticed(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar.parent.parent.parent.mkdir(parents=True, exist_ok=True)
    noticed = threading.Event()
    assert not session.watch(noticed.set).why
    try:
        quokkas.sidecar_file("x/n.md", {"importance": 90})
        assert noticed.wait(30)
    finally:
        session.close()


STORE, ROTATION = "auth/jwt/token_store.md", "auth/jwt/refresh_rotation.md"
QUERIES = tuple(Judgment(text, text) for text in ("refresh token", "token store", "rollback", "refund", "zebra quagga"))
SPACE_NOW = 1_763_640_000_000.0


@pytest.fixture
def garden(tmp_path: Path) -> Tree:
    return plant(tmp_path / "garden")


def answers(session: Session, variant: Variant) -> list[QueryResult]:
    state = session.variants.state(variant)
    return [session.variants.result(state, each) for each in QUERIES]


def make_core(session: Session, path: str) -> None:
    """Sets the maturity of a note in the overlay."""
    now = session.snapshot.signals[session.snapshot.by_path[path]]
    session.notes.apply(session.notes.plan_signals(path, replace(now, maturity="core"), SignalTarget.OVERLAY))


def same(one: QueryResult, other: QueryResult) -> bool:
    return (one.outcome, one.results, one.quoted, one.sentence) == (
        other.outcome, other.results, other.quoted, other.sentence,
    )  # fmt: skip


@pytest.mark.parametrize("engine", ["byterover", "jeffs_brain", "soleri"])
def test_earlier_notes_answer_as_they_did(garden: Tree, engine: str) -> None:
    session = garden.session(engine=engine)
    before, held = answers(session, Variant()), hold(session.snapshot)
    assert held.earlier(session.snapshot) is None
    garden.file(STORE, "# Something else\n\nNothing of it is left.\n", 0)
    garden.note("auth/new.md", "Refresh token, again", "token store refund rollback", days=0)
    (garden.tree / "deploy/rollback.md").unlink()
    shutil.move(garden.tree / "billing/refunds.md", garden.tree / "billing/moved.md")
    session.load()
    earlier = held.earlier(session.snapshot)
    changed = {STORE, "auth/new.md", "deploy/rollback.md", "billing/refunds.md", "billing/moved.md"}
    assert set(earlier.paths) == changed
    assert earlier.paths_now == {"billing/refunds.md": "billing/moved.md"}
    now = answers(session, Variant())
    assert all(same(*pair) for pair in zip(before, answers(session, Variant(earlier=earlier)), strict=True))
    effect = asked(session, QUERIES, held)
    differs = {one.id for one, other in zip(now, before, strict=True) if not same(one, other)}
    assert differs >= {change.now.id for change in effect.otherwise} >= {"rollback", "refund"}


def asked(session: Session, judgments: tuple[Judgment, ...], held: HeldNotes) -> EditEffect:
    effect = effect_of_edits(session, held.earlier(session.snapshot), judgments, (), session.engine, "", lambda: False)
    assert effect is not None
    return effect


def test_the_edit_that_did_it_is_named_among_several(garden: Tree) -> None:
    session = garden.session()
    held = hold(session.snapshot)
    assert held is not None
    garden.file(ROTATION, "# Something else\n\nNothing of it is left.\n", 4)
    garden.file("deploy/freeze_window.md", "# Freeze window\n\nNo deploys on Sundays.\n", 33)
    session.load()
    judged = Judgment("r", "refresh token rotated out", "", "", "", (JudgedDocument(ROTATION, 3),))
    (change,) = asked(session, (judged, QUERIES[-1]), held).otherwise
    assert change.now.id == "r"
    earlier = held.earlier(session.snapshot)
    *_, cause = causes_of_change(session, Variant(earlier=earlier), judged, session.engine, "")
    assert cause == ChangeLine.of_cause(
        f"{ROTATION} was edited: with its text of before, the query is as good as it was (tried)"
    )


def test_an_edit_that_did_it_by_its_time_is_not_put_down_to_its_text(garden: Tree) -> None:
    old, fresh = "zoo/old_zebra.md", "zoo/zebra.md"
    for path, days in ((old, 300), (fresh, 20)):
        garden.file(path, "# Zebra\n\nStripes of the zebra.\n", days)
    session = garden.session()
    held = hold(session.snapshot)
    assert held is not None
    garden.file(old, "# Zebra\n\nStripes of this zebra.\n", 0)
    session.load()
    judged = Judgment("z", "zebra stripes", "", "", "", (JudgedDocument(fresh, 3),))
    (change,) = asked(session, (judged,), held).otherwise
    assert change.now.rank_of(fresh) == 2
    *_, cause = causes_of_change(session, Variant(earlier=held.earlier(session.snapshot)), judged, session.engine, "")
    assert cause == ChangeLine.of_cause(
        f"{old} has another file time: with that of before, the query is as good as it was (tried)"
    )


def test_an_edit_that_did_it_by_text_and_time_together_is_put_down_to_neither(garden: Tree) -> None:
    old, fresh = "zoo/old_zebra.md", "zoo/zebra.md"
    garden.read_frontmatter()
    zebra = "---\nimportance: {}\n---\n# Zebra\n\nStripes of the zebra.\n"
    garden.file(old, zebra.format(20), 60)
    garden.file(fresh, zebra.format(30), 20)
    session = garden.session()
    held = hold(session.snapshot)
    garden.file(old, zebra.format(100), 0)
    session.load()
    judged = Judgment("z", "zebra stripes", "", "", "", (JudgedDocument(fresh, 3),))
    *_, cause = causes_of_change(session, Variant(earlier=held.earlier(session.snapshot)), judged, session.engine, "")
    told = f"{old} was edited: with its text and file time of before, not with one of the two alone, "
    assert cause == ChangeLine.of_cause(f"{told}the query is as good as it was (tried)")


def test_signals_that_were_set_in_the_overlay_are_undone_and_named(garden: Tree) -> None:
    session = garden.session()
    before, held = answers(session, Variant()), hold(session.snapshot)
    make_core(session, ROTATION)
    session.load()
    earlier = held.earlier(session.snapshot)
    assert earlier.paths == (ROTATION,)
    assert all(same(*pair) for pair in zip(before, answers(session, Variant(earlier=earlier)), strict=True))
    effect = asked(session, QUERIES, held)
    assert "refresh token" in {change.now.id for change in effect.otherwise}
    (judgment,) = [each for each in QUERIES if each.id == "refresh token"]
    said = causes_of_change(session, Variant(earlier=earlier), judgment, "byterover", "")
    assert said[-1].text == (
        f"cause: maturity or importance was set of {ROTATION}: without that, the query is as it was (tried)"
    )


def test_signals_and_an_edit_of_one_note_are_undone_together(garden: Tree) -> None:
    session = garden.session()
    before, held = answers(session, Variant()), hold(session.snapshot)
    make_core(session, ROTATION)
    garden.file(ROTATION, "# Refresh token\n\nrefresh token refund rollback\n", 0)
    garden.file(STORE, "# Something else\n\nNothing of it is left.\n", 0)
    session.load()
    earlier = held.earlier(session.snapshot)
    assert set(earlier.paths) == {ROTATION, STORE}
    assert all(same(*pair) for pair in zip(before, answers(session, Variant(earlier=earlier)), strict=True))


def test_hits_that_were_recorded_are_no_edit(garden: Tree) -> None:
    session = Session.open(garden.root, now_ms=NOW_MS)
    session.recording = True
    session.load()
    held = hold(session.snapshot)
    session.run("refresh token")
    session.load()
    place = session.snapshot.by_path[ROTATION]
    assert session.snapshot.signals[place].importance > held.signals[ROTATION].importance
    assert held.earlier(session.snapshot) is None


def test_a_note_that_only_got_a_new_time_was_not_edited(garden: Tree) -> None:
    old, fresh = "zoo/old_zebra.md", "zoo/zebra.md"
    for path, days in ((old, 300), (fresh, 20)):
        garden.file(path, "# Zebra\n\nStripes of the zebra.\n", days)
    session = garden.session()
    held = hold(session.snapshot)
    garden.file(old, "# Zebra\n\nStripes of the zebra.\n", 0)
    session.load()
    judged = Judgment("z", "zebra stripes", "", "", "", (JudgedDocument(fresh, 3),))
    *_, cause = causes_of_change(session, Variant(earlier=held.earlier(session.snapshot)), judged, session.engine, "")
    assert cause == ChangeLine.of_cause(
        f"{old} has another file time: with that of before, the query is as good as it was (tried)"
    )


def test_a_kept_time_hides_no_edit_and_a_larger_tree_is_not_held(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    session = garden.session()
    held = hold(session.snapshot)
    text = (garden.tree / STORE).read_text()
    garden.file(STORE, text.replace("hashed", "HASHED"), 2)  # the same time, the same size
    session.load()
    earlier = held.earlier(session.snapshot)
    assert earlier.paths == (STORE,)
    monkeypatch.setattr("brvtui.session.held_notes.MOST_BYTES", 100)
    assert hold(session.snapshot) is None


def test_a_note_that_changed_before_it_was_held_is_watched_from_there(garden: Tree) -> None:
    session = garden.session()
    text = (garden.tree / STORE).read_text()
    garden.file(STORE, f"{text}\nOne more line.\n", 2)
    held = hold(session.snapshot)
    session.load()
    assert held.earlier(session.snapshot) is None
    garden.file(STORE, "# Something else\n\nNothing of it is left.\n", 1)
    session.load()
    earlier = held.earlier(session.snapshot)
    assert earlier.paths == (STORE,)


def test_a_space_is_held_whole_and_the_log_stands_in_for_judgments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = Session.open(small_space(tmp_path, SPACE_NOW), now_ms=SPACE_NOW)
    session.load()
    held, before = hold(session.snapshot), answers(session, Variant())
    (tmp_path / "data" / "projects" / SPACE_ID / "context-tree" / "auth" / "jwt.html").unlink()
    session.load()
    earlier = held.earlier(session.snapshot)
    assert earlier.paths == ("auth/jwt.html",)
    for was, now in zip(before, answers(session, Variant(earlier=earlier)), strict=True):
        # The text of a removed topic cannot be searched again, so a sentence may claim less.
        assert same(was, replace(now, sentence=was.sentence))
        assert bool(was.sentence) == bool(now.sentence)
    session.logbook.add(session.run("refresh token"), session.clock(), 1.0)
    (logged,) = asked_last(session)
    effect = effect_of_edits(session, earlier, (), (logged,), session.engine, "", lambda: False)
    assert (effect.judged, effect.unjudged) == (0, 1)
    assert [change.before.ranking[0] for change in effect.otherwise] == ["auth/jwt.html"]


def test_of_two_moved_twins_each_is_known_by_its_name(garden: Tree) -> None:
    for name in ("one", "two"):
        garden.file(f"twins/{name}.md", "# Twin\n\nOne of two twins.\n", 5)
    session = garden.session()
    held = hold(session.snapshot)
    shutil.move(garden.tree / "twins", garden.tree / "pair")
    session.load()
    earlier = held.earlier(session.snapshot)
    assert earlier.paths_now == {"twins/one.md": "pair/one.md", "twins/two.md": "pair/two.md"}
    effect = effect_of_edits(session, earlier, (), (Judgment("t", "twin"),), session.engine, "", lambda: False)
    assert not effect.otherwise


def test_a_note_that_was_moved_out_of_the_scope_is_named_by_its_path_now(garden: Tree) -> None:
    for name, text in (("first", "zeta " * 3), ("last", "a longer text, of which one word is zeta")):
        garden.note(f"zeta/{name}.md", name.title(), text, days=0)
    session = garden.session()
    held = hold(session.snapshot)
    shutil.move(garden.tree / "zeta/last.md", garden.tree / "other.md")
    garden.note("zeta/new.md", "New", "zeta " * 2, days=0)
    session.load()
    variant = Variant(earlier=held.earlier(session.snapshot))
    said = causes_of_change(session, variant, Judgment("t", "zeta", "zeta"), session.engine, "")
    assert tuple(each.text for each in said[:2]) == ("zeta/new.md: rank not found → 2", "other.md: rank 2 → not found")


def test_texts_of_earlier_edits_are_let_go(garden: Tree) -> None:
    session = garden.session()
    held = hold(session.snapshot)
    assert held is not None
    for number in range(6):
        garden.file(STORE, f"# Token store\n\nEdit {number} of the refresh token.\n", 0)
        session.load()
        earlier = held.earlier(session.snapshot)
        assert effect_of_edits(session, earlier, QUERIES, (), "byterover", "", lambda: False) is not None
    del earlier
    gc.collect()
    mine = [each for each in gc.get_objects() if isinstance(each, EarlierNotes) and each.paths == (STORE,)]
    assert len(mine) == 1
    generations = {snapshot.generation for snapshot in _snapshots_of(session)} - {UNPUBLISHED}
    assert min(generations) >= session.snapshot.generation - 2  # the session itself keeps the last three


def _snapshots_of(session: Session) -> list[Snapshot]:
    """The snapshots of this session's project that are alive."""
    alive = [each for each in gc.get_objects() if isinstance(each, Snapshot)]
    return [each for each in alive if each.project.root == session.project.root]
