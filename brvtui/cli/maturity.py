"""``brv-tui maturity``: what the next days bring to the notes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from brvtui.cli import completing
from brvtui.cli.engine_command import Asked
from brvtui.cli.failure import NEGATIVE, OK, engine_errors_reported
from brvtui.cli.options import WholeNumber, answer_format, project_option, shared
from brvtui.cli.output import print_report, write_json

_LAST_DAY = 36_500


@click.command(
    epilog="""
\b
Examples:
  brv-tui maturity
  brv-tui maturity --days 90 --event leaves-tier-2
  brv-tui maturity --event archive --all --format json | jq -r '.documents[].path'
  brv-tui maturity --engine soleri
"""
)
@click.option(
    "--days", type=WholeNumber(0, _LAST_DAY), default=30, show_default=True, help="How many days to look ahead."
)
@click.option(
    "--event",
    default="",
    metavar="NAME",
    shell_complete=completing.events,
    help="Only this event (byterover: leaves-tier-2, leaves-prompt, archive, pruning, below-maturity; "
    "soleri: window-opens, window-fades, window-closes, age-halves; "
    "byterover_v4: high, medium, below-maturity).",
)
@click.option("--all", "with_come", is_flag=True, help="Also list notes to which it has come before.")
@click.option(
    "--engine",
    default="",
    metavar="NAME",
    shell_complete=completing.engines,
    help="The memory system whose forecast to make (default: the one that is set, byterover).",
)
@project_option
@shared
@answer_format
def maturity(
    days: int,
    event: str,
    with_come: bool,
    engine: str,
    project: Path | None,
    profile: str | None,
    now: float | None,
    signals: Path | None,
    form: str,
) -> int:
    """List what the next days bring to notes that nobody touches: what they leave, lose, or are offered for.

    Nothing is changed. Exit code 1 when no note is listed.
    """
    session = Asked(engine, {}, "", project, profile, now, signals, None).open()
    with engine_errors_reported():
        found = session.ageing.outlook(session.engine, days, event, with_come)
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json([{"schema": SCHEMA, **to_plain(found)}])
    else:
        from brvtui.report.outlook import outlook_report

        print_report(partial(outlook_report, found))
    return OK if found.documents else NEGATIVE
