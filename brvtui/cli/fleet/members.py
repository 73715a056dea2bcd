"""The ``brv-tui fleet`` commands about members: ``add``, ``list``, ``check``, ``health``, ``maturity`` and ``open``."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.failure import BAD_USAGE, NEGATIVE, OK, Failure, check_terminal
from brvtui.cli.fleet.options import (
    FILE_HELP,
    FleetOptions,
    fleet_command,
    outcome,
    print_table,
    say_first_notes,
    say_missing,
)
from brvtui.cli.options import NamedPath, Number, WholeNumber, answer_format, filled, format_option
from brvtui.cli.output import say, say_note, write_json
from brvtui.fleet.fleet_file import NEWEST, Absence, AbsenceKind
from brvtui.text.visible import visible
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.fleet.comparing import NotePlace
    from brvtui.fleet.fleet_file import Fleet

# ``brv-tui fleet health`` and ``maturity``: the notes of a fleet that need attention now and soon.


_MOST_LINES = 20
"""The maximum number of contradictions, and of near-duplicate groups, to print."""


@click.command("health")
@click.option(
    "--stale-days",
    type=WholeNumber(1, 36_500),
    default=180,
    show_default=True,
    metavar="N",
    help="A note is stale if it has not changed for this many days.",
)
@click.option(
    "--similar",
    type=Number(0.5, 1.0),
    default=0.8,
    show_default=True,
    metavar="N",
    help="The minimum similarity of near-duplicates (0.5 to 1, by word triples).",
)
@fleet_command
@format_option("text", "json", "md", text="Output format; md is a report to share.")
def health(stale_days: int, similar: float, options: FleetOptions, form: str) -> int:
    """Compare the notes of all members: near-duplicates, possible contradictions, notes that only one member has, stale
    notes, and members with unusual settings. Reads every note; needs the "fleet" extra.

    The exit code is 1 if there are contradictions or near-duplicates, or a member is missing.
    """
    from brvtui.fleet.health import fleet_health
    from brvtui.report.fleet import HEALTH_HEADS, health_markdown, health_row, health_summary

    fleet = options.fleet()
    with options.asker(fleet) as asker:
        report = fleet_health(asker, fleet.members, stale_days, similar)
        day = datetime.fromtimestamp(asker.now_ms / 1000, UTC).date().isoformat()
    report = replace(report, missing=(*fleet.absent, *report.missing))
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json([{"schema": SCHEMA, "fleet": fleet.name, "day": day, **to_plain(report)}])
    elif form == "md":
        click.echo(health_markdown(report, fleet.name, day), nl=False)
    else:
        print_table(HEALTH_HEADS, [health_row(one) for one in report.members])
        for one in report.contradictions[:_MOST_LINES]:
            difference = f"{one.other_statements} other statements" if one.other_statements else "other facts"
            say(visible(f"contradiction? {_named(one.first)} and {_named(one.second)}: same {one.same}, {difference}"))
        for group in report.alike[:_MOST_LINES]:
            others = f" and {len(group.notes) - 2} more" if len(group.notes) > 2 else ""
            first, second = group.notes[:2]
            say(visible(f"similarity {group.likeness:.2f}: {_named(first)} and {_named(second)}{others}"))
        say(visible(health_summary(report)))
    say_missing(report.missing[len(fleet.absent) :])
    return NEGATIVE if report.contradictions or report.alike or report.missing else OK


def _named(place: NotePlace) -> str:
    return f"{place.member}: {place.path}"


@click.command("maturity")
@click.option(
    "--days", type=WholeNumber(0, 3_650), default=30, show_default=True, help="The number of days to look ahead."
)
@click.option("--event", default="", metavar="KIND", help="Only this event, such as archive or leaves-prompt.")
@fleet_command
@answer_format
def maturity(days: int, event: str, options: FleetOptions, form: str) -> int:
    """Count the ageing events of every member's notes in the coming days.

    The exit code is 1 if there are no events, and 4 if no member can forecast.
    """
    from brvtui.fleet.questions import OutlookOf

    fleet = options.fleet()
    with options.asker(fleet) as asker:
        replies = asker.ask(fleet.members, OutlookOf(days, event))
    outlooks = replies.values
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        missing = to_plain((*fleet.absent, *replies.missing))
        write_json([{"schema": SCHEMA, "fleet": fleet.name, "members": to_plain(outlooks), "missing": missing}])
    else:
        rows = [
            (name, one.engine, count.kind, str(count.by_then), str(count.in_span))
            for name, one in outlooks.items()
            for count in one.counts
            if count.by_then
        ]
        print_table(("member", "engine", "event", "notes by then", f"of these within {days} days"), rows)
    say_missing(replies.missing)
    return outcome(outlooks, any(one.documents for one in outlooks.values()))


# ``brv-tui fleet open``: the app on a fleet.


@click.command("open")
@fleet_command
def open_fleet(options: FleetOptions) -> int:
    """Open the app on the fleet: query all members, see the results by member, and open each in its own tree."""
    check_terminal(instead="brv-tui fleet query or fleet explain")
    fleet = options.fleet()
    from brvtui.app import run
    from brvtui.app.project.open_fleet import OpenFleet
    from brvtui.app.project.opening import Opening

    opened = OpenFleet(fleet, options.where, options.timeout, options.now, options.read)
    return run(Opening(now_ms=options.now, fleet=opened))


@click.command("add")
@click.argument("places", nargs=-1, required=True, metavar="PLACE…")
@click.option("--fleet", "file", type=NamedPath(), metavar="FILE", help=FILE_HELP)
@click.option("--name", default="", help="The member's name (default: the name of its folder).")
@click.option(
    "--revision", default=NEWEST, type=filled, metavar="REV", help="For a git repository: the revision to read."
)
@click.option(
    "--folder",
    type=filled,
    metavar="PATH",
    help="For a git repository: the folder of notes in it (default: .brv/context-tree).",
)
@click.option("--engine", default="", help="The engine that answers (default: from the member's own settings).")
@click.option("--profile", default="", help="The engine's constants.")
@click.option(
    "--weight",
    type=Number(0, 1_000_000, min_open=True),
    default=1.0,
    help="How much work this member causes, compared with others.",
)
@click.option("--owner", default="", help="The owner of this memory.")
def add(places: tuple[str, ...], file: Path | None, folder: str | None, **values: Any) -> int:
    """Add PLACEs to fleet.toml: folders, globs, git repositories, or ByteRover V4 data folders.

    Paths are kept as written, and are relative to the file.
    """
    from brvtui.fleet.finding import entry_for, members_of, only_context_trees
    from brvtui.fleet.fleet_file import NAME, FleetEntry, add_entry

    target = file or Path(NAME)
    if values["name"] and len(places) > 1:
        raise Failure("--name needs exactly one PLACE", BAD_USAGE)
    options = FleetEntry(**values) if folder is None else FleetEntry(**values, folder=folder)
    for place in places:
        here = target.resolve().parent
        entry = entry_for(place, here, options)
        add_entry(target, entry, given=file is not None)
        say(f"added {visible(place)} to {visible(str(target))}")
        added = members_of("", [entry], here)
        added = added if file is not None else only_context_trees(added, target)
        say_missing(added.absent)
        _say_unusable(added)
    return OK


def _say_unusable(fleet: Fleet) -> list[Absence]:
    """Prints to standard error the members whose folder is missing or merely points to a space elsewhere, and returns
    the missing ones.
    """
    from brvtui.tree.spaces.locating import MARKER

    paths = [one.path for one in fleet.members if one.path]
    elsewhere = [path for path in paths if (Path(path) / MARKER).is_file()]
    missing = [one for one in fleet.members if one.path and not Path(one.path).exists()]
    absent = [Absence(one.name, f"{one.path}: no such folder", AbsenceKind.NO_FOLDER) for one in missing]
    say_missing(absent)
    why = f"its {MARKER} points to a space elsewhere; remove this member and add the data folder that contains it"
    say_first_notes([f"{path}: {why}" for path in elsewhere])
    return absent


@click.command("list")
@fleet_command
@answer_format
def list_members(options: FleetOptions, form: str) -> int:
    """List the members: names, places, engines, owners. No member is opened."""
    fleet = options.fleet()
    missing = _say_unusable(fleet)
    if form == "json":
        from brvtui.trace import to_plain

        write_json(
            [{"fleet": fleet.name, "members": to_plain(fleet.members), "missing": to_plain((*fleet.absent, *missing))}]
        )
        return OK
    print_table(
        ("member", "place", "engine", "profile", "weight", "owner"),
        [
            (one.name, one.place, one.engine or "its own", one.profile or "its own", f"{one.weight:g}", one.owner)
            for one in fleet.members
        ],
    )
    return OK


@click.command("check")
@fleet_command
@answer_format
def check(options: FleetOptions, form: str) -> int:
    """Open every member, and say what it contains or why it is unusable. The exit code is 1 if a member is unusable."""
    from brvtui.fleet.questions import MemberState, StateRequest

    fleet = options.fleet()
    with options.asker(fleet) as asker:
        replies = asker.ask(fleet.members, StateRequest())
    states: dict[str, MemberState] = replies.values
    missing = (*fleet.absent, *replies.missing)
    if form == "json":
        from brvtui.trace import to_plain

        write_json([{"fleet": fleet.name, "members": to_plain(states), "missing": to_plain(missing)}])
    else:
        rows = [(name, str(one.notes), one.engine, one.profile) for name, one in states.items()]
        print_table(("member", "notes", "engine", "profile"), rows)
        notes = counted(sum(one.notes for one in states.values()), "note", "notes")
        click.echo(f"{counted(len(states), 'member', 'members')}, {notes}")
        for name, state in states.items():
            for notice in state.notices:
                say_note(f"{name}: {notice}")
    say_missing(replies.missing)
    return NEGATIVE if missing else OK
