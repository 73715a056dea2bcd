"""What time does to a document, whatever the engine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from brvtui.trace.scores import Part


def date_after(now_ms: float, days: float) -> str:
    """The day (UTC), ``2027-11-10``, that is ``days`` after ``now_ms``; empty for one that no calendar holds."""
    try:
        return (datetime.fromtimestamp(now_ms / 1000, UTC) + timedelta(days=days)).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return ""


@dataclass(frozen=True)
class DatedEvent:
    """One thing that time brings to a document."""

    kind: str
    """The name of all events like it: one of the engine's ``event_kinds``."""
    days: float
    """From now; 0 or less once it has come."""
    date: str
    """The day (UTC), ``2027-11-10``; empty for one that no calendar holds, and where nobody knows when it came."""
    text: str


@dataclass(frozen=True)
class DocumentForecast:
    """The best score that any query can give a document, and what time does to it."""

    ceiling: float
    """``reach`` and the sum of ``lacks``."""
    reach: float
    """The best score that any document can have."""
    lacks: tuple[Part, ...]
    """What this document lacks for ``reach``, greatest first: values below 0."""
    ceiling_then: float
    """The ceiling on the day that was asked for; equal to ``ceiling`` for today."""
    events: tuple[DatedEvent, ...]
    """Soonest first; those that have come before them."""


@dataclass(frozen=True)
class EventCount:
    """To how many documents events of one kind come."""

    kind: str
    text: str
    """State of the documents after it, to follow their number: ``out of tier 2``."""
    by_then: int
    """To how many it has come by the end of the span."""
    in_span: int
    """To how many of these it comes within the span, after now."""


@dataclass(frozen=True)
class AgeingDocument:
    """A document, and what time brings to it by the end of a span."""

    path: str
    title: str
    maturity: str
    ceiling: float
    """The best score that any query can give it now."""
    ceiling_then: float
    """The same at the end of the span."""
    events: tuple[DatedEvent, ...]
    """Soonest first."""


@dataclass(frozen=True)
class Outlook:
    """What time brings to the documents that an engine ranks, in a span of days from now."""

    engine: str
    profile: str
    project: str
    now: str
    """ISO 8601, UTC."""
    days: int
    until: str
    """The last day (UTC), ``2026-12-20``; empty for one that no calendar holds."""
    event: str
    """The kind of events that was asked for; empty for all."""
    ranked: int
    """How many documents the engine ranks."""
    notes: int
    """How many notes there are; an engine may rank fewer, as Soleri passes over archived stubs."""
    counts: tuple[EventCount, ...]
    documents: tuple[AgeingDocument, ...]
    """Those with an event, that of the soonest first."""
