"""Shows the effects of time on a document as blocks: its best possible score, its losses, and dated events."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.paint.blocks import Block, Text
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.text import days, signed
from brvtui.trace import DocumentForecast

_PLACES = 3


def forecast_blocks(forecast: DocumentForecast, glyphs: Glyphs, day: int = 0) -> Iterator[Block]:
    """Yields the best possible score, now and in ``day`` days, then :func:`coming_blocks`."""
    then = f", {forecast.ceiling_then:.{_PLACES}f} in {day} d" if day else ""
    best = f"best possible score {forecast.ceiling:.{_PLACES}f} of at most {forecast.reach:.{_PLACES}f}{then}"
    yield Text(best, "accent", after=0)
    yield from coming_blocks(forecast, glyphs, day)


def coming_blocks(forecast: DocumentForecast, glyphs: Glyphs, day: int = 0) -> Iterator[Block]:
    """Yields the losses in the best possible score, and the events. Events within ``day`` days are highlighted."""
    lacks = " · ".join(
        f"{part.name} {signed(part.value, _PLACES)}{f' ({part.note})' if part.note else ''}"
        for part in forecast.lacks
        if abs(part.value) >= 10**-_PLACES / 2
    )
    if lacks:
        yield Text(f"short of {forecast.reach:.{_PLACES}f}: {lacks}", "muted", after=0)
    for event in forecast.events:
        by_then = 0 < event.days <= day
        when = f"in {days(event.days)}" if event.days > 0 else f"{days(-event.days)} ago"
        sign = glyphs.cross if event.days <= 0 else glyphs.down if by_then else glyphs.bullet
        role = "muted" if event.days <= 0 else "bold warn" if by_then else "text"
        yield Text(f"{event.date or 'no date'}, {when}: {event.text}", role, f" {sign} ")
