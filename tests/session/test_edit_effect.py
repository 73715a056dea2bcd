"""Effects of edits: the stored notes give the earlier answers, and the reported changes are correct."""

from __future__ import annotations

import gc
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.lab.evaluation.comparing import ChangeLine, LineKind
from brvtui.lab.evaluation.results import QueryResult
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.lab.whatif.variant import EarlierNotes, Variant
from brvtui.loading.revised import UNPUBLISHED
from brvtui.notes.signals import SignalTarget
from brvtui.session import Session
from brvtui.session.edit_effect import EditEffect, asked_last, causes_of_change, edits_behind, effect_of_edits
from brvtui.session.held_notes import HeldNotes, hold
from brvtui.snapshot import Snapshot
from brvtui.tree.engine_files.query_log import ENGINE, LoggedQuery
from tests.app.garden import plant
from tests.support.spaces import SPACE_ID, small_space
from tests.support.trees import NOW_MS, Tree

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
def test_kept_notes_give_the_earlier_answers(garden: Tree, engine: str) -> None:
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


def test_responsible_edit_is_named_among_several_edits(garden: Tree) -> None:
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
    assert cause == ChangeLine.of_cause(f"{ROTATION} was edited: with its old text, the old ranking is back (tried)")


def test_first_note_that_rose_and_the_one_that_fell_are_both_named(garden: Tree) -> None:
    old, fresh = "zoo/old_zebra.md", "zoo/zebra.md"
    for path, days in ((old, 300), (fresh, 20)):
        garden.file(path, "# Zebra\n\nStripes of the zebra.\n", days)
    session = garden.session()
    held = hold(session.snapshot)
    garden.file(old, "# Zebra\n\nStripes of this zebra.\n", 0)
    session.load()
    for graded in (old, fresh):
        judged = Judgment("z", "zebra stripes", "", "", "", (JudgedDocument(graded, 3),))
        lines = causes_of_change(session, Variant(earlier=held.earlier(session.snapshot)), judged, session.engine, "")
        ranks = [line.text.partition(", ")[0] for line in lines if line.kind is LineKind.RANK]
        assert sorted(ranks) == [f"{old}: rank 2 → rank 1", f"{fresh}: rank 1 → rank 2"]


def test_only_the_edit_that_changed_the_quotes_is_their_cause(garden: Tree) -> None:
    """The first note and the tier stay, so no metric falls; of three edits, one is responsible."""
    for name, text in (("first", "zeta " * 9), ("second", "zeta eta iota"), ("other", "theta"), ("third", "iota")):
        garden.note(f"zoo/{name}.md", name.title(), text, days=1)
    session = garden.session()
    held = hold(session.snapshot)
    for name, text in (("second", "eta " * 6), ("other", "theta kappa"), ("third", "iota kappa")):
        garden.note(f"zoo/{name}.md", name.title(), text, days=1)
    session.load()
    judged = Judgment("q", "zeta", "", "", "", (JudgedDocument("zoo/first.md", 3),))
    effect = asked(session, (judged,), held)
    (change,) = effect.otherwise
    assert (change.changes_outcome, effect.worse) == (False, ())
    lines = causes_of_change(session, Variant(earlier=effect.earlier), judged, session.engine, "")
    (cause,) = [line.text for line in lines if line.kind is LineKind.CAUSE]
    assert "zoo/second.md" in cause
    assert not {path for path in ("zoo/other.md", "zoo/third.md") if path in cause}


@pytest.mark.parametrize("edited", ["first", "score", "nothing"])
def test_edits_explain_a_logged_answer_only_if_it_is_back_without_them(garden: Tree, edited: str) -> None:
    for name, text in (("first", "zeta " * 9), ("second", "eta zeta " * 3)):
        garden.note(f"zoo/{name}.md", name.title(), text, days=20)
    session = garden.session()
    held, then = hold(session.snapshot), session.preview("zeta")
    entry = LoggedQuery(
        NOW_MS - 1_000, "zeta", ENGINE, "completed", then.tier, 5.0, then.hits[0].score, 1, (then.hits[0].path,)
    )
    if edited == "nothing":  # another cause, such as a profile
        entry = replace(entry, paths=("deploy/rollback.md",))
    edit = ("first", "Zeta", "zeta " * 9) if edited == "first" else ("second", "Second", "eta zeta " * 3)
    garden.note(f"zoo/{edit[0]}.md", *edit[1:], days=0)
    garden.note("zoo/other.md", "Other", "theta " * 9, days=0)
    session.load()
    compared = session.explainer.compare_logged(entry)
    assert compared.differences
    causes = edits_behind(session, compared, held.earlier(session.snapshot))
    if edited == "nothing":
        assert causes == ()
    else:
        (cause,) = causes
        assert "(tried)" in cause
        assert compared.is_other is ("zoo/first.md" in cause) is (edited == "first")


