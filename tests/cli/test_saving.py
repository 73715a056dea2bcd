"""``query --save`` and ``show``: files, output and exit codes."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.cli.program import main
from brvtui.disk import writing
from brvtui.engines.byterover.engine import ByteRover
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.tree.reading.project import find_project
from tests.support.trees import Tree

NOW = "2026-11-20T12:00:00Z"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tree: Tree) -> Tree:
    """Two notes, and enough others for every gate."""
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.note("y/old.md", "Old quokka", "a quokka of long ago", 300)
    tree.notes(60)
    return tree


@pytest.fixture
def run(project: Tree, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs the command in this process, ``query`` on the project; returns exit code, output and errors."""

    def called(*args: str) -> tuple[int, str, str]:
        project_option = ["--project", str(project.root)] if "--tree" not in args else []
        where = [*project_option, "--now", NOW] if args[0] == "query" else []
        monkeypatch.setattr(sys, "argv", ["brv-tui", *args, *where])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfdbinary.readouterr()
        return int(ended.value.code or 0), out.decode(), err.decode()

    return called


@pytest.mark.parametrize("engine", ["byterover", "jeffs_brain"])
def test_saved_trace_can_be_shown_without_its_tree(run: Run, project: Tree, tmp_path: Path, engine: str) -> None:
    file = tmp_path / "t.json"
    code, first, err = run("query", "quokka", "--engine", engine, "--full", "--save", str(file))
    assert (code, err) == (0, f"saved {file}\n")
    shutil.rmtree(project.root)
    code, again, _ = run("show", str(file))
    assert code == 0
    assert again == first


@pytest.mark.parametrize("command", ["open", "serve"])
def test_show_command_refuses_options_that_change_the_answer(run: Run, tmp_path: Path, command: str) -> None:
    file = str(tmp_path / "t.json")
    run("query", "quokka", "--save", file)
    for options in (("--engine", "jeffs_brain"), ("--profile", "docs"), ("--now", "1970-01-01"), ("--signals", "s")):
        code, out, err = run(command, file, *options)
        assert (code, out) == (2, "")
        assert err.endswith(f"{file} is a saved trace, whose answer cannot change: leave out {options[0]}\n")


def test_show_command_supports_every_format(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / f"t.{ending}" for ending in ("json", "md", "svg")]
    run("query", "quokka", "--limit", "2", *(word for file in files for word in ("--save", str(file))))
    for file in files:
        code, out, _ = run("show", str(files[0]), "--format", file.suffix[1:])
        assert code == 0
        assert out == file.read_text()
    assert "the search on its own, with limit 2" in run("show", str(files[0]))[1]
    assert len(run("show", str(files[0]), "--detail")[1]) > len(run("show", str(files[0]))[1])


