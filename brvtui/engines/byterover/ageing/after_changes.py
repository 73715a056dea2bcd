"""A note after access hits, curate updates and saves (``docs/engine.md``, "Maturity")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from brvtui.engines.byterover.ageing.board import Board, BoardRow
from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.search.scoring import inputs_of
from brvtui.engines.changes import accessed, updated
from brvtui.loading.edited import edit_after_save, edited
from brvtui.ranking.ceiling import ceilings
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
    for _ in range(hits):
        signals = accessed(signals, profile.signals)
    return _after(signals, days, local, hits, profile)


def after_updates(signals: NoteSignals, days: float, local: bool, updates: int, profile: Profile) -> After:
    """The note, last written ``days`` ago, after ``updates`` curate updates: they write it, which makes it young."""
    for _ in range(updates):
        signals = updated(signals, profile.signals)
    return _after(signals, 0.0 if updates else days, local, updates, profile)


def _after(signals: NoteSignals, days: float, local: bool, times: int, profile: Profile) -> After:
    ceiling = ceilings(np.asarray([days]), inputs_of([signals], local, profile.score), profile)
    return After(
        times,
        signals.importance,
        signals.maturity,
        signals.recency,
        signals.access_count,
        signals.update_count,
        days,
        float(ceiling[0]),
    )


@dataclass(frozen=True, slots=True)
class AfterSave:
    """A note as it is, saved with a new modification time, and saved with the one that it has; None: no note."""

    now: BoardRow | None
    renewed: BoardRow | None
    kept: BoardRow | None


def after_save(context: Context, path: str, data: bytes) -> AfterSave:
    """The note at ``path`` on the board now, and once its file holds ``data``: a new modification time makes it young,
    keeping the old one does not. Nothing is written.
    """
    snapshot, profile, now_ms = context.snapshot, context.constants, context.now_ms
    renewed, kept = (
        edited(snapshot, profile, now_ms, edit_after_save(snapshot, now_ms, path, data, keep)) for keep in (False, True)
    )
    return AfterSave(*(_row(Context(state, profile, now_ms), path) for state in (snapshot, renewed, kept)))


def _row(context: Context, path: str) -> BoardRow | None:
    snapshot, profile, now_ms = context.snapshot, context.constants, context.now_ms
    position = snapshot.by_path.get(path)
    return None if position is None else Board(snapshot, profile, now_ms).row(position)
