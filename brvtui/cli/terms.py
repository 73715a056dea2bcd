"""``brv-tui terms``: the words of a memory, and the words into which engines cut a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.failure import BAD_USAGE, NEGATIVE, OK, Failure
from brvtui.cli.options import (
    WholeNumber,
    answer_format,
    engine_option,
    filled,
    project_option,
    shared,
    space_options,
)
from brvtui.cli.output import print_report, say_note, write_json
from brvtui.cli.sessions import ProjectRequest, project_request
from brvtui.paint.line import Line, line
from brvtui.report.lines import rich_lines
from brvtui.report.terms import TERM_COLUMNS, analysis_lines, detail_lines, term_line
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.lab.terms import Order, Term, TermList, TermNeighbour, TermVariant
    from brvtui.session import Session

SCHEMA = 1
"""The version of the command's JSON format. It changes if a field is removed or given another meaning."""
_LISTED = 40
"""The number of terms, notes or neighbours that a report lists unless ``--limit`` is given."""


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
@click.option(
    "--limit", type=WholeNumber(1, 2_000_000), default=None,
    help=f"The maximum number of rows (default: {_LISTED}; all in JSON).",
)  # fmt: skip
@click.option("--term", type=filled, help="Show one term with its notes, neighbours and other spellings.")
@click.option("--tokens", metavar="TEXT", type=filled, help="Show how each engine cuts TEXT into words.")
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
    limit: int | None,
    term: str | None,
    tokens: str | None,
    request: ProjectRequest,
    form: str,
) -> int:
    """List the terms of the notes, and how often they occur.

    df is the number of notes with a term, cf the number of its occurrences, and idf its weight in a search. FILTER is a
    part of the terms to list.

    --engine and --profile decide which notes are read, and whose --tokens are shown. Exit code 1 if there are none.
    """
    if (bool(text) or only is not None) + (term is not None) + (tokens is not None) > 1:
        raise Failure("give only one of FILTER (with --only), --term and --tokens", BAD_USAGE)
    session = request.open()
    if tokens is not None:
        return _write_tokens(session, tokens, request.engine, form)
    from brvtui.lab.terms import terms_of

    table, most = terms_of(session.snapshot), limit or (None if form == "json" else _LISTED)
    for notice in session.snapshot.search_notices(bool(table.by_name)):
        say_note(notice)
    if term is not None:
        return _write_term(session, table, term, most, form)
    found = table.find(text, order, only or "")
    if form == "json":
        rows = [*map(_dict, found[:most])]
        write_json([{"schema": SCHEMA, "notes": table.notes, "count": len(found), "terms": rows}])
    else:
        print_report(lambda width: rich_lines(_listed(table, found[:most], len(found))))
    return OK if found else NEGATIVE


def _listed(table: TermList, found: Sequence[Term], count: int) -> Iterator[Line]:
    yield line(f" {counted(count, 'term', 'terms')} in {counted(table.notes, 'note', 'notes')}", "bold strong")
    yield line(TERM_COLUMNS, "faint")
    yield from (term_line(one, table.notes) for one in found)
    if count > len(found):
        yield line(f" {count - len(found)} more: --limit {count} lists them", "muted")


def _write_term(session: Session, table: TermList, name: str, most: int | None, form: str) -> int:
    found = table.by_name.get(name) or table.by_name.get(name.lower())
    if found is None:
        say_note(f"no note contains the term {name}; brv-tui terms FILTER lists the terms that contain a text")
        return NEGATIVE
    neighbours = table.neighbours(found.term, session.engines.expansion_rules())[:most]
    variants, paths = table.variants(found.term)[:most], table.notes_with(found.term)[:most]
    if form == "json":
        parts = {"neighbours": [*map(_dict, neighbours)], "variants": [*map(_dict, variants)], "paths": paths}
        write_json([{"schema": SCHEMA, "notes": table.notes, "count": 1, "terms": [_dict(found)], **parts}])
    else:
        head = _listed(table, [found], 1)
        print_report(lambda width: rich_lines([*head, *detail_lines(neighbours, variants, paths, width)]))
    return OK


def _dict(row: Term | TermNeighbour | TermVariant) -> dict[str, Any]:
    return row._asdict()


def _write_tokens(session: Session, text: str, engine: str, form: str) -> int:
    analyses = session.engines.analyses(text, engine)
    if not analyses:
        raise Failure(f"{engine} does not show how it cuts a text: leave --engine out", BAD_USAGE)
    if form == "json":
        rows = [{"engine": name, "steps": [*map(asdict, steps)]} for name, steps in analyses.items()]
        write_json([{"schema": SCHEMA, "text": text, "engines": rows}])
    else:
        print_report(
            lambda width: rich_lines(
                one for name, steps in analyses.items() for one in analysis_lines(name, steps, width)
            )
        )
    return OK
