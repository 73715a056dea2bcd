"""``brv-tui health``: the defects of a memory."""

from __future__ import annotations

import click

from brvtui.cli import completing
from brvtui.cli.failure import BAD_USAGE, FAILED, NEGATIVE, OK, Failure
from brvtui.cli.options import WholeNumber, format_option, project_option, shared
from brvtui.cli.output import print_lines, say, say_note, write_json
from brvtui.cli.sessions import ProjectRequest, project_request
from brvtui.lab.health.finding import Confidence, FindingKind
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgmentsError
from brvtui.report.health import health_lines, health_markdown

SCHEMA = 1
_LEVELS = list(Confidence)
_OF_PAIRS = (FindingKind.SUPERSEDED, FindingKind.NEAR_DUPLICATE)


@click.command(
    epilog="""
\b
Examples:
  brv-tui health
  brv-tui health --fail-on high --format md > health.md
  brv-tui health --format json | jq -r '.findings[] | select(.kind == "broken_link") | .notes[0]'
"""
)
@click.option(
    "--fail-on",
    "gates",
    type=click.Choice([*map(str, Confidence), *map(str, FindingKind)]),
    multiple=True,
    metavar="KIND",
    help="Exit with code 1 if there is a finding of this kind, or with at least this confidence: high, medium or low.",
)
@click.option(
    "--days",
    type=WholeNumber(1, 3_650),
    default=90,
    show_default=True,
    help="How many days of the log to read, and how far to look ahead.",
)
@click.option(
    "--engine",
    default="",
    metavar="NAME",
    shell_complete=completing.engines,
    help="The memory system to ask (default: from the settings, otherwise byterover).",
)
@project_option
@shared
@project_request
@format_option("text", "json", "md", text="Output format; md is for reports.")
def health(gates: tuple[str, ...], days: int, request: ProjectRequest, form: str) -> int:
    """List the defects of a memory, by kind: superseded facts, duplicates, junk, gaps, broken links and more.

    Each finding has a confidence, and a cost to the judged and logged queries. Nothing is changed. The exit code
    is 1 if a finding matches --fail-on, or if too many notes are left to check a kind that it names.
    """
    session = request.open()
    if not session.kind.has_files:
        raise Failure(
            f"{session.project.name} is code: health applies only to notes; open a project of notes", BAD_USAGE
        )
    report = session.health.report(days)
    for notice in session.snapshot.search_notices(bool(report.notes)):
        say_note(notice)
    if gates and not report.notes:
        raise Failure(f"no {session.kind.noun} was read, so nothing was checked", FAILED)
    try:
        JudgmentsFile.of(session.project).read()
    except JudgmentsError as error:
        if gates:
            raise
        say_note(str(error))
    if form == "json":
        names = ("kind", "notes", "confidence", "sentence", "cost", "queries")
        rows = [{name: getattr(one, name) for name in names} for one in report.findings]
        numbers = {"notes": report.notes, "queries": report.queries, "days": days, "ignored": len(report.ignored)}
        limits = {"uncompared": report.uncompared, "unsearched": sorted(report.unsearched)}
        write_json([{"schema": SCHEMA, **numbers, **limits, "findings": rows}])
    elif form == "md":
        say(health_markdown(report, session.project.name, session.kind.noun))
    else:
        print_lines(lambda width: health_lines(report, session.kind.noun, width))
    certain = _LEVELS[: max((place for place, level in enumerate(_LEVELS, 1) if level in gates), default=0)]
    if report.uncompared and {*_LEVELS, *_OF_PAIRS}.intersection(gates):
        say_note(f"--fail-on fails because not all pairs of {session.kind.noun}s were compared: there are too many")
        return NEGATIVE
    if unsearched := sorted(report.unsearched.intersection(gates)):
        say_note(f"--fail-on {unsearched[0]} fails: there are too many {session.kind.noun}s to search for each of them")
        return NEGATIVE
    return NEGATIVE if any(one.kind in gates or one.confidence in certain for one in report.findings) else OK
