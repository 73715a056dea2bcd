"""Finding a project, its data folder and its shared sources."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from brvtui.loading import load
from brvtui.loading.incremental import update
from brvtui.loading.revised import UNCHANGED, difference_to, revision_of
from brvtui.tree.constants import TreeConstants
from brvtui.tree.engine_files.sidecar import (
    data_folder,
    project_data,
    project_folder_name,
    read_sidecar,
    read_signals_of,
)
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.project import NotesFolder, ProjectError, find_project
from brvtui.tree.reading.signals import defaults
from brvtui.tree.watching.watch import Watcher
from brvtui.typed_tables import lowered, overlay
from tests.support.trees import BRV3, NOW_MS, Tree

Make = Callable[[str], Tree]


def test_project_is_found_by_its_folder(tree: Tree) -> None:
    project = find_project(tree.root)
    assert (project.root, project.tree, project.sources, project.notices) == (tree.root, tree.tree, (), ())
    assert project.name == "project"


@pytest.mark.parametrize("inside", [".brv", ".brv/context-tree"])
def test_project_is_found_by_its_brv_folder(tree: Tree, inside: str) -> None:
    assert find_project(tree.root / inside).root == tree.root


def test_project_is_found_above_the_current_folder(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tree.root / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert find_project(None).root == tree.root


def test_missing_project_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProjectError, match="or above it"):
        find_project(None)


def test_parents_of_a_named_folder_are_not_searched(tree: Tree) -> None:
    below = tree.root / "src"
    below.mkdir()
    with pytest.raises(ProjectError, match=r"no \.brv project there; .* --tree FOLDER"):
        find_project(below)


def test_markdown_folder_is_opened_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "n.md").write_text("x")
    with pytest.raises(ProjectError, match="--tree FOLDER"):
        find_project(tmp_path)
    project = find_project(NotesFolder(tmp_path))
    assert (project.root, project.tree) == (tmp_path, tmp_path)
    assert len(project.notices) == 1
    assert "the folder itself is the context tree" in project.notices[0]


def test_tree_without_a_config_is_opened_with_a_notice(tree: Tree) -> None:
    (tree.root / ".brv" / "config.json").unlink()
    project = find_project(tree.root)
    assert project.tree == tree.tree
    assert "config.json" in project.notices[0]


def test_project_without_a_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".brv").mkdir()
    (tmp_path / ".brv" / "config.json").write_text("{}")
    with pytest.raises(ProjectError, match="no context tree there"):
        find_project(tmp_path)


@pytest.mark.parametrize(
    "pointer",
    [
        lambda target: str(target),
        lambda target: f"{target}\n",
        lambda target: f"brv: {target}",
        lambda target: str(target / ".brv"),
        lambda target: json.dumps({"projectRoot": str(target)}),
        lambda _: "../project",
    ],
)
def test_worktree_pointer_is_followed(tree: Tree, tmp_path: Path, pointer: Callable[[Path], str]) -> None:
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    (worktree / ".brv").write_text(pointer(tree.root))
    project = find_project(worktree)
    assert (project.root, project.tree) == (tree.root, tree.tree)
    assert any(notice.startswith("worktree of ") for notice in project.notices)


@pytest.mark.parametrize(
    "text", ["", "  \n", "{}", '{"projectRoot": 3}', "/nowhere/at/all", pytest.param("[" * 100_000, id="deep")]
)
def test_dangling_worktree_pointer_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / ".brv").write_text(text)
    with pytest.raises((ProjectError, OSError)) as caught:
        find_project(tmp_path)
    assert isinstance(caught.value, ProjectError)


def test_binary_worktree_pointer_is_reported(tmp_path: Path) -> None:
    (tmp_path / ".brv").write_bytes(b"\xff\xfe\0")
    with pytest.raises(ProjectError, match="cannot be read as a worktree pointer"):
        find_project(tmp_path)


def test_shared_sources_are_listed_with_their_aliases(tree: Tree, make_tree: Make) -> None:
    other, third = make_tree("other"), make_tree("third")
    tree.source(("lib", other), ("my docs", third))
    project = find_project(tree.root)
    assert [(source.alias, source.tree) for source in project.sources] == [("lib", other.tree), ("my docs", third.tree)]
    assert project.notices == ()


def entry(other: Tree, **changes: Any) -> dict[str, Any]:
    result = {"alias": "lib", "projectRoot": str(other.root), "readOnly": True, "addedAt": "2026-01-01", **changes}
    return {key: value for key, value in result.items() if value is not None}


@pytest.mark.parametrize(
    "changes",
    [{"alias": None}, {"alias": 3}, {"projectRoot": None}, {"readOnly": False}, {"readOnly": None}, {"addedAt": None}],
)
def test_incomplete_source_disables_all_sources(tree: Tree, make_tree: Make, changes: dict[str, Any]) -> None:
    other = make_tree("other")
    tree.sources_file({"version": 1, "sources": [entry(other), entry(other, **changes)]})
    project = find_project(tree.root)
    assert project.sources == ()
    assert "not a valid list" in project.notices[0]


@pytest.mark.parametrize(
    "text",
    ["junk", "[]", '{"version": 2, "sources": []}', '{"version": 1}', pytest.param("[" * 200_000, id="deep"), ""],
)
def test_invalid_sources_file_is_reported(tree: Tree, text: str) -> None:
    tree.sources_file(text)
    project = find_project(tree.root)
    assert project.sources == ()
    assert "not a valid list" in project.notices[0]


@pytest.mark.parametrize("root", ["other", "/nowhere", ""])
def test_source_with_a_missing_project_is_skipped(tree: Tree, make_tree: Make, root: str) -> None:
    other = make_tree("other")
    tree.sources_file({"version": 1, "sources": [entry(other, projectRoot=root, alias="gone"), entry(other)]})
    project = find_project(tree.root)
    assert [source.alias for source in project.sources] == ["lib"]
    assert "gone" in project.notices[0]


@pytest.mark.parametrize("linked", [".brv", ".brv/context-tree"])
def test_shared_source_behind_a_link_is_read_only_with_a_profile_of_the_user(
    tree: Tree, make_tree: Make, linked: str
) -> None:
    other, sub = make_tree("other"), tree.root / "sub"
    other.note("dom/secret.md", "Secret", "salary")
    link = sub / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(other.root / linked)
    (sub / ".brv" / "config.json").write_text("{}")
    tree.sources_file({"version": 1, "sources": [entry(other, projectRoot=str(sub))]})
    found = find_project(tree.root)
    snapshot = load(found, BRV3, NOW_MS)
    assert (snapshot.notes, snapshot.project.sources) == ((), ())
    (notice,) = (line for line in snapshot.notices if "lib" in line)
    how = "to read it, use a profile of your own with limits.linked_trees = true"
    assert notice == f"shared source lib: {link} is a link, so it is left out; {how}"
    read = load(found, READS_LINKED, NOW_MS)
    assert [note.path for note in read.notes] == ["[lib]:dom/secret.md"]
    assert not any("is a link" in line for line in read.notices)


def test_folder_of_a_left_out_source_is_not_watched(
    tree: Tree, make_tree: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, sub = make_tree("other"), tree.root / "sub"
    sub.mkdir()
    (sub / ".brv").symlink_to(other.root / ".brv")
    tree.sources_file({"version": 1, "sources": [entry(other, projectRoot=str(sub))]})
    watched: list[Path] = []

    class Recorded(Watcher):
        def __init__(self, places: Sequence[Path], *others: Any) -> None:
            watched.extend(places)
            super().__init__(places, *others)

    monkeypatch.setattr("brvtui.tree.watching.watch.Watcher", Recorded)
    session = tree.session()
    session.watch(lambda: None)
    session.close()
    assert tree.tree in watched
    assert other.tree not in watched


@pytest.mark.parametrize(
    "root",
    [
        "/proc/self/cwd/sub",
        "//proc/self/cwd/sub",
        "{root}/../project/sub",
        "/dev/fd/{opened}/sub",
        "{root}/here/sub",
        "{root}/a/b/up/here/sub",
    ],
)
def test_shared_source_may_not_depend_on_the_working_folder(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    sub, opened = Tree(tree.root / "sub"), os.open(tree.root, os.O_RDONLY)
    (tree.root / "here").symlink_to("../" * 20 + "proc/self/cwd")
    (tree.root / "a" / "b").mkdir(parents=True)
    (tree.root / "a" / "b" / "up").symlink_to("../..")
    monkeypatch.chdir(tree.root)
    named = root.format(root=tree.root, opened=opened)
    tree.sources_file({"version": 1, "sources": [entry(sub, projectRoot=named)]})
    found = find_project(tree.root)
    os.close(opened)
    assert found.sources == ()
    assert found.notices == (
        f"shared source lib: {named} leads through .. or /proc, so it is left out; give the folder's own path",
    )


def test_empty_source_list_gives_no_notice(tree: Tree) -> None:
    tree.sources_file({"version": 1, "sources": []})
    assert find_project(tree.root).notices == ()


@pytest.mark.parametrize(
    "name",
    [
        "nowhere",
        pytest.param("x" * 300, id="300 characters"),
        "~nosuchuserofthismachine/x",
        "a\0b",
        pytest.param("/" + "y" * 300 + "/z", id="long part"),
    ],
)
def test_invalid_start_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProjectError):
        find_project(Path(name))


def test_parent_brv_folder_without_a_tree_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".brv").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    message = (
        "above it ("
        + str(tmp_path / ".brv")
        + " has no context-tree yet: brv creates it with the first note): name one"
    )
    with pytest.raises(ProjectError, match=re.escape(message)):
        find_project(None)


def test_file_is_not_a_project(tmp_path: Path) -> None:
    file = tmp_path / "n.md"
    file.write_text("x")
    with pytest.raises(ProjectError, match="not a folder"):
        find_project(file)


def test_empty_folder_is_not_a_project(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"no \.brv project there"):
        find_project(tmp_path)


def test_brv_folder_without_a_tree_is_reported(tmp_path: Path) -> None:
    (tmp_path / ".brv").mkdir()
    with pytest.raises(ProjectError, match=r"there is no \.brv/context-tree in it; curate"):
        find_project(tmp_path)


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"BRV_DATA_DIR": "/d", "XDG_DATA_HOME": "/x"}, "/d"),
        ({"BRV_DATA_DIR": "", "XDG_DATA_HOME": "/x"}, "/x/brv"),
    ],
)
def test_data_folder_follows_the_environment(environment: dict[str, str], folder: str) -> None:
    assert data_folder(environment) == Path(folder)


def test_default_data_folder_depends_on_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    monkeypatch.setattr("sys.platform", "linux")
    assert data_folder({}) == Path("/home/me/.local/share/brv")
    monkeypatch.setattr("sys.platform", "darwin")
    assert data_folder({}) == Path("/home/me/Library/Application Support/brv")
    monkeypatch.setattr("sys.platform", "win32")
    assert data_folder({"LOCALAPPDATA": "/local"}) == Path("/local/brv")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/nowhere/me/project", "nowhere--me--project"),
        ("/nowhere/a--b/c", "nowhere--a%2D%2Db--c"),
        ("/nowhere/100%/c", "nowhere--100%25--c"),
        ("/nowhere/a:b*c?", "nowhere--a%3Ab%2Ac%3F"),
        ('/nowhere/"<>|', "nowhere--%22%3C%3E%7C"),
        ("/nowhere/a---b", "nowhere--a%2D%2D-b"),
    ],
)
def test_project_data_folder_is_named_after_its_path(path: str, name: str) -> None:
    assert project_folder_name(Path(path)) == name


def test_long_project_names_end_in_a_digest() -> None:
    long = "/nowhere/" + "/".join(["x" * 40] * 5)
    joined = "nowhere--" + "--".join(["x" * 40] * 5)
    digest = hashlib.sha256(joined.encode()).hexdigest()[:12]
    assert project_folder_name(Path(long)) == f"{joined[:185]}---{digest}"
    exactly = "/nowhere/" + "x" * (200 - len("nowhere--"))
    assert len(project_folder_name(Path(exactly))) == 200
    assert "---" not in project_folder_name(Path(exactly))


def test_project_name_outside_utf8_is_kept(tmp_path: Path) -> None:
    assert project_folder_name(tmp_path / "caf\udce9").endswith("caf\udce9")
    assert len(project_folder_name(tmp_path / ("caf\udce9" + "x" * 220))) == 185 + 3 + 12


def test_project_data_folder_uses_the_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert project_folder_name(tmp_path / "link") == project_folder_name(tmp_path / "real")


def test_signals_are_below_the_project_data(tree: Tree) -> None:
    assert tree.sidecar == project_data(tree.root) / "keystore" / "signals"
    place = tree.sidecar_file("a/b/n.md", {"importance": 77})
    assert place == tree.sidecar / "a" / "b" / "n.md.json"
    tree.sidecar_file("root.md", {"importance": 66})
    (tree.sidecar / "other.txt").write_text("x")
    found = read_sidecar(tree.sidecar, defaults(BRV3.signals))
    assert {path: signals.importance for path, signals in found.signals.items()} == {"a/b/n.md": 77, "root.md": 66}
    assert found.broken == frozenset()


def test_missing_sidecar_counts_as_empty(tree: Tree) -> None:
    assert read_sidecar(tree.sidecar, defaults(BRV3.signals)).signals == {}


def test_signals_of_one_note_are_read(tree: Tree) -> None:
    base = defaults(BRV3.signals)
    tree.sidecar_file("a/b/n.md", {"importance": 77})
    tree.sidecar_file("a/b/junk.md", "no JSON")
    tree.sidecar_file("a/b/odd.md", {"importance": 900})
    found = read_signals_of(tree.sidecar, "a/b/n.md", base)
    assert found == read_sidecar(tree.sidecar, base).signals["a/b/n.md"]
    for note in ("a/b/junk.md", "a/b/odd.md", "a/b/gone.md"):
        assert read_signals_of(tree.sidecar, note, base) is None


READS_LINKED = overlay(BRV3, {"name": "brv-3*", "limits": {"linked_trees": True}}, "test")
EMPTY, NOT_INITIALIZED = "Context tree is empty", "Context tree not initialized"


def notes_in(tree: Path) -> Path:
    (tree / "dom" / "topic").mkdir(parents=True)
    (tree / "dom" / "topic" / "a.md").write_text("# Harbor rules\n\nharbor\n")
    return tree


def project(root: Path) -> Path:
    (root / ".brv").mkdir(parents=True)
    (root / ".brv" / "config.json").write_text("{}")
    return root


def whole(root: Path) -> Path:
    notes_in(project(root) / ".brv" / "context-tree")
    return root


def brv_of_another(at: Path) -> Path:
    whole(at / "other")
    (at / "p").mkdir()
    (at / "p" / ".brv").symlink_to("../other/.brv")
    return at / "p"


def tree_of_another(at: Path) -> Path:
    other, result = whole(at / "other"), project(at / "p")
    (result / ".brv" / "context-tree").symlink_to(other / ".brv" / "context-tree")
    return result


def tree_inside(at: Path) -> Path:
    result = project(at / "p")
    notes_in(result / "docs")
    (result / ".brv" / "context-tree").symlink_to("../docs")
    return result


def brv_inside(at: Path) -> Path:
    result = whole(at / "p")
    (result / ".brv").rename(result / "real")
    (result / ".brv").symlink_to("real")
    return result


def chain_inside(at: Path) -> Path:
    result = project(at / "p")
    notes_in(result / "docs")
    (result / "hop").symlink_to("docs")
    (result / ".brv" / "context-tree").symlink_to("../hop")
    return result


def parent(at: Path) -> Path:
    result = project(at / "p")
    notes_in(result / "x")
    (result / ".brv" / "context-tree").symlink_to("..")
    return result


def beside_itself(at: Path) -> Path:
    result = whole(at / "p")
    (result / ".brv" / "context-tree").rename(result / ".brv" / "Context-Tree")
    (result / ".brv" / "context-tree").symlink_to("Context-Tree")
    return result


def pointer_to_linked(at: Path) -> Path:
    linked = tree_inside(at)
    (at / "w").mkdir()
    (at / "w" / ".brv").write_text(str(linked))
    return at / "w"


LINKED = [
    (brv_of_another, NOT_INITIALIZED), (tree_of_another, NOT_INITIALIZED), (tree_inside, EMPTY), (brv_inside, EMPTY),
    (chain_inside, EMPTY), (parent, EMPTY), (beside_itself, EMPTY), (pointer_to_linked, EMPTY),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), LINKED, ids=[make.__name__ for make, _ in LINKED])
def test_empty_symlinked_tree_is_explained_by_a_notice(
    make: Callable[[Path], Path], message: str, tmp_path: Path
) -> None:
    found = find_project(make(tmp_path))
    snapshot = load(found, BRV3, NOW_MS)
    assert not snapshot.notes
    notice = next(line for line in snapshot.notices if "is a link" in line)
    assert f"(it says “{message}”)" in notice
    assert "limits.linked_trees = true" in notice
    read = load(found, READS_LINKED, NOW_MS)
    assert [note.title for note in read.notes] == ["Harbor rules"]


def through_a_link(at: Path) -> Path:
    (at / "link").symlink_to(whole(at / "p"))
    return at / "link"


def pointer(at: Path) -> Path:
    whole(at / "p")
    (at / "w").mkdir()
    (at / "w" / ".brv").write_text(str(at / "p"))
    return at / "w"


def linked_configuration(at: Path) -> Path:
    result = whole(at / "p")
    (result / ".brv" / "config.json").rename(result / "c.json")
    (result / ".brv" / "config.json").symlink_to("../c.json")
    return result


def linked_folder_below(at: Path) -> Path:
    result = whole(at / "p")
    (result / ".brv" / "context-tree" / "more").symlink_to(notes_in(at / "elsewhere"))
    return result


@pytest.mark.parametrize("make", [through_a_link, pointer, linked_configuration, linked_folder_below])
def test_other_links_do_not_hide_the_tree(make: Callable[[Path], Path], tmp_path: Path) -> None:
    snapshot = load(find_project(make(tmp_path)), BRV3, NOW_MS)
    assert [note.path for note in snapshot.notes] == ["dom/topic/a.md"]
    assert not any("is a link that leads" in line for line in snapshot.notices)


@pytest.mark.parametrize("target", ["nowhere", "context-tree"])
def test_dangling_link_to_a_tree_is_reported(target: str, tmp_path: Path) -> None:
    result = project(tmp_path / "p")
    (result / ".brv" / "context-tree").symlink_to(target)
    with pytest.raises(ProjectError, match="this link does not lead to a context tree"):
        find_project(result)


def test_change_in_a_symlinked_tree_is_not_read(tmp_path: Path) -> None:
    result = tree_inside(tmp_path)
    found = find_project(result)
    before = load(found, BRV3, NOW_MS)
    (result / "docs" / "dom" / "b.md").write_text("# Harbor two\n")
    assert update(before, ["dom/b.md", "dom/"], BRV3, NOW_MS, before.stored) is None
    after = load(found, BRV3, NOW_MS, previous=before)
    assert not after.notes


LINKED = (brv_of_another, tree_of_another, tree_inside, brv_inside, chain_inside, parent)


def committed(folder: Path) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-q", "-m", "notes")):
        subprocess.run(("git", "-C", str(folder), *words), check=True, capture_output=True)


@pytest.mark.parametrize("make", LINKED)
@pytest.mark.parametrize("profile", [BRV3, READS_LINKED], ids=["usual", "reads links"])
def test_linked_tree_history_is_read_only_if_its_notes_are(
    make: Callable[[Path], Path], profile: TreeConstants, tmp_path: Path
) -> None:
    found = find_project(make(tmp_path))
    committed(found.tree)
    snapshot = load(found, profile, NOW_MS)
    assert snapshot is not None
    if profile is READS_LINKED:
        assert difference_to(snapshot, revision_of(snapshot, "HEAD")) == UNCHANGED
    else:
        with pytest.raises(RevisionError, match="is a link that leads"):
            revision_of(snapshot, "HEAD")


def test_project_profile_cannot_allow_linked_trees() -> None:
    """``config.profile_choice`` caps the limits in a project's profile at the built-in limits and the user's."""
    assert READS_LINKED.limits.linked_trees
    assert lowered(READS_LINKED, BRV3).limits.linked_trees is False
