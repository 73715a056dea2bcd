"""The headless commands that run queries in an engine: query, explain, replay."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli import completing
from brvtui.cli.engine_command import engine_command
from brvtui.cli.failure import NEGATIVE, NOT_THERE, OK, Failure
from brvtui.cli.options import NamedPath, WholeNumber, answer_format, format_option, quoted_text, text_argument
from brvtui.cli.output import check_targets, print_blocks, print_report, say, say_note, show_progress, write_json
from brvtui.cli.sessions import ProjectRequest
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session

# ``brv-tui why``: the reasons why one note ranks above another.


@click.command(
    epilog="""
\b
Examples:
  brv-tui why "carrier resends" event_dedup pelican_webhooks
  brv-tui why "carrier resends" event_dedup pelican_webhooks --engine jeffs_brain --format json
"""
)
@text_argument()
@click.argument("one", metavar="NOTE", shell_complete=completing.notes)
@click.argument("other", metavar="NOTE", required=False, shell_complete=completing.notes)
@engine_command
@answer_format
def why(text: str, one: str, other: str | None, request: ProjectRequest, form: str) -> int:
    """Compare two notes in the answer to TEXT: the parts of both scores, and what would reverse their order.

    NOTE is a note's path, the end of its path, or its title. Nothing is changed. The exit code is 1 if any of the notes
    is not among the results.
    """
    from brvtui.engines.contract import Query
    from brvtui.lab.pair import NotScored
    from brvtui.session.diffing import why_above

    if other is None:
        raise click.UsageError("name two notes; for one note, use brv-tui explain TEXT NOTE")
    session = request.open_noting_scope()
    try:
        pair = why_above(session, Query(text, request.scope, options=request.options), one, other)
    except NotScored as error:
        raise Failure(f"{error}; brv-tui explain shows what would change that", NEGATIVE) from error
    if pair.above.path == pair.below.path:
        raise click.UsageError(f"both names mean {pair.above.path}: name two different notes")
    if form == "json":
        from brvtui.report.answer_diff import pair_as_plain

        write_json([pair_as_plain(pair)])
    else:
        from brvtui.report.answer_diff import pair_blocks

        print_blocks(lambda _: pair_blocks(pair))
    return OK if pair.above.rank is not None and pair.below.rank is not None else NEGATIVE


# Traces in files: ``--save`` of a query, and the command that shows a saved trace.


def save(session: Session, saved: SavedTrace, files: Iterable[Path]) -> None:
    """Writes the trace ``saved`` to each of ``files``, and prints the path of each to standard error.

    Raises :class:`brvtui.report.saved.ExportError`.
    """
    from brvtui.report.saved import export

    for file in files:
        export(saved, file, session.project.trees)
        say(f"saved {visible(str(file))}", err=True)


@click.command(
    epilog="""
\b
Examples:
  brv-tui query "carrier resends" --save resends.json
  brv-tui show resends.json
  brv-tui show resends.json --format md > resends.md
"""
)
@click.argument("file", type=NamedPath())
@click.option("--detail", is_flag=True, help="In text output, add the term × field detail of every result.")
@format_option("text", "json", "md", "svg", text="Output format.")
def show(file: Path, detail: bool, form: str) -> int:
    """Show the trace that brv-tui query saved in FILE; its tree is not needed."""
    from brvtui.report.saved import Form, rendered, text_report
    from brvtui.saved.traces import read

    saved = read(file)
    if form == "text":
        print_report(lambda width: text_report(saved, width, detail))
        return OK
    sys.stdout.buffer.write(rendered(saved, Form(form)))
    sys.stdout.buffer.flush()
    return OK


_VECTORS = partial(show_progress, "vectors of notes")
"""Shows progress while the notes' vectors are computed, which may take minutes the first time."""
_TAKES = "Also show the smallest changes that would make a model unnecessary (tier 2)."
_LOWER = "Also try changes that lower the note, and list their side effects on judged and logged queries."
_NOT_IN_TEXT = ("step", "id", "query", "search", "results", "hits", "trace")
"""The fields of a replayed line that the text output omits."""
_SAVE = "Also write the trace to FILE (.json, .md or .svg); may be repeated."


