"""``brv-tui why``: why one note stands above another."""

from __future__ import annotations

import click

from brvtui.cli import completing
from brvtui.cli.engine_command import Asked, engine_command
from brvtui.cli.failure import NEGATIVE, NOT_THERE, OK, Failure, engine_errors_reported
from brvtui.cli.options import answer_format, text_argument
from brvtui.cli.output import print_report, write_json


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
def why(text: str, one: str, other: str | None, asked: Asked, form: str) -> int:
    """Compare two notes in the answer to TEXT: the parts of both scores, and what would bring the lower one above.

    NOTE is a note's path, the end of one, or a title. Nothing is changed. Exit code 1 when one of them is no result.
    """
    from brvtui.engines.contract import Query
    from brvtui.lab.pair import NotScored
    from brvtui.session.diffing import why_above
    from brvtui.snapshot.naming import UnknownNote

    if other is None:
        raise click.UsageError("name two notes; of one, brv-tui explain TEXT NOTE says why it is where it is")
    session = asked.open_noting_scope()
    try:
        with engine_errors_reported():
            pair = why_above(session, Query(text, asked.scope, options=asked.options), one, other)
    except UnknownNote as error:
        raise Failure(str(error), NOT_THERE) from error
    except NotScored as error:
        raise Failure(f"{error}; brv-tui explain says what would bring it in", NEGATIVE) from error
    if pair.above.path == pair.below.path:
        raise click.UsageError(f"{pair.above.path} is named twice: name two notes")
    if form == "json":
        from brvtui.report.answer_diff import pair_as_plain

        write_json([pair_as_plain(pair)])
    else:
        from brvtui.report.answer_diff import pair_lines
        from brvtui.report.query import rich_lines

        print_report(lambda width: rich_lines(pair_lines(pair, width)))
    return OK if pair.above.rank is not None and pair.below.rank is not None else NEGATIVE
