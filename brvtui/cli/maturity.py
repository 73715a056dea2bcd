"""``brv-tui maturity``: the ageing events of notes in the coming days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click
from rich.console import RenderableType

from brvtui.cli import completing
from brvtui.cli.failure import NEGATIVE, OK
from brvtui.cli.options import WholeNumber, answer_format, project_option, shared
from brvtui.cli.output import print_report, write_json
from brvtui.cli.sessions import ProjectRequest, project_request
from brvtui.engines.ageing.events import OF_NOTES, OF_TOPICS, next_days
from brvtui.engines.registry import kind_of, presentation
from brvtui.paint.glyphs import Glyphs, for_terminal
from brvtui.paint.line import Line, flowed, line
from brvtui.paint.text import days
from brvtui.report.lines import rich_lines
from brvtui.trace import AgeingDocument, DatedEvent, EventCount, Outlook
from brvtui.wording import counted, profile_text, shortened

if TYPE_CHECKING:
    from brvtui.session.silence import Silence

# The ageing events of notes in the next days, as lines.


_DATE, _DAYS = 12, 8
_MEANINGS = {event.key: event.meaning for event in (*OF_NOTES, *OF_TOPICS)}


def outlook_report(outlook: Outlook, silence: Silence | None, width: int) -> RenderableType:
    """The count of each event, the events of each note, soonest first, and the late answers, in ``width`` columns."""
    lines = [*outlook_lines(outlook, for_terminal()), *silence_lines(silence)]
    return rich_lines(part for one in lines for part in flowed(one, width, width))


def outlook_lines(outlook: Outlook, glyphs: Glyphs) -> list[Line]:
    """The lines of :func:`outlook_report`, not wrapped."""
    until = outlook.until or f"{outlook.days} days from now"
    noun = kind_of(outlook.engine).noun
    ranked = "" if outlook.ranked == outlook.notes else f"{outlook.ranked} of "
    notes = counted(outlook.notes, noun, f"{noun}s")
    span = "today" if not outlook.days else f"from today to {until}" if outlook.days > 1 else f"until {until}"
    lines = [
        line(f" {ranked}{notes} in {outlook.project}", "bold strong").add(f", {span}, if nobody touches them", "text"),
        line(f" {presentation(outlook.engine).title}, profile {profile_text(outlook.profile)}", "muted"),
    ]
    for count in outlook.counts:
        lines.append(_count(count, outlook.days))
        lines += [line(f"       {meaning}", "muted")] if (meaning := _MEANINGS.get(count.kind)) else []
    lines.append(Line())
    dated = [(event, document) for document in outlook.documents for event in document.events]
    for event, document in sorted(dated, key=lambda pair: pair[0].days):
        lines += [_row(event, document, glyphs)]
    if not dated:
        lines.append(line(f" no {noun}s", "muted"))
    if any(count.by_then > count.in_span for count in outlook.counts) and all(event.days for event, _ in dated):
        lines.append(line(f" --all also lists the {noun}s whose event is in the past", "muted"))
    return lines


def silence_lines(silence: Silence | None) -> Iterator[Line]:
    """Yields a line for each query whose answer will come too late for the agent's hook; none without such a query."""
    if silence is None or not silence.queries:
        return
    limit = f"{silence.limit_ms / 1000:g} s"
    yield Line()
    yield line(
        f" {len(silence.queries)} of {silence.tried} judged and logged queries are answered too late by then",
        "bold warn",
    )
    sources = ("your log" if silence.durations[one.tier].is_logged else "documented" for one in silence.queries)
    usual = ", ".join(
        f"tier {tier} usually takes {silence.durations[tier].ms / 1000:.1f} s ({source})"
        for tier, source in sorted(dict(zip((one.tier for one in silence.queries), sources, strict=True)).items())
    )
    yield line(f" your agent's hook waits {limit} and then gives up; {usual}", "muted")
    for one in silence.queries:
        since = "already today" if not one.days else f"from day {one.days}"
        yield Line().gap().fit(since, _DATE + _DAYS, "text").add(f"“{shortened(one.query)}”", "strong")


def _count(count: EventCount, span: int) -> Line:
    result = line(f" {count.by_then:>5} ", "strong").add(count.text, "text")
    if not span:
        return result.add(" by today", "text")
    result.add(" by then, ", "text").add(str(count.in_span or "none"), "warn" if count.in_span else "text")
    return result.add(f" of them in {next_days(span)}  ({count.kind})", "text")


def _row(event: DatedEvent, document: AgeingDocument, glyphs: Glyphs) -> Line:
    result = Line().gap()
    if event.days > 0:
        result.fit(event.date or "no date", _DATE, "text").fit(f"{days(event.days):>6}", _DAYS, "strong")
    else:
        result.fit(event.date or "before today", _DATE + _DAYS, "muted")
    sign = glyphs.maturity.get(document.maturity, " ")
    result.add(f"{sign} ", document.maturity).add(document.path, "strong")
    return result.add(f"  {event.text}", "muted")


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
    help="Only this event (byterover: leaves-tier-2, leaves-prompt, archive, prune, fades; "
    "soleri: window-opens, window-fades, window-closes, age-halves; "
    "byterover_v4: leaves-high, leaves-medium, fades).",
)
@click.option("--all", "with_come", is_flag=True, help="Also list notes whose event is in the past.")
@click.option(
    "--engine",
    default="",
    metavar="NAME",
    shell_complete=completing.engines,
    help="The memory system to forecast (default: from the settings, otherwise byterover).",
)
@project_option
@shared
@project_request
@answer_format
def maturity(days: int, event: str, with_come: bool, request: ProjectRequest, form: str) -> int:
    """List ageing events of untouched notes in the coming days, such as leaving tier 2 or being offered for archiving.

    Nothing is changed. The exit code is 1 if no note is listed.
    """
    session = request.open()
    found = session.ageing.outlook(session.engine, days, event, with_come)
    silence = None
    if presentation(session.engine).has_tiers and not event:
        from brvtui.session.silence import forecast_silence

        silence = forecast_silence(session, days)
        found = replace(found, silent=silence.queries)
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json([{"schema": SCHEMA, **to_plain(found)}])
    else:
        print_report(partial(outlook_report, found, silence))
    return OK if found.documents else NEGATIVE
