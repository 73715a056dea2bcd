"""Every option and argument of every command, given values that no command should break on."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import click
import pytest

from brvtui.cli.program import cli
from tests.cli.conftest import Run
from tests.support.trees import Tree

HOSTILE = (
    "inf", "-inf", "nan", "1e308", "-1", "0", "1" + "0" * 30, "9" * 5_000, "0001-01-01", "9999-12-31", "+99999999d",
    "+999999y", "-999999y", "\udce9", "a\udcffb", "\x1b]0;x\a.json", "\x1b[31m=1", "", " ", "-", "=", "a=nan",
    "k=1e309", "direct.min_top=0:1e308:5", "direct.min_top=nan:inf:3", "days=-1e308:1e308:3", "days=0:1e9:2", "*",
    '"', "NEAR(", "x" * 11_000, "../../etc", "/mnt", "/dev/null", "FOLDER", "FIFO",
)  # fmt: skip
_RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
_SERVES = {"serve", "open"}
"""Commands that do not end, or need a terminal: only what they are given is read."""
_PER_COMMAND = 12
"""Tried of each command in the short lane."""
_PER_FLEET_COMMAND = 3
"""Those of a fleet start a process for each member."""


def _commands(group: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from _commands(command, (*path, name))
    else:
        yield path, group


COMMANDS = dict(_commands(cli))


def _parameters(command: click.Command) -> list[click.Parameter]:
    """The parameters of ``command`` that take a value."""
    return [one for one in command.params if not (isinstance(one, click.Option) and (one.is_flag or one.is_eager))]


def _words(path: tuple[str, ...], tried: click.Parameter, hostile: str, place: Path) -> list[str]:
    """The words of a call in which ``tried`` is hostile, and the other arguments that are needed are not."""
    value = {"FOLDER": str(place), "FIFO": str(place / "pipe")}.get(hostile, hostile)
    arguments = [each for each in COMMANDS[path].params if isinstance(each, click.Argument)]
    words = [value if each is tried else _usual(each) for each in arguments if each is tried or each.required]
    option = [f"{tried.opts[0]}={value}"] if isinstance(tried, click.Option) else []
    return [*path, *option, "--", *words] if words else [*path, *option]


def _by_name() -> dict[str, list[tuple[tuple[str, ...], click.Parameter]]]:
    """Each kind of parameter, with the commands that have it; many share their options."""
    owners: dict[str, list[tuple[tuple[str, ...], click.Parameter]]] = {}
    for path, command in COMMANDS.items():
        for parameter in _parameters(command):
            names = parameter.opts[0], type(parameter.type).__name__, "fleet" * (path[0] == "fleet")
            owners.setdefault(" ".join(filter(None, names)), []).append((path, parameter))
    return owners


OWNERS = _by_name()


def _usual(argument: click.Argument) -> str:
    return argument.type.choices[0] if isinstance(argument.type, click.Choice) else "refresh token"


def _problem(words: list[str], run: Run) -> str:
    if words[0] in _SERVES:
        try:
            COMMANDS[(words[0],)].make_context(words[0], words[1:])
        except (click.ClickException, click.exceptions.Exit):
            return ""
        return ""
    code, out, err = run(*words, inside=False)
    if code not in range(5):
        return f"ended with {code}"
    if "Traceback" in err or "a report is in" in err:
        return err
    if found := _RAW.search(out.replace("\r\n", "\n") + err):
        return f"prints {found[0]!r}"
    return ""


@pytest.fixture
def place(project: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a pipe in the project, which is the working folder."""
    folder = project.root / "place"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(project.root)
    return folder


@pytest.mark.parametrize("path", COMMANDS, ids="-".join)
def test_no_value_breaks_a_command(path: tuple[str, ...], place: Path, run: Run) -> None:
    """A sample of the calls, another one with each version of the values."""
    calls = [_words(path, one, hostile, place) for hostile in HOSTILE for one in _parameters(COMMANDS[path])]
    chosen = random.Random("-".join(path)).sample(
        calls, min(_PER_FLEET_COMMAND if path[0] == "fleet" else _PER_COMMAND, len(calls))
    )
    assert [found for words in chosen if (found := (words, _problem(words, run)))[1]] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [(("add", ""), 2), (("query", "refresh token", "--over="), 3), (("check", "--over=", "--over=."), 3)],
    ids=lambda value: value[0] if isinstance(value, tuple) else str(value),
)
def test_an_empty_place_of_a_fleet_is_refused(words: tuple[str, ...], expected: int, place: Path, run: Run) -> None:
    code, _, err = run("fleet", *words, inside=False)
    assert code == expected
    assert err == "brv-tui: a place is empty: give a folder, a pattern, a git repository or a data folder\n"
    assert not (place.parent / "fleet.toml").exists()


@pytest.mark.long
@pytest.mark.parametrize("name", OWNERS)
def test_no_value_breaks_a_parameter(name: str, place: Path, run: Run) -> None:
    """Every value, each with the next three of the commands that have such a parameter."""
    owners = cycle(OWNERS[name])
    count = min(3, len(OWNERS[name]))
    calls = [_words(*owner, hostile, place) for hostile in HOSTILE for owner in islice(owners, count)]
    assert [found for words in calls if (found := (words, _problem(words, run)))[1]] == []
