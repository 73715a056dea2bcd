"""The notes at a git revision: the same as in a checkout, or refused in one line that names the file."""

from __future__ import annotations

import zlib

from brvtui.fleet.opening import commit_of, git_snapshot
from brvtui.loading import load
from brvtui.loading.revised import difference_to, revised, revision_of
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.project import find_project
from tests.support.trees import BRV3, NOW_MS, Tree
from tests.tree.test_repository import run_git

LARGE = "# Large\n" + "gate " * 2_200_000


def commit(tree: Tree) -> None:
    if not (tree.root / ".git").exists():
        run_git(tree.root, "init", "-q")
    run_git(tree.root, "add", "-A")
    run_git(tree.root, "commit", "-q", "-m", "notes")


def now(tree: Tree) -> Snapshot:
    return load(find_project(tree.root), BRV3, NOW_MS)


def at(tree: Tree, name: str) -> Snapshot:
    snapshot = now(tree)
    return revised(snapshot, BRV3, NOW_MS, difference_to(snapshot, revision_of(snapshot, name)))


def searched(snapshot: Snapshot) -> object:
    titles = sorted((note.path, note.title) for note in snapshot.notes)
    return titles, sorted((file.path, file.reason) for file in snapshot.unseen), snapshot.engine_failure


def assert_equals_checkout(tree: Tree, name: str) -> None:
    found = searched(at(tree, name))
    run_git(tree.root, "checkout", "-q", name)
    assert found == searched(now(tree))
    run_git(tree.root, "checkout", "-q", "-")


def test_large_notes_at_a_revision_are_not_read(tree: Tree) -> None:
    for path in ("a.md", "b.md", "gone.md"):
        tree.file(path, LARGE)
    tree.note("c.md", "Small")
    commit(tree)
    tree.note("a.md", "Small now")
    tree.file("c.md", LARGE)
    (tree.tree / "gone.md").unlink()
    commit(tree)
    assert_equals_checkout(tree, "HEAD~1")
    snapshot = now(tree)
    assert sorted(difference_to(snapshot, revision_of(snapshot, "HEAD~1")).edits) == ["a.md", "c.md", "gone.md"]


def test_note_with_a_false_size_at_a_revision_is_not_read(tree: Tree) -> None:
    tree.note("a.md", "Old")
    tree.note("b.md", "Other")
    commit(tree)
    content = run_git(tree.root, "rev-parse", "HEAD:.brv/context-tree/a.md")
    tree.note("a.md", "Newer")
    commit(tree)
    file = tree.root / ".git" / "objects" / content[:2] / content[2:]
    file.chmod(0o600)
    file.write_bytes(zlib.compress(b"blob 99999999999\0# Old\n\n\n"))
    fleet = git_snapshot(tree.root, commit_of(tree.root, "HEAD~1"), ".brv/context-tree", BRV3, NOW_MS)
    for snapshot in (at(tree, "HEAD~1"), fleet):
        assert [note.path for note in snapshot.notes] == ["b.md"]
        assert [(file.path, file.reason) for file in snapshot.unseen] == [("a.md", "larger than 10 MB")]
