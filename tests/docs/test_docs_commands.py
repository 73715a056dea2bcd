"""Commands shown in pages: each parses, and those for the sample tree run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click
import pytest
from click.testing import CliRunner

from brvtui.cli.failure import BAD_USAGE, FAILED, NOT_THERE
from brvtui.cli.program import cli
from tests.docs.pages import PAGES, page, script

_BLOCK = re.compile(r"^ *```(?:sh|console)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`(brv-tui [^`]+)`")
_PLACEHOLDERS = re.compile(r"…|\[PROJECT\]|\[OPTIONS\]")
_ENDS = {"|", "||", "&&", ";", ">", ">>", "<", "&"}
_NEEDS = re.compile(r"\$|tcp:|--llm|\.\./|docs/examples|brv-tui (?:open|serve|verify|sample-tree)\b")
"""Parts of commands that need a terminal, a server, a model, an engine, another folder, or do not end."""
EXAMPLES = script("tools/make_examples.py")


def commands_of(line: str) -> Iterator[list[str]]:
    """The words of each ``brv-tui`` command in a line of shell, without the word ``brv-tui``."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if word not in _ENDS:
            words.append(word)
            continue
        if words[:1] == ["brv-tui"]:
            yield words[1:]
        words = []


def shown(name: str) -> list[str]:
    """The lines of shell in the blocks of a page."""
    found = []
    for block in _BLOCK.findall(page(name)):
        lines = block.replace("\\\n", " ").splitlines()
        if any(line.lstrip().startswith("$ ") for line in lines):
            lines = [line.lstrip()[2:] for line in lines if line.lstrip().startswith("$ ")]
        found += [line for line in lines if "brv-tui" in line and not _PLACEHOLDERS.search(line)]
    return found


def parse(arguments: list[str]) -> None:
    """Parses a command without running it. Raises :class:`click.UsageError`."""
    first = next((word for word in arguments if not word.startswith("-")), "")
    names_file = bool(first) and cli.get_command(click.Context(cli), first) is None
    # a text of - is read from standard input, and --version exits
    with CliRunner().isolation(input="how do we deploy"), suppress(click.exceptions.Exit):
        _parse(["open", *arguments] if names_file else arguments)


def _parse(arguments: list[str]) -> None:
    context = cli.make_context("brv-tui", list(arguments))
    group: click.Command = cli
    while isinstance(group, click.Group):
        left = [*context._protected_args, *context.args]
        name, command, rest = group.resolve_command(context, left)
        assert command is not None
        context = command.make_context(name, rest, parent=context)
        group = command


def known_options(arguments: list[str]) -> set[str]:
    """The options of the command, and of the subcommand, at the beginning of ``arguments``."""
    group: Any = cli
    known = {"--help", "-h", "--version"} | {
        option for param in cli.get_command(None, "open").params for option in param.opts
    }
    for word in arguments:
        group = group.get_command(None, word) if isinstance(group, click.Group) else None
        if group is None:
            break
        known |= {option for param in group.params for option in [*param.opts, *param.secondary_opts]}
    return known


BLOCKS = [(name, line) for name in PAGES for line in shown(name)]
SAMPLES = [(name, line) for name, line in BLOCKS if "sample-tree" in line and not _NEEDS.search(line)]


def test_commands_are_found_in_pages() -> None:
    assert len(BLOCKS) > 50
    assert list(commands_of('brv-tui query "a b" | jq .x && brv-tui show f # why')) == [["query", "a b"], ["show", "f"]]
    with pytest.raises(click.UsageError):
        parse(["query", "text", "--no-such-option"])


@pytest.mark.parametrize(("name", "line"), BLOCKS)
def test_documented_commands_parse(name: str, line: str) -> None:
    for arguments in commands_of(line):
        parse(arguments)


@pytest.mark.parametrize("name", PAGES)
def test_commands_mentioned_in_sentences_exist(name: str) -> None:
    unknown = []
    for span in _SPAN.findall(page(name)):
        words = re.split(r" \| | -- ", span)[0].replace("…", "x").split()[1:]
        options = {word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 1}
        if words[0][0].islower() and "." not in words[0] and "/" not in words[0] and words[0] != "sample-tree":
            known = cli.get_command(None, words[0]) is not None
        else:
            known = True
        if not known or options - known_options(words):
            unknown.append(span)
    assert unknown == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with the sample tree."""
    place = tmp_path_factory.mktemp("commands")
    EXAMPLES.fresh("", place)
    return place


@pytest.mark.long
@pytest.mark.parametrize(("name", "line"), SAMPLES)
def test_documented_commands_run_on_the_sample_tree(
    name: str, line: str, folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for arguments in commands_of(line):
        done = CliRunner().invoke(cli, arguments, standalone_mode=False)
        if isinstance(done.exception, click.ClickException):
            raise done.exception
        assert done.exception is None or isinstance(done.exception, SystemExit)
        assert done.return_value not in (BAD_USAGE, NOT_THERE, FAILED), done.output
