"""Shared by the commands: exit codes, options, opening a session, writing answers."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from brvtui.cli import completing
from brvtui.garbage import garbage_collector_paused
from brvtui.text.visible import json_line

OK, NEGATIVE, BAD_USAGE, NOT_THERE, FAILED = 0, 1, 2, 3, 4
PROJECT_OR_REPO = "give either a project or --repo"
NO_PROJECT = "no such file or folder; name the folder of a project, or a saved trace"
_ENDLESS = 1_000_000
"""Columns of a page without an edge: no table on it is narrowed."""
SCOPE_HELP = "Search only below this folder of the tree."
NOW_HELP = "Freeze the clock at this time (ISO 8601)."
_WHOLE = 200
"""More characters than any command's summary has."""
_ASCII = "brvtui.ascii"
"""Where click's context keeps the setting of the open project."""
_DRIVER = "TEXTUAL_DRIVER"
"""Set by textual-serve: the app then speaks to a browser, over pipes."""
_F = TypeVar("_F", bound=Callable[..., Any])


class Failure(click.ClickException):
    """An error with its exit code; the message is one line."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


class WholeSummaries(click.Group):
    """Commands whose summaries its help does not cut."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists every command with its whole summary: click would cut it to one line."""
        with formatter.section("Commands"):
            named = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
            formatter.write_dl([(name, command.get_short_help_str(_WHOLE)) for name, command in named if command])


def is_there(path: Path) -> bool:
    """Whether ``path``, as the user wrote it, is a file or folder, or may be one that cannot be looked at."""
    try:
        return path.expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return True


def check_terminal(project: Path | None = None) -> None:
    """Raises :class:`Failure` where ``project`` is not there, or the app has neither a terminal nor a browser.

    In a browser the app itself says what is missing.
    """
    if os.environ.get(_DRIVER, "").startswith("textual.drivers.web_driver:"):
        return
    if project is not None and not is_there(project):
        raise Failure(f"{project}: {NO_PROJECT}", NOT_THERE)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("the app needs a terminal; without one, use brv-tui query, explain or replay", BAD_USAGE)


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"  # click's own word for it stands in messages


class Number(click.FloatRange):
    """A number within bounds."""

    name = "number"


