"""The effects of time on a document, for any engine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from brvtui.trace.scores import Part


def date_after(now_ms: float, days: float) -> str:
    """The UTC date ``days`` after ``now_ms``, such as ``2027-11-10``; empty if it is outside the calendar."""
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
    """The UTC date, such as ``2027-11-10``; empty outside the calendar, or for an unknown date in the past."""
    text: str


@dataclass(frozen=True)
class DocumentForecast:
    """The best score that any query can give a document, and the effects of time on it."""

    ceiling: float
    """The sum of ``reach`` and all ``lacks``."""
    reach: float
    """The best score that any document can have."""
    lacks: tuple[Part, ...]
    """The score parts that keep the document below ``reach``, largest first; their values are negative.
    """
    ceiling_then: float
    """The ceiling on the requested day; equal to ``ceiling`` for today."""
    events: tuple[DatedEvent, ...]
    """All events in chronological order."""


@dataclass(frozen=True)
class EventCount:
    """The number of documents with events of one kind."""

    kind: str
    text: str
    """The state of the documents after the event, to follow their number, such as ``out of tier 2``."""
    by_then: int
    """The number of documents to which the event has happened by the end of the span."""
    in_span: int
    """The number of documents to which the event will happen between now and the end of the span."""


@dataclass(frozen=True)
class AgeingDocument:
    """A document, and the effects of time on it until the end of a span."""

    path: str
    title: str
    maturity: str
    ceiling: float
    """The best score that any query can give the document now."""
    ceiling_then: float
    """The best score that any query could give the document when the time span ends."""
    events: tuple[DatedEvent, ...]
    """The events, soonest first."""


@dataclass(frozen=True, slots=True)
class SilentQuery:
    """A query whose answer will come too late for the agent's hook, so that the agent receives nothing."""

    query: str
    scope: str
    days: int
    """The number of days until then; 0 if the answer already comes too late."""
    tier: int
    """The tier that answers then."""


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
    """The last UTC date of the span, such as ``2026-12-20``; empty if it is outside the calendar."""
    event: str
    """The requested kind of event; empty for all kinds."""
    ranked: int
    """The number of documents that the engine ranks."""
    notes: int
    """The number of notes. An engine may rank fewer: for example, Soleri skips archived stubs."""
    counts: tuple[EventCount, ...]
    documents: tuple[AgeingDocument, ...]
    """The documents with an event, in the order of their first events."""
    silent: tuple[SilentQuery, ...] = ()
    """The judged and logged queries whose answers come too late by then, soonest first."""
