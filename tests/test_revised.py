"""The notes at a git revision are the same as in a checkout, or are refused in one line that names the file."""

from __future__ import annotations

import os
import random
import re
import shutil
import zlib
from contextlib import suppress
from dataclasses import replace

import pytest

from brvtui.disk.walking import MOST_DEPTH, TOO_DEEP
from brvtui.engines.contract import Context
from brvtui.fleet.opening import commit_of, git_snapshot
from brvtui.lab.answer_diff import AskedState, StateMixer
from brvtui.lab.whatif.variant import Variant
from brvtui.loading import load
from brvtui.loading.revised import UNCHANGED, difference_to, revised, revision_of
from brvtui.session.variants import replaced
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history import links, revision
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.files import DUPLICATE, UnseenFile
from brvtui.tree.reading.project import find_project
from tests.support.trees import BRV3, NOW_MS, Tree, changed
from tests.tree.test_repository import run_git

LARGE = "# Large\n" + "gate " * 2_200_000
SUBMODULE = "submodules are not read"


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


def listed(snapshot: Snapshot) -> dict[str, object]:
    """Everything that a user sees about the files in ``snapshot``, except submodules."""
    snapshot = replace(snapshot, unseen=tuple(file for file in snapshot.unseen if file.reason != SUBMODULE))
    notices = " ".join((*snapshot.limit_notices, *snapshot.unread)).replace(str(snapshot.project.tree), "TREE")
    files = [(file.path, file.mtime_ns) for file in snapshot.files]
    return {
        "notes": [(note.path, note.title, snapshot.text(note.path)) for note in snapshot.notes],
        "files": files, "unseen": snapshot.unseen, "notices": notices, "failure": snapshot.engine_failure,
    }  # fmt: skip


def assert_equals_checkout(tree: Tree, name: str, constants: TreeConstants = BRV3) -> None:
    """Compares a revision with its checkout, in which every file gets its time in the revision."""
    commit = run_git(tree.root, "rev-parse", name)
    for found in (at(tree, commit, constants), fleet_at(tree, commit, constants)):
        run_git(tree.root, "checkout", "-q", commit)
        for file in found.files:
            os.utime(tree.tree / file.path, ns=(file.mtime_ns, file.mtime_ns))
        assert listed(found) == listed(now(tree, constants))
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


def test_notes_that_were_empty_at_a_revision_and_are_too_large_now_are_read(tree: Tree) -> None:
    tree.file("a.md")
    tree.file("b.md", days=9)
    commit(tree)
    tree.file("a.md", LARGE)
    (tree.tree / "b.md").unlink()
    tree.file("c.md", LARGE, days=2)
    commit(tree)
    assert_equals_checkout(tree, "HEAD~1")
    assert {note.path: note.mtime_ms for note in at(tree, "HEAD~1").notes}["b.md"] > NOW_MS