def moment(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """The ISO 8601 time of an option in milliseconds since 1970. Raises :class:`click.BadParameter`."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).timestamp() * 1000
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{value} is not an ISO 8601 time, such as 2026-11-20T12:00:00Z") from error


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


def check_engine(name: str, is_code: bool = False) -> None:
    """Raises :class:`Failure` for an engine that is not installed, or one that is not for code over code."""
    from brvtui.engines import registry
    from brvtui.session.engines import OF_CODE

    if name and (why := registry.why_unknown(name)):
        raise Failure(why, BAD_USAGE)
    if is_code and name not in ("", OF_CODE):
        raise Failure(f"over code, {OF_CODE} alone answers: leave out --engine", BAD_USAGE)


def check_trace(project: Path | None, **options: object) -> None:
    """Raises :class:`Failure` where ``project`` is a file that is no saved trace, or ``options`` ask for another answer
    than the one that it holds.
    """
    from brvtui.saved import ENDING, is_saved

    with suppress(OSError, RuntimeError, ValueError):  # what cannot be looked at is refused where it is opened
        if project is not None and project.expanduser().is_file() and not is_saved(project):
            raise Failure(f"{project}: neither a project's folder nor a trace saved as {ENDING}", NOT_THERE)

    given = next((name for name, value in options.items() if value not in (None, "")), None)
    if given and project is not None and is_saved(project):
        raise Failure(f"{project} is a saved trace, which keeps the answer as it was: leave out --{given}", BAD_USAGE)


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


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options of :func:`engine_command` say: how the engine is asked, and over which project."""

    engine: str
    options: dict[str, Any]
    scope: str
    project: Path | None
    profile: str | None
    now: float | None
    signals: Path | None
    repo: Path | None
    space: str = ""
    root: Path | None = None

    def open(self) -> Any:
        """The loaded session of the project. Raises :class:`Failure`."""
        with garbage_collector_paused():
            session = find_session(
                self.project, self.profile, self.now, self.signals, self.engine, self.repo, self.space, self.root
            )
            from brvtui.tree.reading.project import ProjectError
            from brvtui.tree.reading.signals import SignalsError

            try:
                session.load()
            except SignalsError as error:
                raise Failure(str(error), BAD_USAGE) from error
            except ProjectError as error:
                raise Failure(str(error), FAILED) from error
        click.get_current_context().call_on_close(lambda: _keep(session))
        return session


def engine_command(command: _F) -> _F:
    """Adds the options of every command that asks an engine; the command gets them as ``asked`` (:class:`Asked`).

    An engine refuses those that it does not know. ``--option`` passes on any, so that an engine of another package
    needs no flag of its own here.
    """
    positive = WholeNumber(1, 1_000)
    flags = {
        "mode": click.option(
            "--mode",
            metavar="MODE",
            shell_complete=completing.modes,
            help="How the engine searches (jeffs_brain: auto, bm25, semantic, hybrid; soleri: full, scan; "
            "knowing: density, top-k, file-grouped).",
        ),
        "aliases": click.option(
            "--aliases", type=click.Path(path_type=Path), help="jeffs_brain: JSON file of aliases."
        ),
        "top_k": click.option("--top-k", type=positive, help="How many results (jeffs_brain: 10)."),
        "candidate_k": click.option(
            "--candidate-k", type=positive, help="jeffs_brain: how many of each leg, BM25 and vectors (60)."
        ),
        "rerank_top_n": click.option("--rerank-top-n", type=positive, help="jeffs_brain: how many are reranked (20)."),
        "rerank": click.option("--rerank/--no-rerank", default=None, help="jeffs_brain: rerank the head."),
        "budget": click.option(
            "--budget",
            type=WholeNumber(1, 10_000_000),
            metavar="TOKENS",
            help="knowing: how many tokens the context may have (50000).",
        ),
        "skip_retry_ladder": click.option(
            "--skip-retry-ladder", is_flag=True, default=None, help="jeffs_brain: never rewrite the query."
        ),
    }

    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        options = dict(given.pop("others"))
        options |= {name: value for name in flags if (value := given.pop(name)) is not None}
        names = ("engine", "scope", "project", "profile", "now", "signals", "repo", "space", "root")
        where = {name: given.pop(name) for name in names}
        return command(asked=Asked(options=options, **where), **given)

    made: Any = collected
    for option in (
        click.option(
            "-o", "--option", "others", multiple=True, metavar="NAME=VALUE", callback=_named_values,
            help="Any other option of the engine; may be given more than once.",
        ),
        *reversed(flags.values()),
        engine_option,
        click.option(
            "--scope", default="", metavar="PATH", shell_complete=completing.scopes,
            help=SCOPE_HELP,
        ),
        repo_option,
        space_options,
        project_option,
        shared,
    ):  # fmt: skip
        made = option(made)
    result: _F = made
    return result


def _named_values(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """Options by name: truths and numbers as TOML writes them, anything else as text."""
    import tomllib

    made: dict[str, Any] = {}
    for given in values:
        name, equals, text = given.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{given} is not NAME=VALUE")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (tomllib.TOMLDecodeError, KeyError):
            value = text
        made[name.replace("-", "_")] = value if isinstance(value, bool | int | float) else text
    return made


def passed_on(ctx: click.Context) -> list[str]:
    """The arguments with which another process opens the project as this one would."""
    given = ctx.params
    made = ["--engine", given["engine"]] if given["engine"] else []
    if given["profile"]:
        made += ["--profile", given["profile"]]
    if given["now"] is not None:
        made += ["--now", datetime.fromtimestamp(given["now"] / 1000, UTC).isoformat()]
    if given["signals"]:
        made += ["--signals", str(given["signals"])]
    if given["repo"] is not None:
        made += ["--repo", str(given["repo"])]
    return [*made, "--", str(given["project"])] if given["project"] else made


@contextmanager
def engine_errors_reported() -> Iterator[None]:
    """Turns an engine's refusal into one line and exit code 2."""
    from brvtui.engines.contract import EngineError

    try:
        yield
    except EngineError as error:
        raise Failure(str(error), BAD_USAGE) from error


def _keep(session: Any) -> None:
    """Writes the kept index after the answer; a failure does not matter to the answer."""
    with suppress(OSError):
        session.keep()
    session.close()


def find_session(
    project: Path | None,
    profile: str | None = None,
    now: float | None = None,
    signals: Path | None = None,
    engine: str = "",
    repository: Path | None = None,
    space: str = "",
    root: Path | None = None,
) -> Any:
    """The session of the project, of the code of ``repository``, or of a named space, before anything is read.

    Raises :class:`Failure`.
    """
    from brvtui.config import ConfigError
    from brvtui.session import Session
    from brvtui.tree.reading.project import ProjectError
    from brvtui.typed_tables import ProfileError

    if repository is not None and project is not None:
        raise Failure("give either --project or --repo", BAD_USAGE)
    check_engine(engine, repository is not None)
    named = None
    if space or root is not None:
        if repository is not None:
            raise Failure("give either a space or --repo", BAD_USAGE)
        from brvtui.tree.spaces.project import NamedSpace

        named = NamedSpace(space, root)
    try:
        session = Session.open(project, profile, now, signals, engine=engine, repository=repository, space=named)
    except ProjectError as error:
        raise Failure(str(error), NOT_THERE) from error
    except (ConfigError, ProfileError) as error:
        raise Failure(str(error), BAD_USAGE) from error
    if context := click.get_current_context(silent=True):
        context.meta[_ASCII] = session.settings.ascii
    return session


def print_report(report: Callable[[int], Any]) -> None:
    """Prints what ``report`` returns for a width: that of the terminal, or of COLUMNS where that is set.

    Elsewhere, in a pipe or a file, nothing is wrapped or cut.
    """
    from rich.console import Console

    from brvtui.paint.glyphs import ON, TO_LETTERS, drawn_in
    from brvtui.paint.text import kept_whole

    letters = letters_setting()
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    if console.is_terminal or os.environ.get("COLUMNS"):
        with drawn_in(letters), console.capture() as printed:
            console.print(report(console.width))
        text = printed.get()
    else:
        endless = Console(highlight=False, markup=False, emoji=False, width=_ENDLESS)
        with drawn_in(letters), kept_whole(), endless.capture() as printed:
            endless.print(report(console.width), soft_wrap=True)
        text = "".join(f"{row.rstrip(' ')}\n" for row in printed.get().splitlines())
    sys.stdout.write(text.translate(TO_LETTERS) if letters == ON else text)


def letters_setting() -> str:
    """The setting ``ascii`` of the open project; where none is open, of the user."""
    context = click.get_current_context(silent=True)
    known: str = context.meta.get(_ASCII, "") if context else ""
    if known:
        return known
    from brvtui.config import configure

    return configure().settings.ascii


def write_json(values: Iterable[Any]) -> None:
    """Writes each value as one line of JSON in UTF-8."""
    out = sys.stdout.buffer
    for value in values:
        out.write(json_line(value))
    out.flush()
