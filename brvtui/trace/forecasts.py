"""The effects of time on a document, for any engine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from brvtui.trace.scores import Part


def date_after(now_ms: float, days: float) -> str:
    """The date (UTC), ``2027-11-10``, that is ``days`` after ``now_ms``; empty if it is outside the calendar."""
    try:
        return (datetime.fromtimestamp(now_ms / 1000, UTC) + timedelta(days=days)).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return ""


@dataclass(frozen=True)
class DatedEvent:
    """One effect of time on a document."""

    kind: str
    """The kind of event: one of the engine's ``event_kinds``."""
    days: float
    """The number of days from now; 0 or less if the event is in the past."""
    date: str
    """The date (UTC), ``2027-11-10``; empty if it is outside the calendar, or for a past event with an unknown date."""
    text: str


@dataclass(frozen=True)
class DocumentForecast:
    """The best score that any query can give a document, and the effects of time on it."""

    ceiling: float
    """The sum of ``reach`` and all ``lacks``."""
    reach: float
    """The best score that any document can have."""
    lacks: tuple[Part, ...]
    """The parts by which this document falls short of ``reach``, largest first; their values are below 0."""
    ceiling_then: float
    """The ceiling on the requested day; equal to ``ceiling`` for today."""
    events: tuple[DatedEvent, ...]
    """All events: past ones, then future ones, soonest first."""


@dataclass(frozen=True)
class EventCount:
    """The number of documents with events of one kind."""

    kind: str
    text: str
    """The documents' state after the event, which follows their number: ``out of tier 2``."""
    by_then: int
    """The number of documents to which the event has happened by the end of the span."""
    in_span: int
    """The number of these documents to which it happens within the span, after now."""


@dataclass(frozen=True)
class AgeingDocument:
    """A document, and the effects of time on it by the end of a span."""

    path: str
    title: str
    maturity: str
    ceiling: float
    """The best score that any query can give it now."""
    ceiling_then: float
    """The best score that any query can give the document at the end of the span."""
    events: tuple[DatedEvent, ...]
    """The events, soonest first."""


@dataclass(frozen=True)
class Outlook:
    """The effects of time on the documents that an engine ranks, over a span of days from now."""

    engine: str
    profile: str
    project: str
    now: str
    """The current time, ISO 8601 in UTC."""
    days: int
    until: str
    """The last date (UTC), ``2026-12-20``; empty if it is outside the calendar."""
    event: str
    """The requested kind of events; empty for all."""
    ranked: int
    """The number of documents that the engine ranks."""
    notes: int
    """The number of notes. An engine may rank fewer; for example, Soleri skips archived stubs."""
    counts: tuple[EventCount, ...]
    documents: tuple[AgeingDocument, ...]
    """The documents with an event, in the order of their first events."""
