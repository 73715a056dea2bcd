"""The headless commands that put queries to the engine: query, explain, replay."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from brvtui.cli.common import (
    BAD_USAGE,
    JEFFS_BRAIN,
    NEGATIVE,
    NOT_THERE,
    OK,
    Failure,
    answer_format,
    console_here,
    headless,
    hybrid_options,
    open_session,
    write_json,
)
from brvtui.cli.saving import check_files, save
from brvtui.text.visible import visible

_TAKES = "Add the smallest changes after which no model is needed (tier 2)."
_SAVE = "Also write the trace to FILE (.json, .md or .svg); may be given more than once."


@click.command(
    epilog="""
\b
Examples:
  brv-tui query "how do we roll back a deploy"
  brv-tui query "auth/tokens rotation" --project sample-tree --format json --detail | jq .trace.tier
  brv-tui query "webhook retries" --profile docs --limit 10
  brv-tui query "webhook retries" --takes
  brv-tui query "webhook retries" --save retries.json --save retries.md
  brv-tui query "webhook retries" --pipeline jeffs_brain --mode bm25
"""
)
@click.argument("text")
@headless
@click.option("--limit", type=click.IntRange(1, 50), help="Also show a plain search with this many results.")
@click.option("--detail", is_flag=True, help="Add the term × field detail of every hit.")
@click.option("--takes", is_flag=True, help=_TAKES)
@click.option("--save", "files", multiple=True, type=click.Path(path_type=Path), metavar="FILE", help=_SAVE)
@hybrid_options
@answer_format
def query(
    text: str,
    pipeline: str | None,
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
    takes: bool,
    files: tuple[Path, ...],
    form: str,
) -> int:
    """Route TEXT through the five tiers and show every decision. Nothing is changed or cached.

    Exit code 1 when the tree does not cover it.
    """
    check_files(files)
    session = open_session(project, profile, now, signals)
    if (pipeline or session.settings.pipeline) == JEFFS_BRAIN:
        from brvtui.engines.jeffs_brain.pipeline import Request
        from brvtui.engines.jeffs_brain.trace import Mode

        wanted = Mode(mode) if mode else None
        request = Request(text, wanted, top_k, candidate_k, rerank_top_n, rerank, skip_retry_ladder)
        return _query_hybrid(session, request, aliases, form, files)
    for name, given in (
        ("mode", mode), ("aliases", aliases), ("top-k", top_k), ("candidate-k", candidate_k),
        ("rerank-top-n", rerank_top_n), ("rerank", rerank), ("skip-retry-ladder", skip_retry_ladder or None),
    ):  # fmt: skip
        if given is not None:
            raise click.UsageError(f"--{name} is an option of --pipeline {JEFFS_BRAIN}; name it, or leave --{name} out")
    trace = session.probe(text, scope)
    found = session.search(text, limit, scope) if limit else None
    if files:
        save(session, session.answers.saved(trace, found), files)
    details = session.answers.details(trace) if detail else {}
    wanted = session.answers.what_it_takes(trace) if takes else None
    if form == "json":
        from brvtui.trace import to_plain

        value = {"schema": trace.schema, "trace": to_plain(trace)}
        if found:
            value["search"] = to_plain(found)
        if detail:
            value["detail"] = to_plain(details)
        if takes:
            value["takes"] = to_plain(wanted)
        write_json([value])
    else:
        from brvtui.report.query import search_report, trace_report

        details = details or session.answers.details(trace, 1)
        console = console_here()
        console.print(trace_report(trace, details, console.width))
        if takes:
            from brvtui.report.takes import takes_report

            console.print(takes_report(wanted))
        if found:
            console.print(search_report(found, console.width))
    return NEGATIVE if trace.outcome.value == "not_covered" else OK


@click.command(
    epilog="""
\b
Examples:
  brv-tui explain "how are refresh tokens rotated?" auth/tokens/refresh_token_rotation.md
  brv-tui explain "black friday" per_carrier_lanes "One lane per carrier" --format json
"""
)
@click.argument("text")
@click.argument("notes", nargs=-1, required=True, metavar="PATH…")
@headless
@click.option("--takes", is_flag=True, help=_TAKES)
@answer_format
def explain(
    text: str,
    notes: tuple[str, ...],
    project: Path | None,
    scope: str,
    profile: str | None,
    now: float | None,
    signals: Path | None,
    takes: bool,
    form: str,
) -> int:
    """Show one note's score in full, or why it is not in the answer to TEXT, and what would bring it in.

    PATH is a note's path, the end of one, or a title. Exit code 1 when a note is not in the answer.
    """
    from brvtui.snapshot.naming import UnknownNote

    session = open_session(project, profile, now, signals)
    for notice in session.snapshot.notices:
        click.echo(f"note: {visible(notice)}", err=True)
    try:
        explanations = [session.answers.explain(text, note, scope) for note in notes]
        wanted = [session.answers.what_it_takes(one.trace, one.path) if takes else None for one in explanations]
    except UnknownNote as error:
        raise Failure(str(error), NOT_THERE) from error
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        for one, needed in zip(explanations, wanted, strict=True):
            value = {"schema": SCHEMA, **to_plain(one), "reason_number": _number(one.reason)}
            write_json([{**value, "takes": to_plain(needed)} if takes else value])
    else:
        from brvtui.report.explain import explain_report

        console = console_here()
        for one, needed in zip(explanations, wanted, strict=True):
            console.print(explain_report(one))
            if takes:
                from brvtui.report.takes import takes_report

                console.print(takes_report(needed))
    return OK if all(one.found for one in explanations) else NEGATIVE


@click.command(
    epilog="""
\b
Examples:
  brv-tui replay --project sample-tree --queries sample-tree/queries.json --no-trace
  brv-tui replay --sequence sequence.json --now 2026-11-20T12:00:00Z --signals signals.json
"""
)
@headless
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
    session = open_session(project, profile, now, signals)
    snapshot, constants, clock = session.snapshot, session.profile, session.clock()
    try:
        if queries is not None:
            listed = replays.read_queries(queries)
            most = limit or constants.search.limit
            lines = replays.replay_queries(snapshot, constants, clock, listed, most, scope, not no_trace)
        else:
            assert sequence is not None
            lines = replays.replay_sequence(snapshot, constants, clock, replays.read_sequence(sequence), scope)
        write_json(lines)
    except replays.ReplayError as error:
        raise Failure(str(error), BAD_USAGE) from error
    return OK


def _query_hybrid(session: Any, request: Any, aliases: Path | None, form: str, files: tuple[Path, ...]) -> int:
    from brvtui.services.failures import ServiceError
    from brvtui.text.aliases import AliasError

    try:
        trace = session.hybrid(request, aliases, _tell_vectors).trace
    except (ServiceError, AliasError) as error:
        raise Failure(str(error), BAD_USAGE) from error
    if files:
        save(session, session.answers.saved(trace), files)
    if form == "json":
        from brvtui.trace import to_plain

        write_json([{"schema": trace.schema, "pipeline": trace.pipeline, "trace": to_plain(trace)}])
    else:
        from brvtui.report.hybrid import hybrid_report

        console_here().print(hybrid_report(trace))
    return OK if trace.hits else NEGATIVE


def _tell_vectors(made: int, wanted: int) -> None:
    """Says on a terminal how far the notes' vectors are: a first time may take minutes."""
    if _to_a_person():
        click.echo(f"\rvectors of notes: {made} of {wanted}", nl=made >= wanted, err=True)


def _to_a_person() -> bool:
    return sys.stderr.isatty()


def _number(reason: Any) -> int | None:
    return None if reason is None else int(reason.number)
