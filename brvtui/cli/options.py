"""Options and arguments that several commands have, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from brvtui.cli import completing
from brvtui.cli.moments import moment

SCOPE_HELP = "Search only below this folder of the tree."
NOW_HELP = "Freeze the clock at this time (ISO 8601)."
_F = TypeVar("_F", bound=Callable[..., Any])


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"  # click's own word for it stands in messages


class Number(click.FloatRange):
    """A number within bounds."""

    name = "number"


def text_argument(required: bool = True, metavar: str = "TEXT") -> Callable[[_F], _F]:
    """Adds ``text``, the words of a query, which are refused where they are empty or blank."""

    def checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is not None and not value.strip():
            raise click.UsageError(f"{metavar} is empty: write what you want to know", ctx)
        return value

    shown = metavar if required else f"[{metavar}]"
    return click.argument("text", required=required, metavar=shown, callback=checked)


def quoted_text(ctx: click.Context) -> str:
    """How to give several words as ``text``, the first argument of the command of ``ctx``."""
    text, *others = (each for each in ctx.command.params if isinstance(each, click.Argument))
    rest = "".join(f" {each.human_readable_name}" for each in others if not each.human_readable_name.startswith("["))
    name = text.human_readable_name.strip("[]")
    return f'quote a {name} of several words, as in {ctx.command_path} "how do we deploy"{rest}'


def shared(command: _F) -> _F:
    """Adds the options of every command that opens a project."""
    constants = (
        "The engine's constants, or a TOML file of your own (byterover: brv-3, docs, combined; "
        "byterover_v4: byterover_v4; jeffs_brain: jeffs_brain; soleri: soleri, soleri-code; "
        "knowing: knowing, knowing-code)."
    )
    for option in (
        click.option("--signals", type=click.Path(path_type=Path), help="JSON file of signals by note path."),
        click.option("--now", metavar="ISO", callback=moment, help=NOW_HELP),
        click.option("--profile", metavar="NAME|FILE", help=constants, shell_complete=completing.profiles),
    ):
        command = option(command)
    return command


def project_option(command: _F) -> _F:
    """Adds ``--project``."""
    where = click.Path(path_type=Path)
    return click.option("--project", type=where, help="The project (default: here or above).")(command)


def project_argument(command: _F) -> _F:
    """Adds ``project`` as an argument, and ``--project`` for it, which commands that ask have."""

    def named_once(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
        named: Path | None = ctx.params.pop("named", None)
        if value is not None and named is not None:
            raise click.UsageError("the project is named twice: leave out --project", ctx)
        return named if value is None else value

    where = click.Path(path_type=Path)
    option = click.option("--project", "named", type=where, is_eager=True, hidden=True)
    return click.argument("project", required=False, type=where, callback=named_once)(option(command))


def engine_option(command: _F) -> _F:
    """Adds ``--engine``."""
    return click.option(
        "--engine", "--pipeline", "engine", default="", metavar="NAME", shell_complete=completing.engines,
        help="The memory system whose retrieval to run (default: the one that is set, byterover).",
    )(command)  # fmt: skip


def space_options(command: _F) -> _F:
    """Adds ``--space`` and ``--root``, which name a space of ByteRover V4 as its own scripts do."""
    for option in (
        click.option("--root", type=click.Path(path_type=Path), help="Ask the space of ByteRover V4 with this tree."),
        click.option("--space", metavar="NAME", default="", help="Ask the space of ByteRover V4 of this name."),
    ):
        command = option(command)
    return command


def repo_option(command: _F) -> _F:
    """Adds ``--repo``."""
    where = click.Path(path_type=Path)
    return click.option("--repo", type=where, help="Ask the code of this repository in place of notes.")(command)


def format_option(*forms: str, text: str = "How to answer.") -> Callable[[_F], _F]:
    """Adds ``--format``, which takes one of ``forms``, the first by default; ``text`` explains it."""
    return click.option("--format", "form", type=click.Choice(forms), default=forms[0], show_default=True, help=text)


answer_format = format_option("text", "json")
"""Adds ``--format`` to a command that answers as text or as JSON."""
