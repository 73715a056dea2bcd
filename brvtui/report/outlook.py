"""What the next days bring to the notes, as lines."""

from __future__ import annotations

from rich.console import RenderableType

from brvtui.engines.registry import noun_of, presentation
from brvtui.paint.glyphs import Glyphs, for_terminal
from brvtui.paint.line import Line, flowed, line
from brvtui.paint.text import days
from brvtui.report.lines import rich_lines
from brvtui.trace import AgeingDocument, DatedEvent, EventCount, Outlook
from brvtui.wording import counted, profile_text

_DATE, _DAYS = 12, 8


def outlook_report(outlook: Outlook, width: int) -> RenderableType:
    """The numbers of each event, then each event of a note, soonest first, for reading in ``width`` columns."""
    lines = outlook_lines(outlook, for_terminal())
    return rich_lines(part for one in lines for part in flowed(one, width, width))


def outlook_lines(outlook: Outlook, glyphs: Glyphs) -> list[Line]:
    """The lines of :func:`outlook_report`, of any length."""
    until = outlook.until or f"{outlook.days} days on"
    noun = noun_of(outlook.engine)
    ranked = "" if outlook.ranked == outlook.notes else f"{outlook.ranked} of "
    notes = counted(outlook.notes, noun, f"{noun}s")
    span = "today" if not outlook.days else f"from today to {until}" if outlook.days > 1 else f"until {until}"
    made = [
        line(f" {ranked}{notes} of {outlook.project}", "bold strong").add(f", {span}, if nobody touches them", "text"),
        line(f" {presentation(outlook.engine).title}, profile {profile_text(outlook.profile)}", "muted"),
    ]
    made += [_count(count, outlook.days) for count in outlook.counts]
    made.append(Line())
    dated = [(event, document) for document in outlook.documents for event in document.events]
    for event, document in sorted(dated, key=lambda pair: pair[0].days):
        made += [_row(event, document, glyphs)]
    if not dated:
        earlier = any(count.by_then for count in outlook.counts)
        made.append(line(f" no {noun}{'; --all lists those to which it has come already' if earlier else ''}", "muted"))
    return made


def _count(count: EventCount, span: int) -> Line:
    made = line(f" {count.by_then:>5} ", "strong").add(count.text, "text")
    if not span:
        return made.add(" today", "text")
    made.add(" by then, ", "text").add(str(count.in_span or "none"), "warn" if count.in_span else "text")
    return made.add(f" of them in {'this day' if span == 1 else f'these {span} days'}  ({count.kind})", "text")


def _row(event: DatedEvent, document: AgeingDocument, glyphs: Glyphs) -> Line:
    made = Line().gap()
    if event.days > 0:
        made.fit(event.date or "at no date", _DATE, "text").fit(f"{days(event.days):>6}", _DAYS, "strong")
    else:
        made.fit(event.date or "before today", _DATE + _DAYS, "muted")
    sign = glyphs.maturity.get(document.maturity, " ")
    made.add(f"{sign} ", document.maturity).add(document.path, "strong")
    return made.add(f"  {event.text}", "muted")