def test_note_whose_recorded_size_is_wrong_is_not_read(tree: Tree) -> None:
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
    "outside and back": "../../out/context-tree/c.md", "an absolute path": "{tree}/c.md", "slashes": ".//./c.md",
    "several links": "../../one",
    "a path that leaves the repository": "../../../{tree.parent.parent.name}/.brv/context-tree/c.md",
}  # fmt: skip
HARMLESS = {
    "a copy elsewhere": "../../same.md", "the same name elsewhere": "../../other/c.md", "a note as a folder": "c.md/",
    "a missing folder and back": "none/../c.md", "a file and back": "c.md/../c.md", "no loop": "loop/c.md",
    "nothing outside": "../../../none/c.md", "a file of a note": "c.md/d.md",
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
    (tree.tree / "loop").symlink_to("loop")
    (tree.root / "out").symlink_to(".brv")
    (tree.root / "one").symlink_to("two")
    (tree.root / "two").symlink_to("out/context-tree/hop.txt")
    (tree.root / "same.md").write_text((tree.tree / "c.md").read_text())
    (tree.root / "other").mkdir()
    (tree.root / "other" / "c.md").write_text("# Other")
    (tree.root / "README.md").write_text("read")
    os.symlink(target.format(tree=tree.tree), tree.tree / "a.md")  # a Path would remove repeated slashes
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


def test_links_of_a_revision_lead_through_a_limited_number_of_folders(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked(tree, "sub/../" * 500 + "none.md")
    assert "a.md" in dict(searched(at(tree, "HEAD~1"))[1])
    monkeypatch.setattr(links, "_MOST_PARTS", 1000)
    with pytest.raises(RevisionError, match="its links pass through too many others; choose another revision"):
        at(tree, "HEAD~1")


@pytest.mark.parametrize("target", HARMLESS.values(), ids=HARMLESS)
def test_revision_with_a_link_to_anything_else_is_read(target: str, tree: Tree) -> None:
    linked(tree, target)
    (found, unseen, failure) = searched(at(tree, "HEAD~1"))
    assert (found, failure) == ([("c.md", "Carrier"), ("sub/d.md", "Deep")], "")
    assert "a.md" in dict(unseen)
    assert_equals_checkout(tree, "HEAD~1")


def test_new_link_to_a_note_does_not_affect_earlier_revisions(tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    commit(tree)
    (tree.tree / "a.md").symlink_to("c.md")
    assert "a.md: a symlink to another note" in now(tree).engine_failure
    assert at(tree, "HEAD").engine_failure == ""


@pytest.mark.parametrize("seed", range(8))
def test_only_notes_within_the_engine_limit_are_compared(
    seed: int, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed notes are as old as their commit, but not older than the oldest file; others keep their age."""
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
    own = {path: (path.stat().st_mtime_ns, path.read_text()) for path in tree.tree.rglob("*.md")}
    found, committed_ns = at(tree, "HEAD", limited), committed_s * 1_000_000_000
    run_git(tree.root, "stash", "-q", "--include-untracked")
    for path in tree.tree.rglob("*.md"):
        mtime_ns, text = own.get(path, (0, ""))
        is_same = text == path.read_text()
        moment = mtime_ns if is_same else max(committed_ns, min(each for each, _ in own.values()))
        os.utime(path, ns=(moment, moment))
    assert searched(found)[0] == searched(now(tree, limited))[0]
    assert len(found.edited) <= 8


def test_revision_with_notes_past_the_limit_has_the_notices_of_a_checkout(tree: Tree) -> None:
    for number in range(9):
        tree.note(f"{number}.md", f"Note {number}")
    commit(tree)
    for number in (0, 3, 8):
        (tree.tree / f"{number}.md").unlink()
    commit(tree)
    limited = changed(BRV3, limits={"max_files": 2})
    assert_equals_checkout(tree, "HEAD~1", limited)
    assert [len(found(tree, "HEAD~1", limited).unseen) for found in (at, fleet_at)] == [7, 7]


@pytest.mark.parametrize("depth", [MOST_DEPTH, MOST_DEPTH + 1])
def test_revision_has_the_depth_limit_of_a_checkout(depth: int, tree: Tree) -> None:
    tree.note("a.md", "Note")
    tree.note("d/" * depth + "b.md", "Deep")
    commit(tree)
    shutil.rmtree(tree.tree / "d")
    commit(tree)
    assert_equals_checkout(tree, "HEAD~1")
    assert any(TOO_DEEP in notice for notice in at(tree, "HEAD~1").limit_notices) == (depth > MOST_DEPTH)


def test_revision_names_its_submodules(tree: Tree) -> None:
    tree.note("a.md", "Note")
    commit(tree)
    run_git(tree.tree, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},.brv/context-tree/module")
    run_git(tree.root, "commit", "-q", "-m", "submodule")
    for found in (at(tree, "HEAD"), fleet_at(tree, "HEAD")):
        assert found.unseen == (UnseenFile("module", SUBMODULE),)
        assert found.unread == (f"not read: module ({SUBMODULE})",)


@pytest.mark.parametrize("place", [".brv", ".brv/context-tree"])
def test_tree_behind_a_link_at_a_revision_is_refused_with_the_link(place: str, tree: Tree) -> None:
    tree.note("a.md", "Note")
    (tree.root / place).rename(tree.root / "kept")
    (tree.root / place).symlink_to(tree.root / "kept")
    commit(tree)
    (tree.root / place).unlink()
    (tree.root / "kept").rename(tree.root / place)
    commit(tree)
    assert_equals_checkout(tree, "HEAD")
    for found in (at, fleet_at):
        with pytest.raises(
            RevisionError, match=rf": {re.escape(place)} is a symlink there, which is not followed; choose"
        ):
            found(tree, "HEAD~1")


@pytest.mark.parametrize("place", [".brv", ".brv/context-tree"])
def test_revision_from_before_the_tree_became_a_link_is_read_correctly(place: str, tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    (tree.tree / "a.md").symlink_to("../../.brv/context-tree/c.md")
    (tree.tree / "b.md").symlink_to("../../kept/c.md")
    commit(tree)
    (tree.tree / "a.md").unlink()
    commit(tree)
    (tree.root / place).rename(tree.root / "kept")
    (tree.root / place).symlink_to(tree.root / "kept")
    with pytest.raises(RevisionError, match=rf"^{re.escape(place)} is a link"):
        at(tree, "HEAD")
    with pytest.raises(RevisionError, match=r"a\.md is a symlink to another note"):
        fleet_at(tree, "HEAD~1")
    assert fleet_at(tree, "HEAD").unseen == (UnseenFile("b.md", "cannot be read: No such file or directory"),)


def damaged_link(tree: Tree, data: bytes) -> None:
    tree.note("c.md", "Carrier")
    (tree.tree / "a.md").symlink_to("none.md")
    commit(tree)
    content = run_git(tree.root, "rev-parse", "HEAD:.brv/context-tree/a.md")
    file = tree.root / ".git" / "objects" / content[:2] / content[2:]
    file.chmod(0o600)
    file.write_bytes(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"junk", r"git lacks the content of \S*a\.md: run git fsck"),
        (zlib.compress(b"blob 7\0none.md")[:-9], r"git cat-file failed: unable to stream"),
        (zlib.compress(b"blob 7\0else.md"), r"git does not return its content at .*; run git fsck"),
    ],
)
def test_damaged_link_at_a_revision_is_named_as_the_reason(data: bytes, reason: str, tree: Tree) -> None:
    damaged_link(tree, data)
    for found in (at, fleet_at):
        with pytest.raises(RevisionError, match=reason) as refusal:
            found(tree, "HEAD")
        assert not re.search("does not contain|holds no folder|\n", str(refusal.value))


def test_damaged_link_outside_the_tree_has_no_effect(tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    (tree.tree / "a.md").symlink_to("none.md")
    (tree.root / "other").symlink_to("elsewhere")
    commit(tree)
    content = run_git(tree.root, "rev-parse", "HEAD:other")
    (tree.root / ".git" / "objects" / content[:2] / content[2:]).unlink()
    assert [note.path for note in at(tree, "HEAD").notes] == ["c.md"]


def test_missing_folder_object_is_not_reported_as_a_missing_folder(tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    commit(tree)
    for place in ("HEAD:.brv", "HEAD^{tree}"):
        content = run_git(tree.root, "rev-parse", place)
        (tree.root / ".git" / "objects" / content[:2] / content[2:]).unlink()
        for found in (at, fleet_at):
            with pytest.raises(
                RevisionError, match=r"its files cannot be listed \(git ls-tree failed: .*\); choose another"
            ):
                found(tree, "HEAD")


def test_ignored_files_that_were_not_read_are_kept(tree: Tree) -> None:
    (tree.root / ".gitignore").write_text("own*")
    tree.note("c.md", "Carrier")
    commit(tree)
    tree.note("d.md", "Added")
    commit(tree)
    (tree.tree / "own.md").symlink_to("none.md")
    (tree.tree / "new.md").symlink_to("none.md")
    assert [file.path for file in at(tree, "HEAD~1").unseen] == ["own.md"]
    assert [file.path for file in now(tree).unseen] == ["new.md", "own.md"]


def test_tree_that_is_a_repository_itself_has_the_same_notices_at_a_revision(tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    tree.file("n.txt")
    tree.file(".a/n.md")
    run_git(tree.tree, "init", "-q")
    run_git(tree.tree, "add", "-A")
    run_git(tree.tree, "commit", "-q", "-m", "notes")
    (tree.tree / "n.txt").unlink()
    unseen = [file.path for file in at(tree, "HEAD").unseen]
    assert unseen == [".a", ".git", "n.txt"]


def test_states_between_a_revision_and_the_disk_have_the_notices_of_their_notes(tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    tree.file("then.txt")
    commit(tree)
    tree.note("c.md", "Changed")
    (tree.tree / "then.txt").rename(tree.tree / "now.txt")
    snapshot = now(tree)
    context = Context(snapshot, BRV3, NOW_MS)
    difference = difference_to(snapshot, revision_of(snapshot, "HEAD"))
    then = AskedState("then", context, BRV3, difference, snapshot.stored)
    mixer = StateMixer(then, replace(then, difference=UNCHANGED))
    variant = replaced(snapshot, BRV3, BRV3, NOW_MS, Variant(revision="HEAD"))
    states = [variant, *(mixer.mixed(kinds).snapshot for kinds in ((), mixer.kinds))]
    assert [[file.path for file in state.unseen] for state in states] == [["then.txt"], ["then.txt"], ["now.txt"]]


def test_folder_of_a_repository_may_have_more_slashes(tree: Tree) -> None:
    tree.note("c.md", "Carrier")
    (tree.tree / "a.md").symlink_to("none.md")
    commit(tree)
    plain = fleet_at(tree, "HEAD")
    odd = git_snapshot(tree.root, commit_of(tree.root, "HEAD"), "./.brv//context-tree/", BRV3, NOW_MS)
    assert listed(odd) == listed(plain)


def test_too_much_text_in_a_repository_is_refused_in_one_sentence(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.note("a.md", "Note")
    commit(tree)
    monkeypatch.setattr(revision, "_MOST_CONTENT", 3)
    with pytest.raises(RevisionError, match=r": more than 3 bytes of notes; choose a smaller folder$"):
        fleet_at(tree, "HEAD")


def test_huge_size_limit_uses_no_memory(tree: Tree) -> None:
    tree.note("a.md", "Note")
    commit(tree)
    huge = changed(BRV3, limits={"max_file_bytes": 10**15})
    tree.note("a.md", "Changed")
    for found in (at, fleet_at):
        assert [note.title for note in found(tree, "HEAD", huge).notes] == ["Note"]


FOLDERS = ("", "", "", "sub/", "sub/deep/", ".dot/", "sub/.dot/x/", "-x/", ":(top)/", "é/", "d/" * 200, "d/" * 201)
NAMES = (
    "a.md", "b.md", "c d.md", "é.md", "e\u0301.md", "*.md", '"q".md', "line\nbreak.md", "\udcff.md", ".hidden.md",
    "_index.md", "context.md", "x.abstract.md", "N.MD", "n.txt", "t.html", "picture.png", "no", "long" * 62 + ".md",
)  # fmt: skip
CONTENTS = ("", "# Note\n\ngate", "# Same", "# Large\n" + "gate " * 500, "\0\1\2" * 50, "---\ntype: summary\n---\n")
LINKS = (
    "none.md",
    "/etc/passwd",
    "/dev/null",
    "sub",
    "..",
    "../..",
    "sub/.dot",
    "loop",
    "x/../a.md",
    "{tree}/a.md",
    "",
)


def fill(tree: Tree, rng: random.Random) -> None:
    """Replaces the tree with a random one."""
    shutil.rmtree(tree.tree)
    tree.note("first.md", "First")
    paths = [f"{rng.choice(FOLDERS)}{rng.choice(NAMES)}" for _ in range(rng.randint(5, 25))]
    for path in paths:
        with suppress(FileExistsError, NotADirectoryError):
            tree.file(path, rng.choice(CONTENTS), rng.choice((0, 0.01, 9, 99)))
    for number in range(rng.choice((0, 1, 3))):
        name = rng.choice(
            (f"link{number}.md", f"sub/link{number}.md", f".link{number}.md", f"link{number}", "loop", "a.md")
        )
        target = rng.choice((*LINKS, *paths, *(f"../{path}" for path in paths))).format(tree=tree.tree)
        (tree.tree / name).parent.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            (tree.tree / name).symlink_to(target or "link0.md")


@pytest.mark.parametrize("seed", range(20))
def test_random_revision_equals_its_checkout(seed: int, tree: Tree) -> None:
    rng = random.Random(seed)
    limits = changed(BRV3, limits={"max_files": rng.choice((0, 3, 8)), "max_file_bytes": 2000})
    for _ in range(2):
        fill(tree, rng)
        commit(tree)
        if rng.random() < 0.3:
            link = f"160000,{'1' * 40},.brv/context-tree/{rng.choice(('module', 'sub/m.md', '.m', 'd/' * 201 + 'm'))}"
            run_git(tree.tree, "update-index", "--add", "--cacheinfo", link)
            run_git(tree.root, "commit", "-q", "--amend", "-m", "submodule")
            run_git(tree.root, "reset", "-q", "--hard")
    run_git(tree.root, "checkout", "-q", "--detach", "HEAD~1")
    is_refused = any(file.reason == DUPLICATE for file in now(tree, limits).unseen)
    run_git(tree.root, "checkout", "-q", "-")
    if not is_refused:
        assert_equals_checkout(tree, "HEAD~1", limits)
        return
    for found in (at, fleet_at):
        with pytest.raises(RevisionError, match="is a symlink to another note"):
            found(tree, "HEAD~1", limits)


@pytest.mark.parametrize(
    ("place", "rules", "is_refused"),
    [
        (".gitattributes", "*.md filter=lfs diff=lfs -text", True),
        (".gitattributes", "[attr]secret filter=crypt\n* secret", True),
        (".brv/.gitattributes", "context-tree/** working-tree-encoding=ISO-8859-1", True),
        (".brv/context-tree/a/.gitattributes", "*.m[d] filter=x", True),
        (".gitattributes", '"a b.md" filter=x', True),
        (".gitattributes", "# *.md filter=lfs\n*.png filter=lfs\n*.md text=auto diff=markdown", False),
        ("other/.gitattributes", "*.md filter=lfs", False),
    ],
)
def test_revision_with_filtered_notes_is_refused(tree: Tree, place: str, rules: str, is_refused: bool) -> None:
    tree.note("a/one.md", "One", "gate")
    file = tree.root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{rules}\n")
    commit(tree)
    file.unlink()
    tree.note("a/two.md", "Two", "gate")
    commit(tree)
    for read in (at, fleet_at):
        if is_refused:
            with pytest.raises(RevisionError, match="does not store their text"):
                read(tree, "HEAD~1")
        else:
            assert [note.path for note in read(tree, "HEAD~1").notes] == ["a/one.md"]
        assert len(read(tree, "HEAD").notes) == 2
