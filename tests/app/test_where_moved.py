"""The new path of a note that moved while it was edited; a copy with the same text is never mistaken for the note."""

from __future__ import annotations

import os

import pytest

from brvtui.app.editing import note_saving
from brvtui.app.editing.note_on_disk import DraftRequest, OnDisk, find_draft, on_disk, where_moved, write_draft
from brvtui.app.editing.note_saving import SaveConflict
from brvtui.session import Session
from brvtui.store.drafts import DraftStore
from brvtui.timing import system_clock
from brvtui.tree.editing.note_text import note_text
from tests.support.trees import Tree

NOTE, TWIN, MOVED = "ops/t1.md", "ops/t2.md", "ops/moved.md"
TEXT = "# Twin\n\nthe same text\n"


@pytest.fixture
def twins(tree: Tree) -> Tree:
    tree.file(NOTE, TEXT)
    tree.file(TWIN, TEXT)
    return tree


def later_ms() -> float:
    """A time after every file's modification."""
    return system_clock() + 60_000


def found(session: Session, disk: OnDisk, at_ms: float) -> str:
    """The current path of ``disk``'s note, or "" if it is unknown."""
    assert disk.version is not None
    session.load()
    now = where_moved(session, disk.path, disk.version.sha256, disk.version.inode, at_ms)
    return now.path if now is not None else ""


def test_existing_copy_is_not_offered_for_a_draft(twins: Tree) -> None:
    session = twins.session(now_ms=None)
    version = on_disk(session, NOTE).version
    assert version is not None
    DraftStore(twins.tree).keep(NOTE, b"# Twin\n\nmine\n", version.sha256, later_ms(), version.inode)
    (twins.tree / NOTE).unlink()
    session.load()
    draft = find_draft(session, on_disk(session, NOTE), note_text(b""))
    assert draft is not None
    assert draft.moved is None


def test_existing_copy_is_not_offered_for_a_save(twins: Tree) -> None:
    session = twins.session()
    disk = on_disk(session, NOTE)
    (twins.tree / NOTE).unlink()
    session.load()
    conflict = note_saving.save(session, disk, b"# Twin\n\nmine\n", False)
    assert isinstance(conflict, SaveConflict)
    assert (conflict.theirs.data, conflict.moved) == (None, None)


@pytest.mark.parametrize(("path", "target"), [(NOTE, MOVED), ("ops", "dev")])
def test_renamed_file_or_folder_is_recognised(tree: Tree, path: str, target: str) -> None:
    tree.file(NOTE, TEXT)
    tree.file("other/t2.md", TEXT)
    session = tree.session()
    disk = on_disk(session, NOTE)
    (tree.tree / path).rename(tree.tree / target)
    assert found(session, disk, later_ms()) == NOTE.replace(path, target)


def test_new_file_is_the_moved_note_only_if_its_text_is_unique(tree: Tree) -> None:
    tree.file(NOTE, TEXT)
    session = tree.session()
    disk = on_disk(session, NOTE)
    before_ms = system_clock() - 60_000
    tree.file("one.md", TEXT)
    (tree.tree / NOTE).unlink()
    tree.file("other.md", "another text")
    assert found(session, disk, before_ms) == "one.md"
    tree.file("two.md", TEXT)
    assert found(session, disk, before_ms) == ""


def test_moves_by_the_app_are_known_despite_copies(twins: Tree) -> None:
    session = twins.session()
    disk = on_disk(session, NOTE)
    session.notes.apply(session.notes.plan_move(NOTE, MOVED))
    assert found(session, disk, 0.0) == MOVED
    twins.file(MOVED, "another text")
    assert found(session, disk, 0.0) == "", "no other is, either"


def test_same_inode_identifies_the_note_among_copies(tree: Tree) -> None:
    tree.file(NOTE, TEXT)
    session = tree.session()
    disk = on_disk(session, NOTE)
    before_ms = system_clock() - 60_000
    (tree.tree / NOTE).rename(tree.tree / MOVED)
    tree.file("copy.md", TEXT)
    assert found(session, disk, before_ms) == MOVED
    os.link(tree.tree / MOVED, tree.tree / "ops/linked.md")
    assert found(session, disk, before_ms) == "", "two are the same file"


@pytest.mark.parametrize("ahead_ms", [-86_400_000, 86_400_000])
def test_moves_and_drafts_use_system_time_with_a_frozen_clock(twins: Tree, ahead_ms: float) -> None:
    session = twins.session(now_ms=system_clock() + ahead_ms)
    disk = on_disk(session, NOTE)
    before_ms = system_clock()
    write_draft(session, DraftRequest(NOTE, b"# Twin\n\nmine\n", disk.version))
    kept = DraftStore(twins.tree).read(NOTE)
    assert kept is not None
    assert before_ms <= kept.at_ms <= system_clock()
    session.notes.apply(session.notes.plan_move(NOTE, MOVED))
    assert [found(session, disk, at_ms) for at_ms in (disk.read_ms, kept.at_ms)] == [MOVED, MOVED]
    draft = find_draft(session, on_disk(session, NOTE), note_text(b""))
    assert draft is not None
    assert draft.moved is not None
    assert draft.age_s < 60
