"""What access hits and curate updates would make of a note (``docs/engine.md``, "Maturity")."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.engines.byterover.profile import Profile
from brvtui.ranking.ceiling import ceiling_at
from brvtui.ranking.maturity import after_access, after_update
from brvtui.tree.reading.signals import NoteSignals


@dataclass(frozen=True, slots=True)
class After:
    """A note after so many hits or updates: importance 0..100 and recency 0..1 as stored, counts, ceiling 0..1."""

    times: int
    importance: float
    maturity: str
    recency: float
    access_count: int
    update_count: int
    days: float
    """Days since modification: a hit leaves the file alone, an update writes it."""
    ceiling: float


def after_hits(signals: NoteSignals, days: float, local: bool, hits: int, profile: Profile) -> After:
    """The note, last written ``days`` ago, after ``hits`` access hits, each recorded before the next one comes."""
    importance, maturity = signals.importance, signals.maturity
    for _ in range(hits):
        importance, maturity = after_access(importance, maturity, profile.signals)
    ceiling = ceiling_at(days, importance, signals.recency, maturity, local, profile)
    count = signals.access_count + hits
    return After(hits, importance, maturity, signals.recency, count, signals.update_count, days, ceiling)


def after_updates(signals: NoteSignals, days: float, local: bool, updates: int, profile: Profile) -> After:
    """The note, last written ``days`` ago, after ``updates`` curate updates: they write it, which makes it young."""
    if not updates:
        return after_hits(signals, days, local, 0, profile)
    importance, maturity = signals.importance, signals.maturity
    for _ in range(updates):
        importance, maturity = after_update(importance, maturity, profile.signals)
    count = signals.update_count + updates
    ceiling = ceiling_at(0.0, importance, 1.0, maturity, local, profile)
    return After(updates, importance, maturity, 1.0, signals.access_count, count, 0.0, ceiling)
