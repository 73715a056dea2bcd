"""Options and arguments that several commands share, the types of their values, and help with unshortened summaries."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from brvtui.cli import completing
from brvtui.cli.failure import ErrorsReported
from brvtui.engines.registry import our_profiles
from brvtui.timing import FIRST_MS, LAST_MS, system_clock

# Times in options: an ISO 8601 time, or a span from now.


_HOURS = {"h": 1, "d": 24, "w": 168, "y": 8_766}
_MS_PER_HOUR = 3_600_000
_LATER = re.compile(r"([+-])([0-9]{1,6})([hdwy])")


def moment(written: str) -> float:
    """Converts an ISO 8601 time (years 1000 to 8999) to milliseconds since 1970. Used as a type by click.

    Raises :class:`click.BadParameter`.
    """
    return _moment(written, "is not an ISO 8601 time")


def filled(written: str) -> str:
    """Returns ``written`` unchanged. Used as a type by click. Raises :class:`click.BadParameter` if it is empty."""
    if not written.strip():
        raise click.BadParameter("is empty: set a value, or leave it out")
    return written


class NamedPath(click.Path):
    """A non-empty path. An empty one, for example from an unset variable, would mean the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns ``value`` as a Path. Raises :class:`click.BadParameter` if it is empty."""
        return super().convert(filled(value) if isinstance(value, str) else value, param, ctx)


class LaterOrAt(NamedTuple):
    """A time, or a span that starts at a time known only later; both in milliseconds."""

    ms: float
    is_span: bool
    written: str

    def after(self, now_ms: float) -> float:
        """Returns this time or, for a span, ``now_ms`` plus the span.

        Raises :class:`click.BadParameter` if the result is too far in the future.
        """
        return _within(now_ms + self.ms, self.written) if self.is_span else self.ms

    def freezing(self, now: float | None) -> tuple[float | None, float]:
        """Returns the time at which the clock is frozen (None if it is running) and the span.

        The clock is frozen at this time or, for a span, at ``now``. Raises the same exception as :meth:`after`.
        """
        self.after(system_clock() if now is None else now)
        return (now, self.ms) if self.is_span else (self.ms, 0.0)


def span_or_moment(written: str) -> LaterOrAt:
    """Returns a span such as ``+30d``, or a time as in :func:`moment`. Raises :class:`click.BadParameter`."""
    if span := _LATER.fullmatch(written):
        hours = int(span[2]) * _HOURS[span[3]] * (-1 if span[1] == "-" else 1)
        return LaterOrAt(float(hours * _MS_PER_HOUR), True, written)
    return LaterOrAt(_moment(written, "is neither a span, such as +30d, nor an ISO 8601 time"), False, written)


def earlier_or_moment(written: str) -> LaterOrAt:
    """Returns a span before now such as ``7d``, or a time as in :func:`moment`. Raises :class:`click.BadParameter`."""
    if _LATER.fullmatch(f"-{written}"):
        return span_or_moment(f"-{written}")
    return LaterOrAt(_moment(written, "is neither a span, such as 7d, nor an ISO 8601 time"), False, written)


def _moment(written: str, problem: str) -> float:
    try:
        time = datetime.fromisoformat(written.replace("Z", "+00:00"))
        at = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{written} {problem}, such as 2026-11-20T12:00:00Z") from error
    return _within(at, written)


def _within(at: float, written: str) -> float:
    if not FIRST_MS <= at < LAST_MS:
        raise click.BadParameter(f"{written} is not in the years 1000 to 8999")
    return at


SCOPE_HELP = "Search only below this folder of the tree."
NOW_HELP = "Freeze the clock at this time (ISO 8601)."
_F = TypeVar("_F", bound=Callable[..., Any])


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"  # replaces click's own word in messages


class Number(click.FloatRange):
    """A finite number within bounds."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Returns the number. Raises :class:`click.BadParameter`."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def query_text(text: str) -> str:
    """Returns ``text``, the words of a query. Used as a type by click. Raises :class:`Failure` if it is too long."""
    with ErrorsReported():
        from brvtui.engines.contract import check_length

        check_length(text)
    return text


_PIPED = "-"
"""The text that means standard input."""


def text_argument(
    required: bool = True, metavar: str = "TEXT", meaning: str = "what you want to know", may_be_empty: bool = False
) -> Callable[[_F], _F]:
    """Adds ``text``, the words of a query, read from standard input if it is ``-``.

    Empty and blank text is refused; with ``may_be_empty``, only if it comes from standard input.
    """

    def checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value == _PIPED and not ctx.resilient_parsing:  # completing a command line must not read anything
            value = query_text(_piped())
            if not value:
                raise click.UsageError(f"standard input is empty: {metavar} - reads {meaning} from there", ctx)
        elif value is not None and not value.strip() and not may_be_empty:
            raise click.UsageError(f"{metavar} is empty: write {meaning}", ctx)
        return value

    shown = metavar if required else f"[{metavar}]"
    return click.argument("text", type=query_text, required=required, metavar=shown, callback=checked)


