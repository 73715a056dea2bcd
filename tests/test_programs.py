"""The linter ensures that only one module starts processes; they use no program or file from a project."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from brvtui import programs
from brvtui.cli import _leave_working_folder
from tests.support.recorded import REPOSITORY

_WAYS = (
    "import subprocess",
    "from subprocess import run",
    "import multiprocessing.pool",
    "from multiprocessing import Process",
    "from concurrent.futures import ProcessPoolExecutor",
    "from concurrent.futures.process import BrokenProcessPool",
    "import asyncio\n\nasyncio.create_subprocess_exec",
    "import sys\n\nprint(sys.executable)",
    "from sys import executable",
    "import os\n\nos.execv",
    "import os\n\nos.spawnlp",
    "import os\n\nos.system",
    "import os\n\nos.posix_spawn",
    "import os as system\n\nsystem.fork",
    "import pty",
)


PACKAGE = REPOSITORY / "brvtui"
_RUFF = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
BANNED = {name for name in _RUFF["flake8-tidy-imports"]["banned-api"] if name != "os.walk"}
_WORDS = {name.rpartition(".")[2] for name in BANNED} - {"edit", "process", "system"}
_WORDS |= {"runpy", "Popen", "_base_executable", "os.system"}
"""``edit``, ``process`` and ``system`` are also names of ours; ruff finds them with their modules."""


def _faults(file: Path, code: str) -> str:
    """The uses of forbidden names that ruff finds in ``code``, as if it were in ``file``."""
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--stdin-filename", str(file), "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, cwd=REPOSITORY, check=False).stdout


@pytest.mark.parametrize("code", _WAYS)
def test_linter_allows_starting_processes_in_one_module(code: str) -> None:
    assert "TID251" in _faults(REPOSITORY / "brvtui/lab/new.py", code)
    assert "TID251" not in _faults(REPOSITORY / "brvtui/programs.py", code)


def test_no_module_disables_the_process_rule() -> None:
    files = (REPOSITORY / "brvtui").rglob("*.py")
    assert [file for file in files if "noqa: TID" in file.read_text("utf-8")] == []


def named(code: str) -> Iterator[str]:
    """Yields the words with which a module could start a process: names, attributes, imports, and words in strings."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="os"), ast.Constant(value="system"), *_]):
                yield "os.system"
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                yield name
            case ast.Import(names=names):
                yield from (part for each in names for part in each.name.split("."))
            case ast.ImportFrom(module=module, names=names):
                yield from ((module or "").split(".")[0], *(each.name for each in names))


def test_no_other_module_names_a_process_function() -> None:
    found = {
        f"{file.relative_to(PACKAGE)}: {word}"
        for file in PACKAGE.rglob("*.py")
        if file != PACKAGE / "programs.py"
        for word in named(file.read_text(encoding="utf-8"))
        if word in _WORDS
    }
    assert found == set(), "start it in brvtui.programs"


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess", "from subprocess import run", "import multiprocessing.pool as p", "sys.executable",
        "getattr(os, 'system')", "__import__('subprocess')", "from os import execv as start", "os.posix_spawn(a, b, c)",
        "from concurrent.futures import ProcessPoolExecutor", "await asyncio.create_subprocess_shell(x)",
        "sys.modules['multiprocessing']", "import runpy", "click.launch(x)", "import webbrowser",
    ],
)  # fmt: skip
def test_check_detects_every_way_to_start_a_process(code: str) -> None:
    assert set(named(code)) & _WORDS


def test_lint_rule_bans_every_process_function_in_os() -> None:
    ways = {name for name in dir(os) if name.startswith(("exec", "spawn", "posix_spawn", "fork"))} | {"system", "popen"}
    assert {f"os.{name}" for name in ways} <= BANNED
    assert {"subprocess", "multiprocessing", "sys.executable"} <= BANNED
    ignored = {path for path, rules in _RUFF["per-file-ignores"].items() if "TID251" in rules}
    assert ignored == {"tests/**", "benchmarks/**", "tools/**", "sample-tree/**", "brvtui/programs.py"}