def test_show_command_accepts_the_query_commands_json_output(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("query", "quokka", "--format", "json", "--detail")
    file = tmp_path / "redirected.json"
    file.write_text(out)
    code, shown, _ = run("show", str(file))
    assert code == 0
    assert "all about" in shown or "x/n.md" in shown


def test_saving_changes_neither_answer_nor_exit_code(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("query", "zyzzyva", "--format", "json", "--save", str(tmp_path / "t.md"))
    assert code == 1
    assert json.loads(out)["trace"]["sections"]["route"]["outcome"] == "not_covered"
    assert (tmp_path / "t.md").read_text().startswith("# Why “zyzzyva” got its answer")


def test_wrong_ending_is_reported_before_the_query_runs(run: Run) -> None:
    code, out, err = run("query", "quokka", "--save", "trace.txt")
    assert (code, out) == (2, "")
    assert err == "brv-tui: trace.txt: a trace is saved as .json, .md, .svg; give the file one of these extensions\n"


def test_unwritable_file_is_reported(run: Run, project: Tree, tmp_path: Path) -> None:
    code, _, err = run("query", "quokka", "--save", str(tmp_path / "no" / "t.json"))
    assert code == 4
    assert "there is no folder" in err


@pytest.mark.parametrize("command", ["query quokka", "eval", "sweep direct.min_top"])
def test_saving_into_a_tree_is_refused_before_any_query_runs(
    run: Run, project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(ByteRover, "answer", None)
    tree = tmp_path / "notes"
    shutil.copytree(project.tree, tree)
    named = [] if command.startswith("query") else ["--project", str(project.root)]
    for folder, where in ((project.tree, named), (tree, ["--tree", str(tree)])):
        file = folder / "t.json"
        code, out, err = run(*command.split(), "--save", str(file), *where)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert f"{file}: this is inside a context tree, where an .md file would become a note" in err
        assert not file.exists()


@pytest.mark.parametrize("command", ["query quokka", "eval", "sweep direct.min_top"])
def test_unwritable_folder_is_a_failure_and_not_bad_usage(
    run: Run, project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    file = JudgmentsFile.of(find_project(project.root))
    file.change(lambda _: (Judgment("q", "quokka", documents=(JudgedDocument("x/n.md", 3),)),))

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(writing, "create", refuse)
    named = [] if command.startswith("query") else ["--project", str(project.root)]
    code, _, err = run(*command.split(), "--save", str(tmp_path / "t.json"), *named)
    assert (code, "t.json: cannot be written (Permission denied)" in err) == (4, True)


@pytest.mark.parametrize(
    "command", ["query quokka --save", "eval --save", "sweep direct.min_top --save", "judge export qmd"]
)
def test_engine_files_are_never_replaced(run: Run, project: Tree, command: str) -> None:
    engine_file = project.root / ".brv" / "config.json"
    engine_file.write_text("{}")
    own_settings = project.root / ".brv" / "brv-tui.toml"
    own_settings.write_text("")
    own_folder = project.root / ".brv" / "brv-tui"
    (project.root / "link").symlink_to(".brv")
    where = ["--project", str(project.root)] if not command.startswith("query") else []
    around = project.root / ".brv" / "brv-tui" / ".." / "config.json"
    places = [engine_file, project.root / "link" / "config.json", around]
    if command == "judge export qmd":  # the other commands refuse these names because of their extensions
        places += [own_settings, own_folder, project.root / "link" / "brv-tui", project.root / ".brv"]
    for file in places:
        code, out, err = run(*command.split(), str(file), *where)
        refusal = f"{file}: in .brv, files can be saved only below .brv/brv-tui; "
        assert (code, out, err.count("\n"), refusal in err) == (2, "", 1, True)
    assert (engine_file.read_text(), own_settings.read_text(), own_folder.exists()) == ("{}", "", False)
    code, out, err = run(*command.split(), str(project.tree / "t.json"), *where)
    reason = "files can be saved only below" if command == "judge export qmd" else "would become a note"
    assert (code, out, reason in err) == (2, "", True)


@pytest.mark.parametrize("way", [".brv/..", ".brv/context-tree/../..", ".brv/brv-tui/../.."])
@pytest.mark.parametrize("command", ["query quokka --save", "judge export qmd"])
def test_path_that_leaves_the_engine_folder_is_not_refused(run: Run, project: Tree, way: str, command: str) -> None:
    (project.root / ".brv" / "brv-tui").mkdir()
    where = ["--project", str(project.root)] if command.startswith("judge") else []
    assert run(*command.split(), f"{project.root}/{way}/t.json", *where)[0] == 0
    assert (project.root / "t.json").is_file()


def test_own_folder_in_the_project_may_hold_a_saved_trace(run: Run, project: Tree) -> None:
    (project.root / ".brv" / "brv-tui").mkdir()
    assert run("query", "quokka", "--save", str(project.root / ".brv" / "brv-tui" / "t.json"))[0] == 0


@pytest.mark.parametrize("content", ["{", "[]", '{"schema": 7, "trace": {}}'])
def test_file_without_a_trace_is_reported(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "t.json"
    file.write_text(content)
    code, out, err = run("show", str(file))
    assert (code, out) == (2, "")
    assert err.startswith(f"brv-tui: {file}: ")
    assert err.count("\n") == 1