def test_effect_of_an_edits_time_is_not_attributed_to_its_text(garden: Tree) -> None:
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
        f"the file time of {old} changed: with the old one, the old ranking is back (tried)"
    )


def test_joint_effect_of_text_and_time_is_attributed_to_neither(garden: Tree) -> None:
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
    told = f"{old} was edited: only with its old text and file time together, "
    assert cause == ChangeLine.of_cause(f"{told}the old ranking is back (tried)")


def test_overlay_signals_are_reverted_and_named_as_a_cause(garden: Tree) -> None:
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
    message = causes_of_change(session, Variant(earlier=earlier), judgment, "byterover", "")
    assert message[-1].text == (
        f"cause: the maturity or importance of {ROTATION} was set: without that, the old outcome is back (tried)"
    )


def test_signals_and_edit_of_one_note_are_reverted_together(garden: Tree) -> None:
    session = garden.session()
    before, held = answers(session, Variant()), hold(session.snapshot)
    make_core(session, ROTATION)
    garden.file(ROTATION, "# Refresh token\n\nrefresh token refund rollback\n", 0)
    garden.file(STORE, "# Something else\n\nNothing of it is left.\n", 0)
    session.load()
    earlier = held.earlier(session.snapshot)
    assert set(earlier.paths) == {ROTATION, STORE}
    assert all(same(*pair) for pair in zip(before, answers(session, Variant(earlier=earlier)), strict=True))


def test_recorded_hits_do_not_count_as_edits(garden: Tree) -> None:
    session = Session.open(garden.root, now_ms=NOW_MS)
    session.recording = True
    session.load()
    held = hold(session.snapshot)
    session.run("refresh token")
    session.load()
    place = session.snapshot.by_path[ROTATION]
    assert session.snapshot.signals[place].importance > held.signals[ROTATION].importance
    assert held.earlier(session.snapshot) is None


def test_note_with_only_a_new_time_does_not_count_as_edited(garden: Tree) -> None:
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
        f"the file time of {old} changed: with the old one, the old ranking is back (tried)"
    )


def test_edit_with_a_kept_file_time_is_detected(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    session = garden.session()
    held = hold(session.snapshot)
    text = (garden.tree / STORE).read_text()
    garden.file(STORE, text.replace("hashed", "HASHED"), 2)  # keeps the file's time and size
    session.load()
    earlier = held.earlier(session.snapshot)
    assert earlier.paths == (STORE,)
    monkeypatch.setattr("brvtui.session.held_notes.MOST_BYTES", 100)
    assert hold(session.snapshot) is None


def test_edit_made_before_texts_were_kept_is_not_counted(garden: Tree) -> None:
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


def test_space_keeps_all_texts_and_uses_logged_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_moved_notes_with_equal_text_are_matched_by_name(garden: Tree) -> None:
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


def test_note_moved_out_of_the_scope_is_named_by_its_new_path(garden: Tree) -> None:
    for name, text in (("first", "zeta " * 3), ("last", "a longer text, of which one word is zeta")):
        garden.note(f"zeta/{name}.md", name.title(), text, days=0)
    session = garden.session()
    held = hold(session.snapshot)
    shutil.move(garden.tree / "zeta/last.md", garden.tree / "other.md")
    garden.note("zeta/new.md", "New", "zeta " * 2, days=0)
    session.load()
    variant = Variant(earlier=held.earlier(session.snapshot))
    message = causes_of_change(session, variant, Judgment("t", "zeta", "zeta"), session.engine, "")
    assert tuple(each.text for each in message[:2]) == (
        "zeta/new.md: rank not found → 2",
        "other.md: rank 2 → not found",
    )


def test_texts_of_earlier_edits_are_released(garden: Tree) -> None:
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
    assert min(generations) >= session.snapshot.generation - 2  # the session itself keeps the last three snapshots


def test_snapshots_of_earlier_edits_are_released_without_the_garbage_collector(garden: Tree) -> None:
    """In the app, a collection that finds old snapshots may be thousands of edits away."""
    session = garden.session()
    held = hold(session.snapshot)
    assert held is not None
    gc.collect()
    gc.disable()
    try:
        for number in range(12):
            garden.file(STORE, f"# Token store\n\nEdit {number} of the refresh token.\n", 0)
            session.load()
            earlier = held.earlier(session.snapshot)
            assert effect_of_edits(session, earlier, QUERIES, (), "byterover", "", lambda: False) is not None
        assert len(_snapshots_of(session)) <= 4  # the last three, and the earlier notes
    finally:
        gc.enable()


def _snapshots_of(session: Session) -> list[Snapshot]:
    """The snapshots of this session's project that still exist in memory."""
    alive = [each for each in gc.get_objects() if isinstance(each, Snapshot)]
    return [each for each in alive if each.project.root == session.project.root]