class TestEnvironment:
    def test_python_variables_and_relative_paths_are_dropped(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        path = f":.:bin:./bin:..:/usr/bin:{tmp_path}:{tmp_path}/bin:{tmp_path}/x/../bin:/bin:"
        given = {"PATH": path, "PYTHONPATH": "", "PYTHONHOME": ".", "PYTHONSTARTUP": "x", "DISPLAY": ":0", "HOME": "/h"}
        result = programs.environment(of=given)
        assert result == {"PATH": "/usr/bin:/bin", "DISPLAY": ":0", "HOME": "/h", "PYTHONSAFEPATH": "1"}
        assert programs.environment(of=given, keep=("HOME",)).keys() == {"HOME", "PATH", "PYTHONSAFEPATH"}

    @pytest.mark.parametrize("mark", [".git", ".brv", ""])
    def test_paths_anywhere_in_the_project_are_dropped(self, tmp_path: Path, mark: str) -> None:
        inner = tmp_path / "clone" / "docs" / "deep"
        inner.mkdir(parents=True)
        if mark:
            (tmp_path / "clone" / mark).mkdir()
        path = os.pathsep.join(map(str, (tmp_path / "clone" / "bin", inner / "bin", tmp_path / "bin")))
        left = programs.environment(inner, of={"PATH": path})["PATH"].split(os.pathsep)
        assert left == [*([] if mark else [str(tmp_path / "clone" / "bin")]), str(tmp_path / "bin")]

    def test_links_into_the_project_are_dropped(self, tmp_path: Path) -> None:
        project = tmp_path / "project"
        (project / "bin").mkdir(parents=True)
        (project / "loop").symlink_to(project / "loop")
        (project / "out").symlink_to("/usr/bin")
        (tmp_path / "beside").symlink_to(project / "bin")
        (tmp_path / "to").symlink_to(project)
        places = (
            tmp_path / "beside",
            tmp_path / "to" / "bin",
            project / "loop",
            project / "out",
            tmp_path / "to" / "out",
        )
        assert programs.environment(project, of={"PATH": os.pathsep.join(map(str, places))})["PATH"] == os.devnull

    def test_home_folder_comes_from_the_user_database(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        home = tmp_path / "home"
        (home / ".git").mkdir(parents=True)
        monkeypatch.setattr("pwd.getpwuid", lambda _: type("Entry", (), {"pw_dir": str(home)}))
        monkeypatch.setenv("HOME", "/elsewhere")
        tools, clone = home / ".local" / "bin", home / "clone"
        clone.mkdir()
        path = os.pathsep.join(map(str, (tools, clone / "bin")))
        monkeypatch.chdir(home)
        assert programs.environment(of={"PATH": path})["PATH"] == path
        monkeypatch.chdir(clone)
        assert programs.environment(of={"PATH": path})["PATH"] == str(tools)

    def test_unknown_user_has_no_home_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(_: int) -> None:
            raise KeyError("uid not found")

        project = tmp_path / "clone"
        (project / ".git").mkdir(parents=True)
        monkeypatch.setattr("pwd.getpwuid", unknown)
        monkeypatch.chdir(project)
        assert programs.environment(of={"PATH": f"{project / 'bin'}:/bin"})["PATH"] == "/bin"

    def test_missing_working_folder_is_ignored(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        assert programs.environment(of={"PATH": ".:/bin"})["PATH"] == "/bin"


def test_programs_are_found_only_by_absolute_paths(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    known = programs.environment(of={"PATH": str(tmp_path)})
    assert programs.find_program("tool", known) == str(tool)
    assert programs.find_program(str(tool), programs.environment(of={"PATH": ""})) == str(tool)
    for name in ("./tool", "bin/tool", "../tool", "none"):
        assert programs.find_program(name, known) is None
    for command in ("tool", "./tool", ""):
        with pytest.raises(FileNotFoundError):
            programs.start([command], known)
    assert programs.output(["tool"], known, tmp_path, 5) == b""


def test_python_child_ignores_environment_and_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    (tmp_path / "this.py").write_text("raise SystemExit(9)")
    command = programs.python("this")
    assert command[:2] == [sys.executable, "-P"]
    assert b"Zen of Python" in programs.output(command, programs.environment(), tmp_path, 60)


def test_working_folder_is_removed_from_the_module_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = str(Path(os.__file__).parent)
    monkeypatch.chdir(tmp_path)
    here = str(Path.cwd())
    monkeypatch.setattr(sys, "path", ["", here, "rel", "/own", library, "/site", here])
    _leave_working_folder()
    assert sys.path == ["/own", library, "/site", here], "an installed package may lie here: it comes last"
