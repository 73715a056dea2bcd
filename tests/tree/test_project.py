"""Finding the project: here or above, by pointer, or a bare folder; and its shared sources."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brvtui.tree.reading.project import NotesFolder, ProjectError, find_project
from tests.support.trees import Tree

Make = Callable[[str], Tree]


def test_a_project_by_its_folder(tree: Tree) -> None:
    project = find_project(tree.root)
    assert (project.root, project.tree, project.sources, project.notices) == (tree.root, tree.tree, (), ())
    assert project.name == "project"


@pytest.mark.parametrize("inside", [".brv", ".brv/context-tree"])
def test_a_project_by_a_folder_of_its_own(tree: Tree, inside: str) -> None:
    assert find_project(tree.root / inside).root == tree.root


def test_upwards_from_the_current_folder(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tree.root / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert find_project(None).root == tree.root


def test_no_project_here_or_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProjectError, match="or above it"):
        find_project(None)


def test_a_folder_that_is_named_is_not_searched_upwards(tree: Tree) -> None:
    below = tree.root / "src"
    below.mkdir()
    with pytest.raises(ProjectError, match=r"no \.brv project there; .* --tree FOLDER"):
        find_project(below)


def test_a_bare_folder_of_markdown(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "n.md").write_text("x")
    with pytest.raises(ProjectError, match="--tree FOLDER"):
        find_project(tmp_path)
    project = find_project(NotesFolder(tmp_path))
    assert (project.root, project.tree) == (tmp_path, tmp_path)
    assert len(project.notices) == 1
    assert "taken as the context tree" in project.notices[0]


def test_a_tree_without_config_is_opened_with_a_notice(tree: Tree) -> None:
    (tree.root / ".brv" / "config.json").unlink()
    project = find_project(tree.root)
    assert project.tree == tree.tree
    assert "config.json" in project.notices[0]


def test_a_project_without_tree(tmp_path: Path) -> None:
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
def test_a_worktree_pointer(tree: Tree, tmp_path: Path, pointer: Callable[[Path], str]) -> None:
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    (worktree / ".brv").write_text(pointer(tree.root))
    project = find_project(worktree)
    assert (project.root, project.tree) == (tree.root, tree.tree)
    assert any(notice.startswith("worktree of ") for notice in project.notices)


@pytest.mark.parametrize(
    "text", ["", "  \n", "{}", '{"projectRoot": 3}', "/nowhere/at/all", pytest.param("[" * 100_000, id="deep")]
)
def test_a_pointer_that_leads_nowhere(tmp_path: Path, text: str) -> None:
    (tmp_path / ".brv").write_text(text)
    with pytest.raises((ProjectError, OSError)) as caught:
        find_project(tmp_path)
    assert isinstance(caught.value, ProjectError)


def test_a_pointer_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / ".brv").write_bytes(b"\xff\xfe\0")
    with pytest.raises(ProjectError, match="cannot be read as a worktree pointer"):
        find_project(tmp_path)


def test_shared_sources(tree: Tree, make_tree: Make) -> None:
    other, third = make_tree("other"), make_tree("third")
    tree.source(("lib", other), ("my docs", third))
    project = find_project(tree.root)
    assert [(source.alias, source.tree) for source in project.sources] == [("lib", other.tree), ("my docs", third.tree)]
    assert project.notices == ()


def entry(other: Tree, **changes: Any) -> dict[str, Any]:
    made = {"alias": "lib", "projectRoot": str(other.root), "readOnly": True, "addedAt": "2026-01-01", **changes}
    return {key: value for key, value in made.items() if value is not None}


@pytest.mark.parametrize(
    "changes",
    [{"alias": None}, {"alias": 3}, {"projectRoot": None}, {"readOnly": False}, {"readOnly": None}, {"addedAt": None}],
)
def test_one_incomplete_source_leaves_out_all(tree: Tree, make_tree: Make, changes: dict[str, Any]) -> None:
    other = make_tree("other")
    tree.sources_file({"version": 1, "sources": [entry(other), entry(other, **changes)]})
    project = find_project(tree.root)
    assert project.sources == ()
    assert "not a valid list" in project.notices[0]


@pytest.mark.parametrize(
    "text",
    ["junk", "[]", '{"version": 2, "sources": []}', '{"version": 1}', pytest.param("[" * 200_000, id="deep"), ""],
)
def test_a_sources_file_that_cannot_be_used(tree: Tree, text: str) -> None:
    tree.sources_file(text)
    project = find_project(tree.root)
    assert project.sources == ()
    assert "not a valid list" in project.notices[0]


@pytest.mark.parametrize("root", ["other", "/nowhere", ""])
def test_a_source_whose_project_is_not_there_is_left_out(tree: Tree, make_tree: Make, root: str) -> None:
    other = make_tree("other")
    tree.sources_file({"version": 1, "sources": [entry(other, projectRoot=root, alias="gone"), entry(other)]})
    project = find_project(tree.root)
    assert [source.alias for source in project.sources] == ["lib"]
    assert "gone" in project.notices[0]


def test_no_sources_is_no_notice(tree: Tree) -> None:
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
def test_a_start_that_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProjectError):
        find_project(Path(name))


def test_a_folder_of_the_engine_without_a_tree_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".brv").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    said = (
        "above it (" + str(tmp_path / ".brv") + " has no context-tree yet: brv makes it with the first note): name one"
    )
    with pytest.raises(ProjectError, match=re.escape(said)):
        find_project(None)


def test_a_file_is_no_project(tmp_path: Path) -> None:
    file = tmp_path / "n.md"
    file.write_text("x")
    with pytest.raises(ProjectError, match="not a folder"):
        find_project(file)


def test_an_empty_folder_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"no \.brv project there"):
        find_project(tmp_path)


def test_a_marker_without_tree_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / ".brv").mkdir()
    with pytest.raises(ProjectError, match=r"there is no \.brv/context-tree in it; curate"):
        find_project(tmp_path)
