"""Every option and argument of every command, given values that no command should break on."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
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
    '"', "NEAR(", "x" * 11_000, "../../etc", "/", "/dev/null", "FOLDER", "FIFO",
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


def _words(path: tuple[str, ...], command: click.Command, place: Path) -> list[list[str]]:
    """The words of every call: one parameter is hostile, the arguments that are needed are not."""
    calls = []
    for hostile in HOSTILE:
        value = {"FOLDER": str(place), "FIFO": str(place / "pipe")}.get(hostile, hostile)
        for tried in command.params:
            if isinstance(tried, click.Option) and (tried.is_flag or tried.opts == ["--help"]):
                continue
            arguments = [each for each in command.params if isinstance(each, click.Argument)]
            words = [value if each is tried else _usual(each) for each in arguments if each is tried or each.required]
            option = [f"{tried.opts[0]}={value}"] if isinstance(tried, click.Option) else []
            calls.append([*path, *option, "--", *words] if words else [*path, *option])
    return calls


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


def _tried(path: tuple[str, ...], tree: Tree, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    place = tree.root / "place"
    place.mkdir()
    os.mkfifo(place / "pipe")
    monkeypatch.chdir(tree.root)
    return _words(path, COMMANDS[path], place)


@pytest.mark.parametrize("path", COMMANDS, ids="-".join)
def test_no_value_breaks_a_command(
    path: tuple[str, ...],
    project: Tree,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sample of the calls, another one with each version of the values."""
    calls = _tried(path, project, monkeypatch)
    chosen = random.Random("-".join(path)).sample(
        calls, min(_PER_FLEET_COMMAND if path[0] == "fleet" else _PER_COMMAND, len(calls))
    )
    assert [found for words in chosen if (found := (words, _problem(words, run)))[1]] == []


@pytest.mark.long
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("path", COMMANDS, ids="-".join)
def test_no_value_breaks_a_command_at_all(
    path: tuple[str, ...],
    project: Tree,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = _tried(path, project, monkeypatch)
    assert [found for words in calls if (found := (words, _problem(words, run)))[1]] == []
