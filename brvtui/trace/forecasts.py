"""What time does to a document, whatever the engine."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace.scores import Part


@dataclass(frozen=True)
class DatedEvent:
    """One thing that time brings to a document."""

    days: float
    """From now; 0 or less once it has come."""
    date: str
    """The day (UTC), ``2027-11-10``; empty for one that no calendar holds."""
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
