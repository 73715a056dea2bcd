"""``brv-tui fleet health`` and ``maturity``: which notes of a fleet want care, now and soon."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from brvtui.cli.failure import NEGATIVE, OK
from brvtui.cli.fleet.options import FleetOptions, fleet_command
from brvtui.cli.fleet.output import outcome, print_table, say_missing
from brvtui.cli.options import Number, WholeNumber, answer_format, format_option
from brvtui.cli.output import write_json
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.fleet.comparing import NotePlace

_MOST_LINES = 20
"""Contradictions, and groups of near-duplicates, that are printed."""


@click.command("health")
@click.option(
    "--stale-days",
    type=WholeNumber(1, 36_500),
    default=180,
    show_default=True,
    metavar="N",
    help="From how many days without a change a note is stale.",
)
@click.option(
    "--similar",
    type=Number(0.5, 1.0),
    default=0.8,
    show_default=True,
    metavar="N",
    help="From which likeness on (0.5 to 1, of word triples) two notes are near-duplicates.",
)
@fleet_command
@format_option("text", "json", "md", text="How to answer; md is a report to be sent around.")
def health(stale_days: int, similar: float, options: FleetOptions, form: str) -> int:
    """Compare the notes of all members: near-duplicates, candidates for contradictions, notes that one alone has, stale
    ones, and members that are set otherwise than most. Reads every note; needs the extra fleet.

    Exit code 1 when something contradicts or repeats, or a member is missing.
    """
    from brvtui.fleet.health import fleet_health
    from brvtui.report.fleet import HEALTH_HEADS, health_markdown, health_row, health_summary

    made = options.fleet()
    with options.asker(made) as asker:
        found = fleet_health(asker, made.members, stale_days, similar)
        day = datetime.fromtimestamp(asker.now_ms / 1000, UTC).date().isoformat()
    found = replace(found, missing=(*made.absent, *found.missing))
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json([{"schema": SCHEMA, "fleet": made.name, "day": day, **to_plain(found)}])
    elif form == "md":
        click.echo(health_markdown(found, made.name, day), nl=False)
    else:
        print_table(HEALTH_HEADS, [health_row(one) for one in found.members])
        for one in found.contradictions[:_MOST_LINES]:
            said = f"{one.other_statements} other statements" if one.other_statements else "other facts"
            click.echo(visible(f"contradiction? {_named(one.first)} and {_named(one.second)}: same {one.same}, {said}"))
        for group in found.alike[:_MOST_LINES]:
            others = f" and {len(group.notes) - 2} more" if len(group.notes) > 2 else ""
            first, second = group.notes[:2]
            click.echo(visible(f"alike {group.likeness:.2f}: {_named(first)} and {_named(second)}{others}"))
        click.echo(visible(health_summary(found)))
    say_missing(found.missing[len(made.absent) :])
    return NEGATIVE if found.contradictions or found.alike or found.missing else OK


def _named(place: NotePlace) -> str:
    return f"{place.member}: {place.path}"


@click.command("maturity")
@click.option("--days", type=WholeNumber(0, 3_650), default=30, show_default=True, help="How far to look ahead.")
@click.option("--event", default="", metavar="KIND", help="Only this event, such as archive or leaves-prompt.")
@fleet_command
@answer_format
def maturity(days: int, event: str, options: FleetOptions, form: str) -> int:
    """Count what the next days bring to the notes of every member.

    Exit code 1 when nothing comes, 4 when none of them can tell.
    """
    from brvtui.fleet.questions import OutlookOf

    made = options.fleet()
    with options.asker(made) as asker:
        replies = asker.ask(made.members, OutlookOf(days, event))
    found = replies.values
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        missing = to_plain((*made.absent, *replies.missing))
        write_json([{"schema": SCHEMA, "fleet": made.name, "members": to_plain(found), "missing": missing}])
    else:
        rows = [
            (name, one.engine, count.kind, str(count.by_then), str(count.in_span))
            for name, one in found.items()
            for count in one.counts
            if count.by_then
        ]
        print_table(("member", "engine", "event", "notes by then", f"of them in {days} days"), rows)
    say_missing(replies.missing)
    return outcome(found, any(one.documents for one in found.values()))
