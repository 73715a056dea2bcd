"""What time does to a document, as lines: its ceiling, what it lacks for more, and dated events."""

from __future__ import annotations

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.paint.text import days, signed, wrap
from brvtui.trace import DocumentForecast

_PLACES = 3


def forecast_lines(forecast: DocumentForecast, width: int, glyphs: Glyphs, day: int = 0) -> list[Line]:
    """Returns the ceiling, now and ``day`` days on, then :func:`coming_lines`."""
    best = f"ceiling {forecast.ceiling:.{_PLACES}f} of at most {forecast.reach:.{_PLACES}f}"
    if day:
        best += f", {forecast.ceiling_then:.{_PLACES}f} in {day} d"
    return [
        *(line(f" {part}", "accent") for part in wrap(best, width - 1)),
        *coming_lines(forecast, width, glyphs, day),
    ]


def coming_lines(forecast: DocumentForecast, width: int, glyphs: Glyphs, day: int = 0) -> list[Line]:
    """Returns what the document lacks for the best score of all, and its events; those by ``day`` days on stand out."""
    lacks = " · ".join(
        f"{part.name} {signed(part.value, _PLACES)}{f' ({part.note})' if part.note else ''}"
        for part in forecast.lacks
        if abs(part.value) >= 10**-_PLACES / 2
    )
    text = f"lacks for {forecast.reach:.{_PLACES}f}: {lacks}"
    made = [line(f" {part}", "muted") for part in wrap(text, width - 1)] if lacks else []
    for event in forecast.events:
        by_then = 0 < event.days <= day
        when = f"in {days(event.days)}" if event.days > 0 else f"{days(-event.days)} ago"
        sign = glyphs.cross if event.days <= 0 else glyphs.down if by_then else glyphs.bullet
        role = "muted" if event.days <= 0 else "bold warn" if by_then else "text"
        first, *rest = wrap(f"{sign} {event.date or 'at no date'}, {when}: {event.text}", width - 2)
        made += [line(f" {first}", role), *(line(f"   {part}", role) for part in rest)]
    return made
