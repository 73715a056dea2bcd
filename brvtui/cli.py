"""``brv-tui``: opens the app, or answers headless with the same engine (README.md, "Headless")."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from brvtui import __version__
from brvtui.text.visible import visible

_JEFFS_BRAIN = "jeffs_brain"
OK, NEGATIVE, BAD_USAGE, NOT_THERE, FAILED = 0, 1, 2, 3, 4
_F = TypeVar("_F", bound=Callable[..., Any])


class _Failure(click.ClickException):
    """An error with its exit code; the message is one line."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


class _Commands(click.Group):
    """Commands, or, where the first word is none of them, the project to open in the app."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        valued = {"--profile", "--now", "--signals"}
        position = 0
        while position < len(args) and args[position].startswith("-") and args[position] != "--":
            position += 2 if args[position] in valued else 1
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        asks_itself = any(arg in ("--help", "-h", "--version") for arg in args[:position])
        if not asks_itself and (position >= len(args) or args[position] not in self.commands):
            args = ["open", *args]
        return super().parse_args(ctx, args)


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).timestamp() * 1000
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{value} is no ISO 8601 time, such as 2026-11-20T12:00:00Z") from error


def _shared(command: _F) -> _F:
    for option in (
        click.option("--signals", type=click.Path(path_type=Path), help="JSON file of signals by note path."),
        click.option("--now", metavar="ISO", callback=_moment, help="Freeze the clock at this time (ISO 8601)."),
        click.option("--profile", metavar="NAME|FILE", help="Constants to use: brv-3 (default), docs, or a TOML file."),
    ):
        command = option(command)
    return command


def _headless(command: _F) -> _F:
    for option in (
        click.option("--scope", default="", metavar="PATH", help="Search only below this folder of the tree."),
        click.option("--project", type=click.Path(path_type=Path), help="The project (default: here or above)."),
    ):
        command = option(command)
    return _shared(command)


def _format(command: _F) -> _F:
    choice = click.Choice(["text", "json"])
    return click.option("--format", "form", type=choice, default="text", show_default=True, help="How to answer.")(
        command
    )


def _hybrid(command: _F) -> _F:
    positive = click.IntRange(1, 1_000)
    for option in (
        click.option("--skip-retry-ladder", is_flag=True, help="jeffs_brain: never rewrite the query."),
        click.option("--rerank/--no-rerank", default=None, help="jeffs_brain: rerank the head."),
        click.option("--rerank-top-n", type=positive, help="jeffs_brain: how many are reranked (20)."),
        click.option("--candidate-k", type=positive, help="jeffs_brain: how many each leg gives (60)."),
        click.option("--top-k", type=positive, help="jeffs_brain: how many results (10)."),
        click.option("--aliases", type=click.Path(path_type=Path), help="jeffs_brain: JSON file of aliases."),
        click.option("--mode", type=click.Choice(["auto", "bm25", "semantic", "hybrid"]), help="jeffs_brain: legs."),
        click.option(
            "--pipeline", type=click.Choice(["byterover", _JEFFS_BRAIN]), default="byterover", show_default=True,
            help="Whose retrieval to run.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


_EPILOG = """
\b
Examples:
  brv-tui                        open the project in this folder or above it
  brv-tui sample-tree            open a project
  brv-tui query "how are refresh tokens rotated"
  brv-tui explain "token rotation" auth/tokens/refresh_token_rotation.md
  brv-tui replay --queries queries.json --no-trace
\b
Exit codes: 0 fine, 1 a negative answer, 2 bad usage, 3 no such project or note, 4 failed.
"""


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="brv-tui")
def cli() -> None:
    """Shows why a query of a ByteRover context tree got its answer.

    Without a command it opens the app on PROJECT (brv-tui [PROJECT] [--profile …] [--now …] [--signals …]).
    """


@cli.command("open", epilog="\b\nExample:\n  brv-tui open sample-tree --profile docs")
@click.argument("project", required=False, type=click.Path(path_type=Path))
@_shared
def open_app(project: Path | None, profile: str | None, now: float | None, signals: Path | None) -> int:
    """Open the app on PROJECT (the same as naming PROJECT alone)."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise _Failure("no terminal here to open the app in: use brv-tui query, explain or replay", BAD_USAGE)
    from brvtui.app import run

    return run(project, profile, now, signals)


