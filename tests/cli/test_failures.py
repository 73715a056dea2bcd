"""Failures, linked trees, and folders that are not projects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import click
import pytest

from brvtui.cli import main
from brvtui.cli.failure import ErrorsReported, Failure
from brvtui.engines.contract import EngineError, StorageError, UnknownEngine
from brvtui.faults import _CODES
from brvtui.session import Session
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import Run
from tests.support.trees import Tree
from tests.tree.test_project import LINKED, committed


def test_crash_writes_a_report(run: Run, own_data_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        secret = "the launch code is 4711"
        raise KeyError(secret)

    monkeypatch.setattr(Session, "preview", broken)
    code, out, err = run("query", "where is it")
    (file,) = (own_data_folders / "tool/crashes").iterdir()
    assert (code, out) == (4, "")
    assert err == f"brv-tui: failed: KeyError: 'the launch code is 4711'; a report is in {file}\n"
    report = file.read_text()
    assert "doing the command query" in report
    assert "in broken" in report
    assert "4711" not in report
    assert "where is it" not in report


def test_system_errors_are_reported_in_one_line(
    run: Run, own_data_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "/full/disk")

    monkeypatch.setattr(Session, "preview", refused)
    wanted = "brv-tui: /full/disk: the disk is full; free some space and try again\n"
    assert run("query", "where") == (4, "", wanted)
    assert not (own_data_folders / "tool/crashes").exists()


@pytest.mark.parametrize("name", _CODES)
def test_exit_code_table_names_existing_errors(name: str) -> None:
    module, _, kind = name.rpartition(".")
    error = getattr(import_module(module), kind)
    assert issubclass(error, Exception)
    assert (error.__module__, error.__qualname__) == (module, kind)


def test_subclass_of_an_error_has_the_exit_code_of_its_nearest_base() -> None:
    class Stale(StorageError):
        pass

    for error, code in ((Stale("no room"), 4), (UnknownEngine("no engine"), 2), (EngineError("no"), 2)):
        with pytest.raises(Failure) as caught, ErrorsReported():
            raise error
        assert (caught.value.message, caught.value.code, caught.value.__cause__) == (str(error), code, error)


def test_errors_outside_the_table_are_raised_unchanged() -> None:
    for error in (ValueError("a"), KeyError("b"), KeyboardInterrupt(), Failure("c", 3), click.UsageError("d")):
        with pytest.raises(type(error)) as caught, ErrorsReported():
            raise error
        assert caught.value is error


@pytest.mark.parametrize("arguments", [("diff", "harbor", "--rev", "HEAD"), ("eval", "--baseline-rev", "HEAD")])
@pytest.mark.parametrize("make", LINKED)
def test_commands_do_not_read_the_history_of_a_linked_tree(
    make: Callable[[Path], Path], arguments: Sequence[str], run: Run, tmp_path: Path
) -> None:
    found = find_project(make(tmp_path))
    committed(found.tree)
    judgments = tmp_path / "judgments.toml"
    documents = '[{ path = "dom/topic/a.md", grade = 2 }]'
    judgments.write_text(f'version = 1\n[[query]]\nid = "a"\ntext = "harbor"\ndocuments = {documents}\n')
    given = ("--judgments", str(judgments)) if arguments[0] == "eval" else ()
    code, output, problem = run(*arguments, *given, "--project", str(found.root), inside=False)
    assert code == 2
    assert "is a link that leads" in problem
    assert "harbor" not in output.lower()


COMMANDS = (
    ("query", "refresh"),
    ("explain", "refresh", "note"),
    ("ask", "refresh"),
    ("diff", "refresh", "--at", "+1d"),
    ("compare", "refresh"),
    ("find", "refresh"),
    ("maturity",),
    ("judge", "list"),
    ("forget",),
    ("cache", "info"),
    ("migrate", "--dry-run"),
    ("replay", "--queries", "queries.json"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A Markdown folder next to other folders, as in a repository."""
    made = tmp_path / "repository"
    (made / "docs").mkdir(parents=True)
    (made / "docs/note.md").write_text("# Refresh\n\nA refresh token.\n")
    (made / "queries.json").write_text('["refresh"]')
    return made


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_folder_without_a_project_is_refused(
    words: tuple[str, ...], folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    named, inside = run(*words, "--project", str(folder), inside=False), run(*words, inside=False)
    for code, out, err in (named, inside):
        assert (code, out) == (3, "")
        assert "no .brv project" in err
        assert err.endswith("or read a folder of notes with brv-tui --tree FOLDER\n")
        assert err.count("\n") == 1


@pytest.mark.parametrize("option", ["--project", "--tree", "--root", "--space", "--signals"])
def test_empty_path_does_not_mean_the_working_folder(
    option: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = run("query", "refresh", option, "", inside=False)
    assert (code, out) == (2, "")
    assert f"'{option}': is empty" in err


@pytest.mark.parametrize("command", [("eval", "--baseline-rev", ""), ("diff", "refresh", "--at", "+30d", "--rev", "")])
def test_empty_revision_is_refused(command: tuple[str, ...], project: Tree, run: Run) -> None:
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert "is empty" in err


def test_tree_option_opens_the_named_tree(folder: Path, run: Run) -> None:
    code, out, _ = run("query", "refresh token", "--tree", str(folder), inside=False)
    assert code == 0
    assert "docs/note.md" in out
    assert "the folder itself is the context tree" in out


def test_naming_the_project_twice_is_refused(folder: Path, run: Run) -> None:
    code, _, err = run("query", "x", "--tree", str(folder), inside=True)
    assert code == 2
    assert "specified twice" in err


@pytest.mark.parametrize("part", ["", ".brv", ".brv/context-tree"])
def test_tree_option_refuses_a_project_folder(part: str, run: Run, project: Tree) -> None:
    root = project.root
    code, _, err = run("query", "x", "--tree", str(root / part), inside=False)
    assert code == 3
    assert "--project" in err


@pytest.mark.parametrize("command", ["open", "serve"])
def test_app_refuses_a_folder_that_is_not_a_project(command: str, folder: Path, run: Run) -> None:
    code, _, err = run(command, str(folder), inside=False)
    assert code in (2, 3)
    assert err.count("\n") == 1


def test_fleet_member_without_a_tree_gets_advice(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Tokens\n")
    file = tmp_path / "fleet.toml"
    file.write_text('[[member]]\npath = "notes"\n')
    code, _, err = run("fleet", "check", "--fleet", str(file), inside=False)
    assert code == 1
    assert "fleet add REPOSITORY --folder PATH" in err
    assert "--tree" not in err


@pytest.mark.parametrize("home", ["", "relative", None])
def test_unknown_home_folder_is_reported_in_one_line(
    home: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unknown(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr("pwd.getpwuid", unknown)
    monkeypatch.delenv("HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    monkeypatch.setattr(sys, "argv", ["brv-tui", "config"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 4
    assert capsys.readouterr().err == "brv-tui: your home folder is not known: set HOME to its path\n"