@click.command(
    epilog="""
\b
Examples:
  brv-tui query "how do we roll back a deploy"
  brv-tui query "auth/tokens rotation" --project sample-tree --format json --detail | jq .trace.tier
  brv-tui query - --full < question.txt
  brv-tui query "webhook retries" --profile docs --limit 10
  brv-tui query "webhook retries" --takes
  brv-tui query "webhook retries" --save retries.json --save retries.md
  brv-tui query "webhook retries" --engine jeffs_brain --mode bm25
"""
)
@text_argument(may_be_empty=True)
@engine_command
@click.option("--full", is_flag=True, help="Show every decision, the score of the first result, and the answer.")
@click.option(
    "--limit", type=WholeNumber(1, 50), help="Also show the search on its own, with this many results; implies --full."
)
@click.option("--detail", is_flag=True, help="Add the term × field detail of every result; implies --full.")
@click.option("--takes", is_flag=True, help=_TAKES)
@click.option("--save", "files", multiple=True, type=NamedPath(), metavar="FILE", help=_SAVE)
@answer_format
def query(
    text: str,
    request: ProjectRequest,
    full: bool,
    limit: int | None,
    detail: bool,
    takes: bool,
    files: tuple[Path, ...],
    form: str,
) -> int:
    """Answer TEXT with an engine (by default, ByteRover) and explain the answer.

    Prints the reason, and the results with their matching words; --full prints every decision. A TEXT of - is read from
    standard input. Nothing is changed or cached. The exit code is 1 if the tree does not cover TEXT or TEXT is empty,
    and 2 if standard input is empty.
    """
    session = request.open()
    if files:
        from brvtui.report.saved import form_of

        check_targets(files, form_of, session.project.trees)
    trace = session.preview(text, request.scope, options=request.options, services=True, progress=_VECTORS)
    if limit:
        trace = session.with_plain_search(trace, limit)
    wanted = session.explainer.counterfactuals(trace) if takes else None
    if files:
        save(session, session.explainer.saved(trace), files)
    details = session.explainer.details(trace) if detail else {}
    if form == "json":
        from brvtui.answers.queries import answer_as_plain
        from brvtui.trace import to_plain

        value = answer_as_plain(trace)
        if detail:
            value["detail"] = to_plain(details)
        if takes:
            value["takes"] = to_plain(wanted)
        write_json([value])
    else:
        from brvtui.report.query import trace_report

        is_short = not (full or limit or detail)
        details = details or ({} if is_short else session.explainer.details(trace, 1))
        print_report(lambda width: trace_report(trace, details, width, is_short))
        if takes:
            from brvtui.report.query import counterfactuals_report

            print_report(lambda width: counterfactuals_report(wanted, False, width))
    return OK if trace.covered else NEGATIVE


