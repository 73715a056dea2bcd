"""How one note ages: its importance, recency and ceiling day by day, and where they cross thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from brvtui.engines.byterover.ageing.board import Board, Event, Floats
from brvtui.engines.byterover.ageing.forecast import LAST_DAY
from brvtui.engines.byterover.search.scoring import inputs_at
from brvtui.ranking.ceiling import scores
from brvtui.ranking.decay import MS_PER_DAY, age_days, decayed_importance


@dataclass(frozen=True, slots=True)
class Crossing:
    """The day, from today, on which an event comes."""

    event: Event
    day: float


@dataclass(frozen=True, eq=False)
class Curve:
    """One note over the days to come, as arrays beside ``days`` (0, 1, 2 … from today)."""

    path: str
    maturity: str
    days: Floats
    importance: Floats
    """0..100, after decay by the days since modification, as scores see it."""
    archive_importance: Floats
    """0..100, after decay by the days since ``updatedAt``, as archiving sees it; NaN when that is no date."""
    recency: Floats
    ceiling: Floats
    crossings: tuple[Crossing, ...]
    """Events within these days, soonest first; those that came before today are not among them."""


def curve(board: Board, position: int, last_day: int = LAST_DAY) -> Curve:
    """The note at ``position`` of the board from today to ``last_day``."""
    snapshot, profile = board.snapshot, board.profile
    note, stored = snapshot.notes[position], snapshot.signals[position]
    days = np.arange(last_day + 1, dtype=np.float64)
    moments = board.now_ms + days * MS_PER_DAY
    made = scores(
        1.0, age_days(moments, note.mtime_ms), inputs_at(snapshot, np.asarray([position]), profile.score), profile
    )
    since_update = age_days(moments, snapshot.columns.updated_ms[position])
    crossings = [Crossing(event, float(until[position])) for event, until in board.days_until.items()]
    return Curve(
        path=note.path,
        maturity=stored.maturity,
        days=days,
        importance=made.importance,
        archive_importance=decayed_importance(stored.importance, since_update, profile.decay),
        recency=made.recency,
        ceiling=made.score,
        crossings=tuple(sorted((one for one in crossings if 0 < one.day <= last_day), key=lambda one: one.day)),
    )
