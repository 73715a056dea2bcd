"""The notes at a git revision: the same as in a checkout, or refused in one line that names the file."""

from __future__ import annotations

import os
import random
import zlib

import pytest

from brvtui.fleet.opening import commit_of, git_snapshot
from brvtui.loading import load
from brvtui.loading.revised import difference_to, revised, revision_of
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history import revision
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.project import find_project
from tests.support.trees import BRV3, NOW_MS, Tree, changed
from tests.tree.test_repository import run_git

LARGE = "# Large\n" + "gate " * 2_200_000


def commit(tree: Tree) -> None:
    if not (tree.root / ".git").exists():
        run_git(tree.root, "init", "-q")
    run_git(tree.root, "add", "-A")
    run_git(tree.root, "commit", "-q", "-m", "notes")


def now(tree: Tree, constants: TreeConstants = BRV3) -> Snapshot:
    return load(find_project(tree.root), constants, NOW_MS)


def at(tree: Tree, name: str, constants: TreeConstants = BRV3) -> Snapshot:
    snapshot = now(tree, constants)
    return revised(snapshot, constants, NOW_MS, difference_to(snapshot, revision_of(snapshot, name)))


def searched(snapshot: Snapshot) -> tuple[list[tuple[str, str]], list[tuple[str, str]], str]:
    titles = sorted((note.path, note.title) for note in snapshot.notes)
    return titles, sorted((file.path, file.reason) for file in snapshot.unseen), snapshot.engine_failure


def fleet_at(tree: Tree, name: str, constants: TreeConstants = BRV3) -> Snapshot:
    return git_snapshot(tree.root, commit_of(tree.root, name), ".brv/context-tree", constants, NOW_MS)


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


TARGETS = {
    "c.md": "c.md", "a path": "../tree/sub/../c.md", "another link": "hop.txt", "a folder behind a link": "sub/up/c.md",
    "outside and back": "../../out/context-tree/c.md", "an absolute path": "{tree}/c.md",
}  # fmt: skip
HARMLESS = {
    "nothing": "none.md", "itself": "a.md", "a folder": "sub", "a hidden file": ".hidden.md", "another kind": "x.txt",
    "a file outside": "../../README.md", "a file of the system": "/etc/passwd", "a summary": "_index.md",
}  # fmt: skip


def linked(tree: Tree, target: str) -> None:
    """Commits ``a.md`` as a link to ``target``, and then as a note."""
    tree.note("c.md", "Carrier")
    tree.note(".hidden.md", "Hidden")
    tree.file("x.txt", "a text")
    tree.summary("")
    tree.note("sub/d.md", "Deep")
    (tree.tree / "sub" / "up").symlink_to("..")
    (tree.tree / "hop.txt").symlink_to("c.md")
    (tree.root / "out").symlink_to(".brv")
    (tree.root / "README.md").write_text("read")
    (tree.tree / "a.md").symlink_to(target.format(tree=tree.tree))
    commit(tree)
    (tree.tree / "a.md").unlink()
    tree.note("a.md", "Resends")
    commit(tree)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_revision_with_a_link_to_a_note_is_refused(target: str, tree: Tree) -> None:
    linked(tree, target.replace("../tree/", "../context-tree/"))
    with pytest.raises(RevisionError, match=r"^HEAD~1: a\.md is a symlink to another note") as refusal:
        at(tree, "HEAD~1")
    assert "\n" not in str(refusal.value)
    with pytest.raises(RevisionError, match=r"a\.md is a symlink to another note"):
        git_snapshot(tree.root, commit_of(tree.root, "HEAD~1"), ".brv/context-tree", BRV3, NOW_MS)


@pytest.mark.parametrize("target", HARMLESS.values(), ids=HARMLESS)
def test_revision_with_a_link_to_anything_else_is_read(target: str, tree: Tree) -> None:
    linked(tree, target)
    (found, _, failure) = searched(at(tree, "HEAD~1"))
    run_git(tree.root, "checkout", "-q", "HEAD~1")
    (expected, unseen, expected_failure) = searched(now(tree))
    assert (found, failure) == (expected, expected_failure) == ([("c.md", "Carrier"), ("sub/d.md", "Deep")], "")
    assert "a.md" in dict(unseen)


def test_new_link_to_a_note_does_not_affect_earlier_revisions(tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    commit(tree)
    (tree.tree / "a.md").symlink_to("c.md")
    assert "a.md: a symlink to another note" in now(tree).engine_failure
    assert at(tree, "HEAD").engine_failure == ""


@pytest.mark.parametrize("seed", range(8))
def test_only_notes_within_the_limit_of_the_engine_are_compared(
    seed: int, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes that only the revision has are as old as its commit; others keep their age."""
    rng = random.Random(seed)
    committed_s = int(NOW_MS) // 1000 - rng.choice((1_000, 5_000_000))
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{committed_s} +0000")
    limited = changed(BRV3, limits={"max_files": 4})
    for number in range(20):
        tree.note(f"{rng.choice('abc')}/{number:02}.md", f"Old {number}", days=99)
    commit(tree)
    for path in sorted(tree.tree.rglob("*.md")):
        name = path.relative_to(tree.tree).as_posix()
        if rng.random() < 0.4:
            path.unlink()
        elif rng.random() < 0.7:
            tree.note(name, f"Renewed {name}", days=rng.choice((0, 0.01, 0.02, 50)))
    for number in range(12):
        tree.note(f"{rng.choice('abc')}/new{number}.md", "New", days=rng.choice((0, 50)))
    found, own = at(tree, "HEAD", limited), {path: path.stat().st_mtime_ns for path in tree.tree.rglob("*.md")}
    run_git(tree.root, "stash", "-q", "--include-untracked")
    for path in tree.tree.rglob("*.md"):
        moment = own.get(path, committed_s * 1_000_000_000)
        os.utime(path, ns=(moment, moment))
    assert searched(found)[0] == searched(now(tree, limited))[0]
    assert len(found.edited) <= 8


def test_too_much_text_in_a_repository_is_refused_in_one_sentence(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.note("a.md", "Note")
    commit(tree)
    monkeypatch.setattr(revision, "_MOST_CONTENT", 3)
    with pytest.raises(RevisionError, match=r": more than 3 bytes of notes; name a smaller folder$"):
        fleet_at(tree, "HEAD")


def test_huge_size_limit_takes_no_memory(tree: Tree) -> None:
    tree.note("a.md", "Note")
    commit(tree)
    huge = changed(BRV3, limits={"max_file_bytes": 10**15})
    tree.note("a.md", "Changed")
    for found in (at, fleet_at):
        assert [note.title for note in found(tree, "HEAD", huge).notes] == ["Note"]
