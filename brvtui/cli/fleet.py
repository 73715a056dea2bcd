"""``brv-tui fleet``: many memories, listed, checked and asked together."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from brvtui.cli.common import (
    BAD_USAGE,
    FAILED,
    NEGATIVE,
    NOT_THERE,
    NOW_HELP,
    OK,
    Failure,
    answer_format,
    moment,
    write_json,
)
from brvtui.text.visible import visible
from brvtui.wording import counted, nearest

if TYPE_CHECKING:
    from brvtui.fleet.answering import Asker
    from brvtui.fleet.comparing import NotePlace
    from brvtui.fleet.members import Absence, Fleet, Member
    from brvtui.fleet.pool import Asks

_F = TypeVar("_F", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)
_FILE_HELP = "The fleet (default: fleet.toml here)."
_MOST_LINES = 20
_SHOWN = 3
"""Results of a member that are printed."""


@click.group(
    epilog="""
\b
Examples:
  brv-tui fleet add "~/repos/*" --owner platform
  brv-tui fleet add /srv/git/orders.git --revision main
  brv-tui fleet check
  brv-tui fleet query "how are refresh tokens rotated"
  brv-tui fleet query "webhook retries" --over "~/repos/*" --format json
  brv-tui fleet explain "webhook retries" retry_policy --member payments
