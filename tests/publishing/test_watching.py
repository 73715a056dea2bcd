"""Every change of a tree or repository is in the next snapshot; memory is returned to the system."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from brvtui.publishing import publisher
from brvtui.tree.reading.signals import SignalsError
from tests.support.following import Following, following
from tests.support.trees import Tree
from tests.test_loading import same


@pytest.fixture
def followed(tree: Tree) -> Iterator[Following]:
    for number in range(6):
        tree.note(f"auth/jwt/n{number}.md", f"Rotation {number}", "tokens rotate")
    tree.note("ops/deep/down/a.md", "Deploy", "roll back")
    with following(tree.session()) as result:
        assert not result.begun.why
        assert not result.begun.poll_seconds
        yield result


def equals_a_fresh_one(followed: Following, tree: Tree) -> bool:
    same(followed.session.snapshot, tree.session().snapshot, random.Random(1))
    return True


def is_made_again(followed: Following, tree: Tree) -> None:
    """A removed folder is noticed as removed, and followed when it exists again."""
    assert followed.until(lambda: not followed.session.snapshot.notes)
    tree.note("new/a.md", "New")
    assert followed.until(lambda: followed.has("new/a.md"))
    tree.note("new/b.md", "Newer")
    assert followed.until(lambda: followed.has("new/a.md", "new/b.md"))


def test_removed_and_recreated_tree_is_followed(followed: Following, tree: Tree) -> None:
    shutil.rmtree(tree.tree)
    is_made_again(followed, tree)
    assert equals_a_fresh_one(followed, tree)


def test_removed_and_recreated_brv_folder_is_followed(followed: Following, tree: Tree) -> None:
    shutil.rmtree(tree.root / ".brv")
    is_made_again(followed, tree)
    assert equals_a_fresh_one(followed, tree)


def test_exchanged_brv_folder_is_followed(followed: Following, tree: Tree, tmp_path: Path) -> None:
    other = Tree(tmp_path / "other")
    other.note("other/a.md", "Other")
    (tree.root / ".brv").rename(tmp_path / "old")
    (other.root / ".brv").rename(tree.root / ".brv")
    assert followed.until(lambda: followed.has("other/a.md"))
    tree.note("other/b.md", "Later")
    assert followed.until(lambda: followed.has("other/b.md"))
    assert equals_a_fresh_one(followed, tree)


def test_removed_and_recreated_project_is_followed(followed: Following, tree: Tree) -> None:
    shutil.rmtree(tree.root)
    is_made_again(followed, tree)


def test_exchanged_folder_is_followed(followed: Following, tree: Tree, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "n0.md").write_text("# Other\n")
    (tree.tree / "auth/jwt").rename(tmp_path / "old")
    beside.rename(tree.tree / "auth/jwt")
    assert followed.until(lambda: followed.lacks("auth/jwt/n1.md"))
    assert [note.title for note in followed.session.snapshot.notes if note.path == "auth/jwt/n0.md"] == ["Other"]
    tree.note("auth/jwt/later.md", "Later")
    assert followed.until(lambda: followed.has("auth/jwt/later.md"))
    assert equals_a_fresh_one(followed, tree)


def test_note_saved_by_rename_is_followed(followed: Following, tree: Tree) -> None:
    place = tree.tree / "auth/jwt/n0.md"
    place.rename(place.with_suffix(".md~"))
    draft = place.with_name(".n0.md.swp")
    draft.write_text("# Written\n")
    draft.rename(place)
    place.with_suffix(".md~").unlink()
    snapshot = followed.session
    assert followed.until(lambda: "Written" in [note.title for note in snapshot.snapshot.notes])
    assert equals_a_fresh_one(followed, tree)


def test_touched_note_changes_the_fingerprint(followed: Following, tree: Tree) -> None:
    before = followed.session.snapshot.fingerprint
    tree.age("auth/jwt/n0.md", 40)
    assert followed.until(lambda: followed.session.snapshot.fingerprint != before)
    assert equals_a_fresh_one(followed, tree)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_checking_out_a_thousand_files_is_followed(followed: Following, tree: Tree) -> None:
    def git(*words: str) -> None:
        known = ("-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")
        subprocess.run(("git", *known, *words), cwd=tree.root, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "few")
    git("checkout", "-qb", "many")
    for number in range(1000):
        tree.file(f"many/{number % 25}/n{number}.md", f"# Note {number}\n")
    (tree.tree / "ops/deep/down/a.md").unlink()
    git("add", "-A")
    git("commit", "-qm", "many")
    assert followed.until(lambda: len(followed.session.snapshot.notes) == 1006)
    git("checkout", "-q", "-")
    assert followed.until(lambda: len(followed.session.snapshot.notes) == 7)
    git("checkout", "-q", "many")
    assert followed.until(lambda: len(followed.session.snapshot.notes) == 1006)
    assert equals_a_fresh_one(followed, tree)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may enter every folder")
def test_folder_that_becomes_readable_again_is_followed(followed: Following, tree: Tree) -> None:
    (tree.tree / "ops").chmod(0)
    assert followed.until(lambda: followed.lacks("ops/deep/down/a.md"))
    (tree.tree / "ops").chmod(0o755)
    assert followed.until(lambda: followed.has("ops/deep/down/a.md"))
    tree.note("ops/deep/down/b.md", "New")
    assert followed.until(lambda: followed.has("ops/deep/down/b.md"))


@pytest.mark.parametrize("watched", [True, False])
def test_watching_process_releases_memory_after_several_snapshots(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, watched: bool
) -> None:
    given: list[int] = []
    monkeypatch.setattr(publisher, "release_freed_memory", lambda: given.append(1))
    monkeypatch.setattr(publisher, "_RELEASED_EVERY", 4)
    path = tree.note("a/one.md", "One")
    session = tree.session()
    try:
        if watched:
            session.watch(lambda: None)
        session.refresh()
        first = len(given)
        for number in range(8):
            tree.note(path, f"Title {number}")
            assert session.refresh((tree.tree / path,))
        assert (first, len(given)) == ((1, 3) if watched else (0, 0))
    finally:
        session.close()


def test_signals_written_during_a_full_reload_are_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tree.note("auth/one.md", "One")
    tree.sidecar_file(path, {"importance": 11})
    session = tree.session()
    kept = session._publisher
    assert isinstance(kept, publisher.Publisher)

    def update(*_: object) -> None:
        kept._notice(frozenset({str(tree.sidecar_file(path, {"importance": 77}))}))

    try:
        session.watch(lambda: None)
        session.refresh()
        assert session.snapshot.signals[0].importance == 11
        with monkeypatch.context() as patch:
            patch.setattr(publisher, "update", update)
            session.refresh((tree.tree / path,))
        session.refresh()
        assert session.snapshot.signals[0].importance == 77
    finally:
        session.close()


def test_closed_project_is_not_watched(tree: Tree) -> None:
    tree.note("auth/one.md", "One")
    session, before = tree.session(), threading.active_count()
    session.close()
    session.watch(lambda: None)
    assert threading.active_count() <= before


def test_changes_noticed_before_an_error_are_loaded_later(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        tree.note(f"a/{name}.md", name)
    session = tree.session()

    def broken(*_: object) -> None:
        raise SignalsError("broken")

    try:
        session.watch(lambda: None)
        session.refresh()
        tree.note("a/one.md", "Changed")
        with monkeypatch.context() as patch:
            patch.setattr(publisher.StoredSignals, "layers", broken)
            with pytest.raises(SignalsError):
                session.refresh((tree.tree / "a/one.md",))
        tree.note("a/two.md", "Changed, too")
        session.refresh((tree.tree / "a/two.md",))
        assert {note.title for note in session.snapshot.notes} == {"Changed", "Changed, too"}
    finally:
        session.close()
