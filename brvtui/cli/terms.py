"""``brv-tui terms``: the words of a memory, and the words into which engines split a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.failure import BAD_USAGE, NEGATIVE, OK, Failure
from brvtui.cli.options import answer_format, engine_option, filled, project_option, shared, space_options
from brvtui.cli.output import print_lines, say_note, write_json
from brvtui.cli.sessions import ProjectRequest, project_request
from brvtui.paint.line import Line, line
from brvtui.report.terms import TERM_COLUMNS, analysis_lines, detail_lines, term_line
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.lab.terms import Order, Term, TermDetails, TermList, TermNeighbour, TermVariant

SCHEMA = 1
"""The version of the command's JSON format. It changes if a field is removed or given another meaning."""
_LISTED = 40
"""The maximum number of terms, notes or neighbours in a report; the JSON contains all of them."""


@click.command(
    epilog="""
\b
Examples:
  brv-tui terms
  brv-tui terms webhook --sort df
  brv-tui terms --only split
  brv-tui terms --term webhook
  brv-tui terms --tokens "How do refresh-tokens rotate?"
  brv-tui terms --format json | jq -r '.terms[] | select(.df == 1).term'
"""
)
@click.argument("text", metavar="[FILTER]", required=False, default="")
@click.option(
    "--sort", "order", type=click.Choice(("df", "cf", "idf", "term")), default="df", show_default=True,
    help="Most notes first (df), most frequent first (cf), rarest first (idf), or alphabetical (term).",
)  # fmt: skip
@click.option(
    "--only", type=click.Choice(("common", "rare", "split")), default=None,
    help="Only terms in more than half of the notes, in one note, or also written as two words.",
)  # fmt: skip
@click.option("--term", type=filled, help="Show one term with its notes, neighbours and other spellings.")
@click.option("--tokens", metavar="TEXT", type=filled, help="Show how each engine splits TEXT into words.")
@engine_option
@space_options
@project_option
@shared
@project_request
@answer_format
def terms(
    text: str,
    order: Order,
    only: str | None,
    term: str | None,
    tokens: str | None,
    request: ProjectRequest,
    form: str,
) -> int:
    """List the terms of the notes, and how often they occur.

    df is the number of notes with a term, cf the number of its occurrences, and idf its weight in a search. FILTER is a
    part of the terms to list.

    --engine and --profile decide which notes are read, and whose --tokens are shown. The exit code is 1 if no terms are
    listed.
    """
    if (bool(text) or only is not None) + (term is not None) + (tokens is not None) > 1:
        raise Failure("give only one of FILTER (with --only), --term and --tokens", BAD_USAGE)
    session = request.open()
    if tokens is not None:
        analyses = session.engines.analyses(tokens, request.engine)
        if not analyses:
            raise Failure(f"{request.engine} does not show how it splits a text: leave --engine out", BAD_USAGE)
        engines = [{"engine": name, "steps": [*map(asdict, steps)]} for name, steps in analyses.items()]
        _write(form, {"text": tokens, "engines": engines}, partial(analysis_lines, analyses))
        return OK
    from brvtui.lab.terms import terms_of

    table, limit = terms_of(session.snapshot), None if form == "json" else _LISTED
    for notice in session.snapshot.search_notices(bool(table.by_name)):
        say_note(notice)
    one = table.by_name.get(term.lower()) if term is not None else None
    found = table.find(text, order, only or "") if term is None else [one] if one is not None else []
    details = table.details(one.term, session.engines.expansion_rules(), limit) if one is not None else None
    value = {"notes": table.notes, "count": len(found), "terms": _dicts(found)}
    if details is not None:
        value |= {"neighbours": _dicts(details.neighbours), "variants": _dicts(details.variants)}
        value |= {"paths": details.paths}
    _write(form, value, partial(_terms, table, found, details))
    return OK if found else NEGATIVE


def _dicts(rows: Iterable[Term | TermNeighbour | TermVariant]) -> list[dict[str, Any]]:
    return [row._asdict() for row in rows]


def _write(form: str, value: dict[str, Any], lines: Callable[..., Iterable[Line]]) -> None:
    if form == "json":
        write_json([{"schema": SCHEMA, **value}])
    else:
        print_lines(lambda width: lines(width=width))


def _terms(table: TermList, found: Sequence[Term], details: TermDetails | None, width: int) -> Iterator[Line]:
    yield line(f" {counted(len(found), 'term', 'terms')} in {counted(table.notes, 'note', 'notes')}", "bold strong")
    yield line(TERM_COLUMNS, "faint")
    yield from (term_line(one, table.notes) for one in found[:_LISTED])
    if len(found) > _LISTED:
        yield line(f" {len(found) - _LISTED} more: give a FILTER, or --format json", "muted")
    yield from detail_lines(details, width) if details is not None else ()
