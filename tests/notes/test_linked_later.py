"""A tree that moves behind a symlink while its project is open: nothing is read or written through it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from brvtui.loading.revised import revision_of
from brvtui.notes.plan import NoteError
from brvtui.session import Session
from brvtui.tree.history.git import RevisionError
from brvtui.tree.saving import note_files
from brvtui.tree.saving.note_files import SaveError
from tests.support.trees import Tree

SECRET = "a walrus of others"


@pytest.fixture(params=[".brv", ".brv/context-tree"])
def swapped(request: pytest.FixtureRequest, tree: Tree, tmp_path: Path) -> tuple[Session, Path]:
    """The session of a project in which a folder later became a link to another project's folder, and that tree."""
    tree.note("x/n.md", "Quokka", "a quokka")
    tree.notes(3)
    session = tree.session()
    assert session.snapshot.text("x/n.md")
    other = tmp_path / "other"
    shutil.copytree(tree.root / ".brv", other / ".brv")
    (other / ".brv/context-tree/x/secret.md").write_text(f"# Secret\n\n{SECRET}\n")
    place = tree.root / request.param
    place.rename(tree.root / "before")
    place.symlink_to(other / request.param)
    return session, other / ".brv/context-tree"


def state_of(folder: Path) -> list[tuple[Path, bytes]]:
    return [(path, path.read_bytes() if path.is_file() else b"") for path in sorted(folder.rglob("*"))]


def test_folder_replaced_by_a_link_is_not_read(swapped: tuple[Session, Path]) -> None:
    session, _ = swapped
    with pytest.raises(OSError, match="behind a symlink"):
        session.snapshot.text("x/n.md")
    for places in ((), (session.project.tree / "x/n.md",)):
        session.refresh(places)
        assert not session.snapshot.notes
        assert any("is now behind a symlink" in notice for notice in session.snapshot.notices)
    with pytest.raises(RevisionError, match="behind a symlink"):
        revision_of(session.snapshot, "HEAD")


def test_folder_replaced_by_a_link_is_not_written(swapped: tuple[Session, Path]) -> None:
    session, other = swapped
    before, tree = state_of(other), session.project.tree
    _, version = note_files.read_note_file(other, "x/n.md")
    with pytest.raises((SaveError, NoteError), match="behind a symlink"):
        session.notes.save("x/n.md", b"# Changed\n", version)
    with pytest.raises((SaveError, NoteError), match="behind a symlink"):
        session.notes.save("x/new.md", b"# New\n", None)
    with pytest.raises((NoteError, SaveError, OSError), match="behind a symlink"):
        session.notes.apply(session.notes.plan_archive("x/n.md"))
    with pytest.raises(SaveError, match="behind a symlink"):
        note_files.remove(tree, "x/n.md", version)
    assert state_of(other) == before


def test_tree_is_read_again_after_link_is_removed(swapped: tuple[Session, Path]) -> None:
    session, _ = swapped
    session.refresh()
    assert not session.snapshot.notes
    link = next(place for place in (session.project.tree, session.project.tree.parent) if place.is_symlink())
    link.unlink()
    (session.project.root / "before").rename(link)
    session.refresh()
    assert session.snapshot.text("x/n.md")
    assert not any("is now behind a symlink" in notice for notice in session.snapshot.notices)


def test_shared_source_replaced_by_a_link_is_skipped(tree: Tree, tmp_path: Path) -> None:
    shared = Tree(tmp_path / "shared")
    shared.note("x/s.md", "Shared", SECRET)
    shared.notes(3)
    tree.notes(3)
    tree.source(("docs", shared))
    session = tree.session()
    assert session.preview("walrus").hits
    shared.tree.rename(tmp_path / "away")
    shared.tree.symlink_to(tmp_path / "away")
    session.refresh()
    assert not session.preview("walrus").hits
    assert any("is now behind a symlink" in notice for notice in session.snapshot.notices)
