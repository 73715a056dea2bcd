"""``brv-tui fleet add``, ``list`` and ``check``: which memories are in a fleet, and whether they can be used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.failure import BAD_USAGE, NEGATIVE, OK, Failure
from brvtui.cli.fleet.options import FILE_HELP, FleetOptions, fleet_command
from brvtui.cli.fleet.output import print_table, say_missing, say_note
from brvtui.cli.options import Number, answer_format
from brvtui.cli.output import write_json
from brvtui.fleet.members import Absence, AbsenceKind
from brvtui.text.visible import visible
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.fleet.members import Fleet


@click.command("add")
@click.argument("places", nargs=-1, required=True, metavar="PLACE…")
@click.option("--fleet", "file", type=click.Path(path_type=Path), metavar="FILE", help=FILE_HELP)
@click.option("--name", default="", help="Its name (default: that of its folder).")
@click.option("--revision", default="HEAD", metavar="REV", help="Of a git repository: the revision.")
@click.option("--folder", metavar="PATH", help="Of a git repository: the tree in it (default: .brv/context-tree).")
@click.option("--engine", default="", help="The engine that answers (default: as its own settings say).")
@click.option("--profile", default="", help="The engine's constants.")
@click.option("--weight", type=Number(0, 1_000_000, min_open=True), default=1.0, help="How much work it is.")
@click.option("--owner", default="", help="Whose memory it is.")
def add(places: tuple[str, ...], file: Path | None, folder: str | None, **given: Any) -> int:
    """Add PLACEs to fleet.toml: folders, globs, git repositories, or data folders of ByteRover V4.

    Paths are kept as given, and are relative to the file.
    """
    from brvtui.fleet.finding import entry_for, members_of
    from brvtui.fleet.fleet_file import NAME, FleetEntry, FleetError, add_entry

    target = file or Path(NAME)
    if given["name"] and len(places) > 1:
        raise Failure("--name is for one place", BAD_USAGE)
    options = FleetEntry(**given) if folder is None else FleetEntry(**given, folder=folder)
    try:
        for place in places:
            here = target.resolve().parent
            entry = entry_for(place, here, options)
            add_entry(target, entry)
            click.echo(f"added {visible(place)} to {visible(str(target))}")
            added = members_of("", [entry], here)
            say_missing(added.absent)
            _say_unusable(added)
    except FleetError as error:
        raise Failure(str(error), BAD_USAGE) from error
    return OK


def _say_unusable(made: Fleet) -> list[Absence]:
    """Says on the standard error which members' folders are not there, or only name a space elsewhere; returns the
    former."""
    from brvtui.tree.spaces.locating import MARKER

    paths = [one.path for one in made.members if one.path]
    elsewhere = [path for path in paths if (Path(path) / MARKER).is_file()]
    gone = [one for one in made.members if one.path and not Path(one.path).exists()]
    absent = [Absence(one.name, f"{one.path}: no such folder", AbsenceKind.NO_FOLDER) for one in gone]
    say_missing(absent)
    for path in elsewhere:
        say_note(f"{path}: its {MARKER} names a space elsewhere; take it out and add the data folder with that space")
    return absent


@click.command("list")
@fleet_command
@answer_format
def list_members(options: FleetOptions, form: str) -> int:
    """List the members: names, places, engines, owners. Nothing of them is opened."""
    made = options.fleet()
    gone = _say_unusable(made)
    if form == "json":
        from brvtui.trace import to_plain

        write_json(
            [{"fleet": made.name, "members": to_plain(made.members), "missing": to_plain((*made.absent, *gone))}]
        )
        return OK
    print_table(
        ("member", "place", "engine", "profile", "weight", "owner"),
        [
            (one.name, one.place, one.engine or "its own", one.profile or "its own", f"{one.weight:g}", one.owner)
            for one in made.members
        ],
    )
    return OK


@click.command("check")
@fleet_command
@answer_format
def check(options: FleetOptions, form: str) -> int:
    """Open every member, and say what it holds or why it cannot be used. Exit code 1 when one cannot."""
    from brvtui.fleet.questions import MemberState, StateOf

    made = options.fleet()
    with options.asker(made) as asker:
        replies = asker.ask(made.members, StateOf())
    states: dict[str, MemberState] = replies.values
    missing = (*made.absent, *replies.missing)
    if form == "json":
        from brvtui.trace import to_plain

        write_json([{"fleet": made.name, "members": to_plain(states), "missing": to_plain(missing)}])
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