@cli.command(
    epilog="""
\b
Examples:
  brv-tui query "how do we roll back a deploy"
  brv-tui query "auth/tokens rotation" --project sample-tree --format json --detail | jq .trace.tier
  brv-tui query "webhook retries" --profile docs --limit 10
  brv-tui query "webhook retries" --pipeline jeffs_brain --mode bm25
"""
)
@click.argument("text")
@_headless
@click.option("--limit", type=click.IntRange(1, 50), help="Also show a plain search with this many results.")
@click.option("--detail", is_flag=True, help="Add the term × field detail of every hit.")
@_hybrid
@_format
def query(
    text: str,
    pipeline: str,
    mode: str | None,
    aliases: Path | None,
    top_k: int | None,
    candidate_k: int | None,
    rerank_top_n: int | None,
    rerank: bool | None,
    skip_retry_ladder: bool,
    project: Path | None,
    scope: str,
    profile: str | None,
    now: float | None,
    signals: Path | None,
    limit: int | None,
    detail: bool,
    form: str,
) -> int:
    """Route TEXT through the five tiers and show every decision. Nothing is changed or cached.

    Exit code 1 when the tree does not cover it.
    """
    session = _open(project, profile, now, signals)
    if pipeline == _JEFFS_BRAIN:
        from brvtui.retrieve.jeffs_brain.pipeline import Request
        from brvtui.retrieve.jeffs_brain.trace import Mode

        wanted = Mode(mode) if mode else None
        return _query_hybrid(
            session, Request(text, wanted, top_k, candidate_k, rerank_top_n, rerank, skip_retry_ladder), aliases, form
        )
    trace = session.probe(text, scope)
    found = session.search(text, limit, scope) if limit else None
    details = session.details(trace) if detail else {}
    if form == "json":
        from brvtui.trace import to_plain

        value = {"schema": trace.schema, "trace": to_plain(trace)}
        if found:
            value["search"] = to_plain(found)
        if detail:
            value["detail"] = to_plain(details)
        _write_json([value])
    else:
        from brvtui.report.query import search_report, trace_report

        details = details or session.details(trace, 1)
        console = _console()
        console.print(trace_report(trace, details, console.width))
        if found:
            console.print(search_report(found, console.width))
    return NEGATIVE if trace.outcome.value == "not_covered" else OK


@cli.command(
    epilog="""
\b
Examples:
  brv-tui explain "how are refresh tokens rotated?" auth/tokens/refresh_token_rotation.md
  brv-tui explain "black friday" per_carrier_lanes "One lane per carrier" --format json
"""
)
@click.argument("text")
@click.argument("notes", nargs=-1, required=True, metavar="PATH…")
@_headless
@_format
def explain(
    text: str,
    notes: tuple[str, ...],
    project: Path | None,
    scope: str,
    profile: str | None,
    now: float | None,
    signals: Path | None,
    form: str,
) -> int:
    """Show one note's score in full, or why it is not in the answer to TEXT, and what would bring it in.

    PATH is a note's path, the end of one, or a title. Exit code 1 when a note is not in the answer.
    """
    from brvtui.inquire.naming import UnknownNote

    session = _open(project, profile, now, signals)
    try:
        explanations = [session.explain(text, note, scope) for note in notes]
    except UnknownNote as error:
        raise _Failure(str(error), NOT_THERE) from error
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        made = [{"schema": SCHEMA, **to_plain(one), "reason_number": _number(one.reason)} for one in explanations]
        _write_json(made)
    else:
        from brvtui.report.explain import explain_report

        console = _console()
        for one in explanations:
            console.print(explain_report(one))
    return OK if all(one.found for one in explanations) else NEGATIVE