def _piped() -> str:
    """Returns standard input without white space at its ends. Raises :class:`click.UsageError` if it is too long."""
    from brvtui.engines.contract import LONGEST_QUERY

    most_bytes = 4 * LONGEST_QUERY  # a character has at most four
    data = sys.stdin.buffer.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise click.UsageError(f"standard input has more than {LONGEST_QUERY:,} characters")
    return data.decode("utf-8", "replace").strip()


def quoted_text(ctx: click.Context) -> str:
    """A hint to put several words in quotes, so that they become the first argument of the command of ``ctx``."""
    text, *others = (each for each in ctx.command.params if isinstance(each, click.Argument))
    rest = "".join(f" {each.human_readable_name}" for each in others if not each.human_readable_name.startswith("["))
    name = text.human_readable_name.strip("[]")
    return f'put a {name} of several words in quotes, as in {ctx.command_path} "how do we deploy"{rest}'


def shared(command: _F) -> _F:
    """Adds the options of every command that opens a project."""
    named = "; ".join(f"{engine}: {', '.join(profiles)}" for engine, profiles in our_profiles().items())
    constants = f"The engine's constants, or a TOML file of your own ({named})."
    for option in (
        click.option("--signals", type=NamedPath(), help="A JSON file with the signals for each note path."),
        click.option("--now", metavar="ISO", type=moment, help=NOW_HELP),
        click.option("--profile", metavar="NAME|FILE", help=constants, shell_complete=completing.profiles),
    ):
        command = option(command)
    return command


_TREE = "brvtui.tree"
"""The key in click's context for the folder given by ``--tree``."""


def project_option(command: _F) -> _F:
    """Adds ``--project``, and ``--tree`` as its alternative."""
    where = NamedPath()
    option = click.option(
        "--project", type=where, callback=_project, help="The project (default: in this folder or above it)."
    )
    return option(_tree_option(command))


def _tree_option(command: _F) -> _F:
    """Adds ``--tree`` for a folder of notes that is not a project."""

    def keep(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
        ctx.meta[_TREE] = value

    return click.option(
        "--tree", type=NamedPath(), metavar="FOLDER", is_eager=True, expose_value=False, callback=keep,
        help="Read this folder of markdown as a project's notes.",
    )(command)  # fmt: skip


def _project(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """Returns the project from the option or argument that names it."""
    tree: Path | None = ctx.meta.pop(_TREE, None)
    if tree is not None:
        from brvtui.tree.reading.project import NotesFolder

        tree = NotesFolder(tree)
    named = [one for one in (ctx.params.pop("named_project", None), value, tree) if one is not None]
    if len(named) > 1:
        raise click.UsageError("the project is specified twice: use only one of PROJECT, --project and --tree", ctx)
    return named[0] if named else None


def project_argument(command: _F) -> _F:
    """Adds ``project`` as an argument, and the options ``--project`` and ``--tree`` as alternatives."""
    where = NamedPath()
    option = click.option("--project", "named_project", type=where, is_eager=True, hidden=True)
    return click.argument("project", required=False, type=where, callback=_project)(option(_tree_option(command)))


def engine_option(command: _F) -> _F:
    """Adds ``--engine``."""
    return click.option(
        "--engine", "--pipeline", "engine", default="", metavar="NAME", shell_complete=completing.engines,
        help="The memory system whose retrieval to run (default: from the settings, otherwise byterover).",
    )(command)  # fmt: skip


def space_options(command: _F) -> _F:
    """Adds ``--space`` and ``--root``, which name a ByteRover V4 space in the same way as V4's own scripts."""
    for option in (
        click.option("--root", type=NamedPath(), help="Query the ByteRover V4 space with this tree."),
        click.option(
            "--space",
            metavar="NAME",
            type=filled,
            callback=lambda _, __, name: name or "",
            help="Query the ByteRover V4 space with this name.",
        ),
    ):
        command = option(command)
    return command


def repo_option(command: _F) -> _F:
    """Adds ``--repo``."""
    where = NamedPath()
    return click.option("--repo", type=where, help="Query the code of this repository instead of notes.")(command)


def format_option(*forms: str, text: str = "Output format.") -> Callable[[_F], _F]:
    """Adds ``--format``, which accepts one of ``forms``; the first is the default. ``text`` is its help."""
    return click.option("--format", "form", type=click.Choice(forms), default=forms[0], show_default=True, help=text)


answer_format = format_option("text", "json")
"""Adds ``--format`` to a command with output as text or as JSON."""


_WHOLE = 200
"""A length limit that no command's summary reaches."""


class WholeSummaries(click.Group):
    """A group of commands whose help shows their summaries in full."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists every command with its full summary, which click would shorten to one line."""
        with formatter.section("Commands"):
            named = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
            formatter.write_dl([(name, command.get_short_help_str(_WHOLE)) for name, command in named if command])