@click.command(
    epilog="""
\b
Examples:
  brv-tui explain "how are refresh tokens rotated?" auth/tokens/refresh_token_rotation.md
  brv-tui explain "black friday" per_carrier_lanes "One lane per carrier" --format json
  brv-tui explain "black friday" per_carrier_lanes --lower
"""
)
@text_argument()
@click.argument("notes", nargs=-1, required=True, metavar="PATH…", shell_complete=completing.notes)
@engine_command
@click.option("--takes", is_flag=True, help=_TAKES)
@click.option("--lower", is_flag=True, help=_LOWER)
@answer_format
def explain(text: str, notes: tuple[str, ...], request: ProjectRequest, takes: bool, lower: bool, form: str) -> int:
    """Show one note's score in full, or why the answer to TEXT does not contain it and what would change that.

    PATH is a note's path, the end of its path, or its title. The exit code is 1 if a note is not in the answer.
    """
    from brvtui.answers.queries import explain_note
    from brvtui.session.remedies import find_remedies
    from brvtui.snapshot.naming import UnknownNote, find_note

    session = request.open()
    shown = session.snapshot.notices
    for notice in shown:
        say_note(notice)
    try:
        # Services are called as in query; otherwise the two would show different answers.
        trace = session.preview(text, request.scope, options=request.options, services=True, progress=_VECTORS)
        named = dict.fromkeys(find_note(session.snapshot_of(trace), note).path for note in notes)  # maybe named twice
        explanations = [explain_note(session, trace, path)[0] for path in named]
        wanted = [session.explainer.counterfactuals(one.trace, one.path) if takes else None for one in explanations]
        lowered = [find_remedies(session, one, lower=True) if lower else None for one in explanations]
    except UnknownNote as error:
        hint = f"; {quoted_text(click.get_current_context())}" if len(notes) > 1 else ""
        raise Failure(f"{error}{hint}", NOT_THERE) from error
    for notice in explanations[0].trace.notices:
        if notice not in shown:
            say_note(notice)
    if form == "json":
        from brvtui.answers.queries import explanation_as_plain
        from brvtui.trace import to_plain

        for one, needed, search in zip(explanations, wanted, lowered, strict=True):
            added = {"takes": to_plain(needed)} if takes else {}
            lowering = {"lower": to_plain(search)} if search is not None else {}
            write_json([{**explanation_as_plain(one), **added, **lowering}])
    else:
        from brvtui.report.query import explain_report, lowering_report

        for one, needed, search in zip(explanations, wanted, lowered, strict=True):
            print_report(partial(explain_report, one))
            if search is not None:
                print_report(partial(lowering_report, one, search))
            if takes:
                from brvtui.report.query import counterfactuals_report

                print_report(partial(counterfactuals_report, needed, True))
    return OK if all(one.found for one in explanations) else NEGATIVE


@click.command(
    epilog="""
\b
Examples:
  brv-tui replay --project sample-tree --queries sample-tree/queries.json --no-trace
  brv-tui replay --sequence sequence.json --now 2026-11-20T12:00:00Z --signals signals.json
"""
)
@engine_command
@click.option("--queries", type=NamedPath(), help='A JSON list of strings or {"id", "query"}.')
@click.option("--sequence", type=NamedPath(), help='A JSON list of {"query", "wait", "touch"}.')
@click.option(
    "--limit",
    type=WholeNumber(1, 50),
    help="The number of results if the search runs on its own (default: from the profile).",
)
@click.option("--no-trace", is_flag=True, help="Leave the trace out of each line.")
@format_option("json", "text", text="Output format; text leaves out traces and results.")
def replay(
    request: ProjectRequest, queries: Path | None, sequence: Path | None, limit: int | None, no_trace: bool, form: str
) -> int:
    """Answer many queries, one JSON line each, in input order.

    --queries runs each query on its own cache; --sequence runs all on one cache and moves the clock. In the JSON,
    "step", and the "id" of a query without one, are positions in the list, from 0; messages count entries from 1.
    """
    from brvtui import replay as replays
    from brvtui.engines.contract import Query

    if (queries is None) == (sequence is None):
        raise click.UsageError("use either --queries FILE or --sequence FILE")
    session = request.open()
    like = Query("", request.scope, options=request.options)
    write = write_json if form == "json" else _write_replayed
    chosen, context = session.engines.named(session.engine), session.engines.context(session.engine)
    own_options = {name for one in click.get_current_context().command.params for name in one.opts}
    if queries is not None:
        listed = replays.read_queries(queries, own_options)
        write(replays.replay_queries(chosen, context, listed, like, limit, not no_trace))
    else:
        assert sequence is not None
        steps = replays.read_sequence(sequence, own_options)
        write(replays.replay_sequence(chosen, context, steps, like, limit))
    return OK


def _write_replayed(lines: Iterable[dict[str, Any]]) -> None:
    """Prints each line of a replay as text: its query, then its other values except traces and results."""
    for values in lines:
        say(visible(f"{values.get('step', values.get('id'))}: {values['query']}"))
        shown = {name: value for name, value in values.items() if name not in _NOT_IN_TEXT and value is not None}
        texts = (f"{value:.2f}" if isinstance(value, float) else value for value in shown.values())
        say(visible("   " + ", ".join(f"{name} {text}" for name, text in zip(shown, texts, strict=True))))
