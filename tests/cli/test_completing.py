"""Shell completion of values, in addition to commands and options."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

import brvtui
from brvtui.cli.program import cli
from brvtui.engines import registry
from tests.support.trees import Tree


def completed(*words: str) -> list[str]:
    """The completions of the last of ``words``."""
    *before, typed = words
    return [item.value for item in BashComplete(cli, {}, "brv-tui", "_COMPLETE").get_completions(before, typed)]


def test_engine_names_are_completed() -> None:
    assert set(completed("query", "x", "--engine", "")) == set(registry.names())
    assert completed("query", "x", "--engine", "so") == ["soleri"]


def test_profiles_and_modes_come_from_the_named_engine() -> None:
    assert completed("query", "x", "--engine", "soleri", "--profile", "") == ["soleri", "soleri-code"]
    assert set(completed("query", "x", "--profile", "")) > {"brv-3", "soleri"}
    assert completed("query", "x", "--engine", "soleri", "--mode", "s") == ["scan"]
    assert completed("query", "x", "--engine", "nobodys", "--profile", "") == []


def test_events_come_from_the_named_engine() -> None:
    assert completed("maturity", "--engine", "byterover", "--event", "leaves") == ["leaves-prompt", "leaves-tier-2"]
    assert completed("maturity", "--engine", "soleri", "--event", "a") == ["age-halves"]
    assert completed("maturity", "--engine", "knowing", "--event", "") == []


def test_folders_and_notes_come_from_the_named_project(project: Tree) -> None:
    project.file("auth/jwt/.hidden.md", "# Hidden")
    named = ("--project", str(project.root))
    assert completed("query", "x", *named, "--scope", "auth/") == ["auth/jwt"]
    assert "auth/jwt/rotation.md" in completed("explain", *named, "x", "auth")
    assert completed("explain", *named, "x", "rota") == ["rotation.md"]
    assert not any("hidden" in name for name in completed("explain", *named, "x", ""))


def test_names_behind_a_linked_tree_are_not_completed(project: Tree, tmp_path: Path) -> None:
    outside = project.tree.rename(tmp_path / "outside")
    project.tree.symlink_to(outside)
    assert completed("explain", "--project", str(project.root), "x", "") == []


def test_completion_is_empty_without_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed("explain", "x", "") == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "name",
    [
        "x$(touch PLANTED)", "x`touch PLANTED`", "x;touch PLANTED", "x|touch PLANTED", "x&touch PLANTED", "x>PLANTED",
        "x<PLANTED", "x y", "x*", "x?", "x[ab]", "x{a,b}", "~root", "x!1", "x\\y", "x'y", 'x"y', "#x", "x\ny", "x$HOME",
        "x(y)", "x\u00a0y",
    ],
)  # fmt: skip
def test_names_with_shell_characters_are_not_offered(project: Tree, name: str) -> None:
    project.file(f"odd/{name}.md", "# Odd")
    project.file(f"odd/{name}d/in.md", "# Odd")
    project.file("odd/plain-é_1.2+3@4%5=6,7:8.md", "# Plain")
    named = ("--project", str(project.root))
    offered = {*completed("explain", *named, "x", ""), *completed("query", "x", *named, "--scope", "")}
    assert "odd/plain-é_1.2+3@4%5=6,7:8.md" in offered
    assert not {one for one in offered if name in one and not one.startswith("auth")}


def test_bash_never_executes_a_completed_file_name(project: Tree, tmp_path: Path) -> None:
    """Runs the script and the completed line in bash."""
    for name in ("one$(touch PLANTED)", "one`touch PLANTED`", "one;touch PLANTED", "one"):
        project.file(f"odd/{name}.md", "# Odd")
    ask = f"""{BashComplete(cli, {}, "brv-tui", "_BRV_TUI_COMPLETE").source()}
COMP_WORDS=(brv-tui explain --project {project.root} x odd/o); COMP_CWORD=5; _brv_tui_completion brv-tui odd/o x
for each in "${{COMPREPLY[@]}}"; do eval "echo $each"; done"""
    done = run_shell("bash", ask, tmp_path, tmp_path / "bin")
    assert (done.stdout.split(), done.returncode) == (["odd/one.md"], 0), done.stderr
    assert not (tmp_path / "PLANTED").exists()


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here (Debian: apt-get install fish)")
def test_fish_does_not_treat_a_file_name_as_an_option(tmp_path: Path) -> None:
    names = ["-rf.json", "-x$(touch PLANTED)", "a`touch PLANTED`.json", "b.json"]
    work = tmp_path / "work"
    work.mkdir()
    for name in names:
        (work / name).touch()
    (work / "-folder").mkdir()
    script = CliRunner().invoke(cli, ["completion", "fish"]).output
    (tmp_path / "completion.fish").write_text(script)
    ask = f"source {tmp_path}/completion.fish; complete -C 'brv-tui show '; complete -C 'brv-tui show ./'"
    done = run_shell("fish", ask, work, tmp_path / "bin")
    offered = {line.partition("\t")[0] for line in done.stdout.splitlines()}
    assert offered == {"a`touch PLANTED`.json", "b.json", "./-folder/", *(f"./{name}" for name in names)}
    assert done.stderr == ""
    assert {*os.listdir(work)} == {*names, "-folder"}


def run_shell(shell: str, script: str, folder: Path, programs: Path) -> subprocess.CompletedProcess[str]:
    """Runs ``script`` in ``folder``, with this ``brv-tui`` in the folder ``programs`` on PATH."""
    program = programs / "brv-tui"
    programs.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m brvtui "$@"\n')
    program.chmod(0o755)
    environ = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(brvtui.__file__).parents[1]),
    }
    return subprocess.run(
        [shell, "-c", script], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_runs_no_env_from_a_project(shell: str) -> None:
    script = CliRunner().invoke(cli, ["completion", shell]).stdout
    assert "/usr/bin/env" in script
    assert "(env " not in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_calls_the_program_that_printed_it(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my tools" / "brv-tui"
    program.parent.mkdir()
    program.write_text("")
    monkeypatch.setattr("sys.argv", [str(program)])
    script = CliRunner().invoke(cli, ["completion", shell]).stdout
    assert f" '{program}')" in script
    assert "$1)" not in script
    assert " brv-tui)" not in script
