"""A folder that is no project is refused by every command, and read only where ``--tree`` names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.trees import Tree

COMMANDS = (
    ("query", "refresh"),
    ("explain", "refresh", "note"),
    ("ask", "refresh"),
    ("diff", "refresh", "--at", "+1d"),
    ("compare", "refresh"),
    ("maturity",),
    ("judge", "list"),
    ("forget",),
    ("cache", "info"),
    ("migrate", "--dry-run"),
    ("replay", "--queries", "queries.json"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of markdown beside others, such as a repository."""
    made = tmp_path / "repository"
    (made / "docs").mkdir(parents=True)
    (made / "docs/note.md").write_text("# Refresh\n\nA refresh token.\n")
    (made / "queries.json").write_text('["refresh"]')
    return made


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_folder_that_is_no_project_is_refused(
    words: tuple[str, ...], folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    named, inside = run(*words, "--project", str(folder), inside=False), run(*words, inside=False)
    for code, out, err in (named, inside):
        assert (code, out) == (3, "")
        assert "no .brv project" in err
        assert err.endswith("or read a folder of notes by brv-tui --tree FOLDER\n")
        assert err.count("\n") == 1


@pytest.mark.parametrize("option", ["--project", "--tree", "--root", "--space", "--signals"])
def test_an_empty_path_is_not_the_working_folder(
    option: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = run("query", "refresh", option, "", inside=False)
    assert (code, out) == (2, "")
    assert f"'{option}': is empty" in err


@pytest.mark.parametrize("command", [("eval", "--baseline-rev", ""), ("diff", "refresh", "--at", "+30d", "--rev", "")])
def test_an_empty_revision_is_not_no_revision(command: tuple[str, ...], project: Tree, run: Run) -> None:
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert "is empty" in err


def test_a_tree_that_is_named_is_read(folder: Path, run: Run) -> None:
    code, out, _ = run("query", "refresh token", "--tree", str(folder), inside=False)
    assert code == 0
    assert "docs/note.md" in out
    assert "the folder itself is taken as the context tree" in out


def test_a_project_is_named_once(folder: Path, run: Run) -> None:
    code, _, err = run("query", "x", "--tree", str(folder), inside=True)
    assert code == 2
    assert "named twice" in err


@pytest.mark.parametrize("part", ["", ".brv", ".brv/context-tree"])
def test_a_project_is_not_read_as_a_tree(part: str, run: Run, project: Tree) -> None:
    root = project.root
    code, _, err = run("query", "x", "--tree", str(root / part), inside=False)
    assert code == 3
    assert "--project" in err


@pytest.mark.parametrize("command", ["open", "serve"])
def test_the_app_opens_no_other_folder(command: str, folder: Path, run: Run) -> None:
    code, _, err = run(command, str(folder), inside=False)
    assert code in (2, 3)
    assert err.count("\n") == 1


def test_a_member_without_a_tree_is_told_what_a_fleet_can_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Tokens\n")
    file = tmp_path / "fleet.toml"
    file.write_text('[[member]]\npath = "notes"\n')
    code, _, err = run("fleet", "check", "--fleet", str(file), inside=False)
    assert code == 1
    assert "fleet add REPOSITORY --folder PATH" in err
    assert "--tree" not in err