@cli.command(
    epilog="""
\b
Examples:
  brv-tui replay --project sample-tree --queries sample-tree/queries.json --no-trace
  brv-tui replay --sequence sequence.json --now 2026-11-20T12:00:00Z --signals signals.json
"""
)
@_headless
@click.option("--queries", type=click.Path(path_type=Path), help='JSON list of strings or {"id", "query"}.')
@click.option("--sequence", type=click.Path(path_type=Path), help='JSON list of {"query", "wait", "touch"}.')
@click.option("--limit", type=click.IntRange(1, 50), help="Results of the plain search (default: the profile's).")
@click.option("--no-trace", is_flag=True, help="Leave the trace out of each line.")
def replay(
    project: Path | None,
    scope: str,
    profile: str | None,
    now: float | None,
    signals: Path | None,
    queries: Path | None,
    sequence: Path | None,
    limit: int | None,
    no_trace: bool,
) -> int:
    """Answer many queries, one JSON line each, in input order.

    --queries asks each on a cache of its own; --sequence asks them on one cache, moving the clock.
    """
    from brvtui import replay as replays

    if (queries is None) == (sequence is None):
        raise click.UsageError("give either --queries FILE or --sequence FILE")
    session = _open(project, profile, now, signals)
    snapshot, constants, clock = session.snapshot, session.profile, session.clock()
    try:
        if queries is not None:
            listed = replays.read_queries(queries)
            most = limit or constants.search.limit
            lines = replays.replay_queries(snapshot, constants, clock, listed, most, scope, not no_trace)
        else:
            assert sequence is not None
            lines = replays.replay_sequence(snapshot, constants, clock, replays.read_sequence(sequence), scope)
        _write_json(lines)
    except replays.ReplayError as error:
        raise _Failure(str(error), BAD_USAGE) from error
    return OK


@cli.command(epilog="\b\nExample:\n  brv-tui forget --project sample-tree")
@click.option("--project", type=click.Path(path_type=Path), help="The project (default: here or above).")
def forget(project: Path | None) -> int:
    """Drop the access hits that the app recorded (key R) for a project."""
    from brvtui.session import Session
    from brvtui.tree.project import ProjectError

    try:
        count = Session.open(project).forget()
    except ProjectError as error:
        raise _Failure(str(error), NOT_THERE) from error
    click.echo(f"dropped the recorded access hits of {count} {'note' if count == 1 else 'notes'}")
    return OK


@cli.command(epilog='\b\nExample:\n  eval "$(brv-tui completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "brv-tui", "_BRV_TUI_COMPLETE").source())
    return OK


def _query_hybrid(session: Any, request: Any, aliases: Path | None, form: str) -> int:
    from brvtui.retrieve.failures import ServiceError
    from brvtui.text.aliases import AliasError

    try:
        trace = session.hybrid(request, aliases).trace
    except (ServiceError, AliasError) as error:
        raise _Failure(str(error), BAD_USAGE) from error
    if form == "json":
        from brvtui.trace import to_plain

        _write_json([{"schema": trace.schema, "pipeline": trace.pipeline, "trace": to_plain(trace)}])
    else:
        from brvtui.report.hybrid import hybrid_report

        _console().print(hybrid_report(trace))
    return OK if trace.hits else NEGATIVE


def _open(project: Path | None, profile: str | None, now: float | None, signals: Path | None) -> Any:
    from brvtui.profile import ProfileError
    from brvtui.session import Session
    from brvtui.tree.project import ProjectError
    from brvtui.tree.signals import SignalsError

    try:
        session = Session.open(project, profile, now, signals)
        session.load()
    except ProjectError as error:
        raise _Failure(str(error), NOT_THERE) from error
    except (ProfileError, SignalsError) as error:
        raise _Failure(str(error), BAD_USAGE) from error
    return session


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False)


def _write_json(values: Iterable[Any]) -> None:
    out = sys.stdout.buffer
    for value in values:
        # A file name that is not UTF-8 holds lone surrogates: they stay as JSON escapes.
        out.write(json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    out.flush()


def _number(reason: Any) -> int | None:
    return None if reason is None else int(reason.number)


def main() -> None:
    """Runs ``brv-tui`` and ends the process with its exit code."""
    try:
        code = cli.main(prog_name="brv-tui", standalone_mode=False)
    except click.exceptions.Exit as finished:
        code = finished.exit_code
    except click.Abort:
        click.echo("brv-tui: interrupted", err=True)
        code = FAILED
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx:
            click.echo(error.ctx.get_usage(), err=True)
        click.echo(f"brv-tui: {visible(error.format_message())}", err=True)
        code = error.code if isinstance(error, _Failure) else BAD_USAGE
    except BrokenPipeError:
        sys.stderr.close()
        code = OK
    except OSError as error:
        click.echo(visible(f"brv-tui: {error.filename or 'input or output'}: {error.strerror or error}"), err=True)
        code = FAILED
    except Exception as error:  # the last resort: a line and the code for a failure, never a traceback
        click.echo(visible(f"brv-tui: failed: {type(error).__name__}: {error}"), err=True)
        code = FAILED
    sys.exit(code if isinstance(code, int) else OK)