"""
)
def fleet() -> None:
    """Ask many memories at once: those of a fleet.toml, or those named with --over.

    A memory that cannot be read is a line on the standard error; the others answer. No service is asked.
    """


@dataclass(frozen=True, slots=True)
class _FleetOptions:
    """What the options of :func:`_fleet_command` say."""

    file: Path | None
    over: tuple[str, ...]
    names: tuple[str, ...]
    now: float | None
    timeout: float
    workers: int
    scheduler: str

    def fleet(self) -> Fleet:
        """The fleet, with the members that are named alone. Raises :class:`Failure`."""
        from brvtui.fleet.finding import fleet_of, fleet_over
        from brvtui.fleet.fleet_file import NAME, FleetError

        if self.over and self.file is not None:
            raise Failure("give either --fleet or --over", BAD_USAGE)
        try:
            made = fleet_over(self.over, Path.cwd()) if self.over else fleet_of(self.file or Path(NAME))
        except FleetError as error:
            raise Failure(str(error), NOT_THERE) from error
        known = {member.name for member in made.members}
        for name in self.names:
            if name not in known:
                raise Failure(f"no member {name}{nearest(name, known)}", NOT_THERE)
        if self.names:
            made = made.only(self.names)
        for line in (*(one.why for one in made.absent), *made.notices):
            _say(line)
        if not made.members:
            raise Failure("the fleet has no members that can be asked; brv-tui fleet add adds one", NOT_THERE)
        return made

    @contextmanager
    def asker(self, made: Fleet) -> Iterator[Asker]:
        """What asks the members of the fleet; at the end, what it started is ended."""
        from brvtui.fleet.answering import Asker
        from brvtui.fleet.fleet_file import FleetError

        now_ms = time.time() * 1000 if self.now is None else self.now
        try:
            where = self._where(made)
            try:
                yield Asker(where, now_ms, self.timeout, replied=_Progress(len(made.members)))
            finally:
                where.close()
        except FleetError as error:
            raise Failure(str(error), FAILED if self.scheduler else BAD_USAGE) from error

    def _where(self, made: Fleet) -> Asks:
        if self.scheduler:
            from brvtui.fleet.cluster import Cluster

            return Cluster(self.scheduler, made.to_place)
        from brvtui.fleet.pool import ProcessPool

        return ProcessPool(made.members, self.workers)


def _fleet_command(command: _F) -> _F:
    """Adds the options of every command that asks a fleet; the command gets them as ``options``."""

    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        names = ("file", "over", "names", "now", "timeout", "workers", "scheduler")
        return command(options=_FleetOptions(**{name: given.pop(name) for name in names}), **given)

    made: Any = collected
    for option in (
        click.option(
            "--scheduler", default="", metavar="ADDRESS",
            help="Ask on the workers of this Dask scheduler (tcp://…, tls://…, its file, or auto; extra fleet).",
        ),
        click.option(
            "--workers", type=click.IntRange(0, 512), default=0, metavar="N",
            help="How many processes ask (default: one for each core).",
        ),
        click.option(
            "--timeout", type=click.FloatRange(0.1, 86_400), default=60.0, show_default=True, metavar="SECONDS",
            help="How long one member is waited for.",
        ),
        click.option("--now", metavar="ISO", callback=moment, help=NOW_HELP),
        click.option("--member", "names", multiple=True, metavar="NAME", help="Only this member; may be repeated."),
        click.option(
            "--over", multiple=True, metavar="PLACE",
            help="A folder, glob, bare git repository or V4 data folder, in place of a file; may be repeated.",
        ),
        click.option("--fleet", "file", type=_PATH, metavar="FILE", help=_FILE_HELP),
    ):  # fmt: skip
        made = option(made)
    result: _F = made
    return result


@fleet.command("add")
@click.argument("places", nargs=-1, required=True, metavar="PLACE…")
@click.option("--fleet", "file", type=_PATH, metavar="FILE", help=_FILE_HELP)
@click.option("--name", default="", help="Its name (default: that of its folder).")
@click.option("--revision", default="HEAD", metavar="REV", help="Of a git repository: the revision.")
@click.option("--folder", metavar="PATH", help="Of a git repository: the tree in it (default: .brv/context-tree).")
@click.option("--engine", default="", help="The engine that answers (default: as its own settings say).")
@click.option("--profile", default="", help="The engine's constants.")
@click.option("--weight", type=click.FloatRange(0, min_open=True), default=1.0, help="How much work it is.")
@click.option("--owner", default="", help="Whose memory it is.")
def add(places: tuple[str, ...], file: Path | None, folder: str | None, **given: Any) -> int:
    """Add PLACEs to fleet.toml: folders, globs, git repositories, or data folders of ByteRover V4.

    Paths are kept as given, and are relative to the file.
    """
    from brvtui.fleet.finding import entry_for
    from brvtui.fleet.fleet_file import NAME, FleetEntry, FleetError, add_entry

    target = file or Path(NAME)
    if given["name"] and len(places) > 1:
        raise Failure("--name is for one place", BAD_USAGE)
    options = FleetEntry(**given) if folder is None else FleetEntry(**given, folder=folder)
    try:
        for place in places:
            add_entry(target, entry_for(place, target.resolve().parent, options))
            click.echo(f"added {visible(place)} to {visible(str(target))}")
    except FleetError as error:
        raise Failure(str(error), BAD_USAGE) from error
    return OK


@fleet.command("list")
@_fleet_command
@answer_format
def list_members(options: _FleetOptions, form: str) -> int:
    """List the members: names, places, engines, owners. Nothing of them is opened."""
    made = options.fleet()
    if form == "json":
        from brvtui.trace import to_plain

        write_json([{"fleet": made.name, "members": to_plain(made.members), "absent": to_plain(made.absent)}])
        return OK
    _table(
        ("member", "place", "engine", "profile", "weight", "owner"),
        [
            (one.name, one.place, one.engine or "its own", one.profile or "its own", f"{one.weight:g}", one.owner)
            for one in made.members
        ],
    )
    return OK


@fleet.command("check")
@_fleet_command
@answer_format
def check(options: _FleetOptions, form: str) -> int:
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
        _table(("member", "notes", "engine", "profile"), rows)
        notes = counted(sum(one.notes for one in states.values()), "note", "notes")
        click.echo(f"{counted(len(states), 'member', 'members')}, {notes}")
        for name, state in states.items():
            for notice in state.notices:
                _say(f"{name}: {notice}")
    _say_missing(replies.missing)
    return NEGATIVE if missing else OK


@fleet.command("query")
@click.argument("text")
@click.option("--scope", default="", metavar="PATH", help="Search only below this folder of each tree.")
@click.option("--trace", "with_trace", is_flag=True, help="With --format json: each member's whole trace.")
@click.option(
    "--merge",
    type=click.Choice(["each", "one"]),
    default="each",
    show_default=True,
    help="each: every member by its own engine; one: one ranking by ByteRover, as one tree of all notes would give.",
)
@click.option("--limit", type=click.IntRange(1, 1_000), help="With --merge one: how many results (default: 10).")
@_fleet_command
@answer_format
def query(
    text: str, scope: str, with_trace: bool, merge: str, limit: int | None, options: _FleetOptions, form: str
) -> int:
    """Answer TEXT by every member; exit code 1 when no member covers it.

    Each by its own engine, scores of different members are not comparable: each is counted with its own tree's
    statistics. In one ranking they are.
    """
    from brvtui.fleet.questions import Answering, MemberAnswer

    if merge == "one":
        if scope or with_trace:
            raise Failure("--scope and --trace are for --merge each", BAD_USAGE)
        return _one_ranking(text, limit or 0, options, form)
    made = options.fleet()
    with options.asker(made) as asker:
        replies = asker.ask(made.members, Answering(text, scope, with_trace))
    answers: dict[str, MemberAnswer] = replies.values
    covered = [name for name, answer in answers.items() if answer.covered]
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        value = {
            "schema": SCHEMA,
            "fleet": made.name,
            "query": text,
            "merge": "each",
            "comparable": False,
            "covered": covered,
            "members": to_plain(answers),
            "missing": to_plain((*made.absent, *replies.missing)),
        }
        write_json([value])
    else:
        _print_answers(text, made.members, answers)
    _say_missing(replies.missing)
    return OK if covered else NEGATIVE


def _one_ranking(text: str, limit: int, options: _FleetOptions, form: str) -> int:
    from brvtui.fleet.one_ranking import one_ranking

    made = options.fleet()
    with options.asker(made) as asker:
        answer = one_ranking(asker, made.members, text, limit)
    answer = replace(answer, missing=(*made.absent, *answer.missing))
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json([{"schema": SCHEMA, "fleet": made.name, "merge": "one", "comparable": True, **to_plain(answer)}])
    else:
        from brvtui.report.fleet import ranking_lines

        for line in ranking_lines(answer):
            click.echo(visible(line))
    _say_missing(answer.missing[len(made.absent) :])
    return OK if answer.hits else NEGATIVE


@fleet.command("eval")
@click.option("--judgments", "judgments", type=_PATH, metavar="FILE", help="One set over all, by one ranking.")
@click.option(
    "--metric", "named_metrics", multiple=True, metavar="NAME", help="A metric, as eval has it; may be repeated."
)
@_fleet_command
@answer_format
def evaluate(judgments: Path | None, named_metrics: tuple[str, ...], options: _FleetOptions, form: str) -> int:
    """Ask every member its own judged queries, and measure how well they are answered.

    With --judgments, one set is asked over all members by one ranking: its documents are paths that any member may
    have, or [member]:path. Exit code 1 when nothing was judged.
    """
    from brvtui.fleet.questions import EvaluationOf
    from brvtui.lab.evaluation.metrics import DEFAULT_METRICS, UnknownMetric, parse_metric

    try:
        metrics = tuple(map(parse_metric, named_metrics)) or DEFAULT_METRICS
    except UnknownMetric as error:
        raise Failure(str(error), BAD_USAGE) from error
    made = options.fleet()
    if judgments is not None:
        found, missing = _judged_together(judgments, made, options)
    else:
        with options.asker(made) as asker:
            replies = asker.ask(made.members, EvaluationOf())
        found = {name: one for name, one in replies.values.items() if one is not None}
        missing = replies.missing
    rows = [(name, len(one.queries), [one.mean(metric) for metric in metrics]) for name, one in found.items()]
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        value = {
            "schema": SCHEMA,
            "fleet": made.name,
            "means": {
                name: {str(metric): mean for metric, mean in zip(metrics, means, strict=True)}
                for name, _, means in rows
            },
            "members": to_plain(found),
            "missing": to_plain((*made.absent, *missing)),
        }
        write_json([value])
    else:
        shown = [
            (name, str(count), *("–" if mean is None else f"{mean:.3f}" for mean in means))
            for name, count, means in rows
        ]
        _table(("member", "queries", *map(str, metrics)), shown)
        if judgments is None:
            click.echo(f"{counted(len(found), 'member has', 'members have')} judgments")
    _say_missing(missing)
    return OK if rows else NEGATIVE


def _judged_together(file: Path, made: Fleet, options: _FleetOptions) -> tuple[dict[str, Any], Sequence[Absence]]:
    from brvtui.cli.judge import read_judgments
    from brvtui.fleet.judged import evaluate_together
    from brvtui.lab.judgments.file import JudgmentsFile

    listed = read_judgments(JudgmentsFile(file, True))
    if not listed:
        raise Failure(f"{file}: no judgments; add some with brv-tui judge set", BAD_USAGE)
    with options.asker(made) as asker:
        clock = datetime.fromtimestamp(asker.now_ms / 1000, UTC).isoformat(timespec="milliseconds")
        together, missing = evaluate_together(asker, made.members, listed, made.name, clock)
    return {"all members": together}, missing


@fleet.command("health")
@click.option(
    "--stale-days",
    type=click.IntRange(1, 36_500),
    default=180,
    show_default=True,
    metavar="N",
    help="From how many days without a change a note is stale.",
)
@click.option(
    "--similar",
    type=click.FloatRange(0.5, 1.0),
    default=0.8,
    show_default=True,
    metavar="N",
    help="From which likeness on (0.5 to 1, of word triples) two notes are near-duplicates.",
)
@_fleet_command
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "md"]),
    default="text",
    show_default=True,
    help="How to answer; md is a report to be sent around.",
)
def health(stale_days: int, similar: float, options: _FleetOptions, form: str) -> int:
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
        _table(HEALTH_HEADS, [health_row(one) for one in found.members])
        for one in found.contradictions[:_MOST_LINES]:
            said = f"{one.other_statements} other statements" if one.other_statements else "other facts"
            click.echo(visible(f"contradiction? {_named(one.first)} and {_named(one.second)}: same {one.same}, {said}"))
        for group in found.alike[:_MOST_LINES]:
            others = f" and {len(group.notes) - 2} more" if len(group.notes) > 2 else ""
            first, second = group.notes[:2]
            click.echo(visible(f"alike {group.likeness:.2f}: {_named(first)} and {_named(second)}{others}"))
        click.echo(visible(health_summary(found)))
    _say_missing(found.missing[len(made.absent) :])
    return NEGATIVE if found.contradictions or found.alike or found.missing else OK


def _named(place: NotePlace) -> str:
    return f"{place.member}: {place.path}"


@fleet.command("maturity")
@click.option("--days", type=click.IntRange(0, 3_650), default=30, show_default=True, help="How far to look ahead.")
@click.option("--event", default="", metavar="KIND", help="Only this event, such as archive or leaves-prompt.")
@_fleet_command
@answer_format
def maturity(days: int, event: str, options: _FleetOptions, form: str) -> int:
    """Count what the next days bring to the notes of every member; exit code 1 when nothing comes."""
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
        _table(("member", "engine", "event", "notes by then", f"of them in {days} days"), rows)
    _say_missing(replies.missing)
    return OK if any(one.documents for one in found.values()) else NEGATIVE


@fleet.command("explain")
@click.argument("text")
@click.argument("note", metavar="NOTE")
@_fleet_command
@answer_format
def explain(text: str, note: str, options: _FleetOptions, form: str) -> int:
    """Show why NOTE is, or is not, in the answer to TEXT of each member that has it.

    NOTE is a note's path, the end of one, or a title. Exit code 1 when it is in no answer, 3 when no member has it.
    """
    from brvtui.fleet.questions import Explaining

    made = options.fleet()
    with options.asker(made) as asker:
        replies = asker.ask(made.members, Explaining(text, note))
    found = replies.values
    if not found:
        raise Failure(next((one.why for one in replies.missing), f"no member has {note}"), NOT_THERE)
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json({"schema": SCHEMA, "member": name, **to_plain(one)} for name, one in found.items())
    else:
        from brvtui.cli.common import print_report
        from brvtui.report.explain import explain_report

        for name, one in found.items():
            click.echo(visible(name))
            print_report(functools.partial(explain_report, one))
    return OK if any(one.found for one in found.values()) else NEGATIVE


def _print_answers(text: str, members: Sequence[Member], answers: dict[str, Any]) -> None:
    places = {member.name: member for member in members}
    order = sorted(answers, key=lambda name: not answers[name].covered)
    silent = [name for name in order if not answers[name].covered]
    for name in order:
        answer = answers[name]
        if not answer.covered:
            continue
        owner = f", {places[name].owner}" if places[name].owner else ""
        click.echo(visible(f"{name}  ({answer.engine}, {answer.profile}{owner})"))
        click.echo(visible(f"  {answer.sentence}"))
        for rank, hit in enumerate(answer.hits[:_SHOWN], start=1):
            click.echo(visible(f"  {rank}. {hit.score:6.2f}  {hit.path}  {hit.title}"))
        if places[name].path:
            click.echo(visible(f"  open it: brv-tui {places[name].path}"))
    covering = counted(len(answers) - len(silent), "member covers", "members cover")
    click.echo(visible(f"{covering} “{text}”, {len(silent)} not: each by its own engine."))
    click.echo("Scores of different members are not comparable: each counts its words in its own notes alone.")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints ``rows`` below ``heads`` in columns."""
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    for row in (heads, *rows):
        cells = (visible(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _say(line: str) -> None:
    click.echo(f"note: {visible(line)}", err=True)


def _say_missing(missing: Sequence[Absence]) -> None:
    """Says who is missing and why; of several with one reason, only how many and the first."""
    reasons: dict[str, list[str]] = {}
    for one in missing:
        reasons.setdefault(one.why, []).append(one.member)
    for why, members in reasons.items():
        others = f" and {len(members) - 1} more" if len(members) > 1 else ""
        _say(why if members[0] in why else f"{members[0]}{others}: {why}")


class _Progress:
    """Shows on a terminal how many members have answered."""

    def __init__(self, members: int) -> None:
        self._members = members
        self._replies = 0

    def __call__(self, reply: Any) -> None:
        self._replies += 1
        if sys.stderr.isatty():
            done = self._replies >= self._members
            click.echo(f"\rmembers: {self._replies} of {self._members}", nl=done, err=True)
