"""Ageing forecasts: the state of all notes on a future day, and the state of one note day by day, or after hits or
updates.

See ``docs/reference/byterover.md``, "What ageing brings".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.ageing.board import Board, BoardState, Bools, Floats
from brvtui.engines.ageing.events import Event
from brvtui.engines.ageing.rules import AgeingRules, inputs_at, inputs_of
from brvtui.engines.changes import accessed, updated
from brvtui.ranking.ceiling import ceilings, days_until_below, scores
from brvtui.ranking.compound import unrounded_threshold
from brvtui.ranking.decay import MS_PER_DAY, age_days
from brvtui.ranking.maturity import LEVELS
from brvtui.trace import DatedEvent, DocumentForecast, Part
from brvtui.trace.forecasts import date_after
from brvtui.tree.reading.signals import NoteSignals


@dataclass(frozen=True, slots=True)
class After:
    """A note's stored signals and best possible score (0..1) after a number of hits or updates, or after a save."""

    times: int
    signals: NoteSignals
    days: float
    """The days since the file was modified. An update modifies it; a hit does not."""
    ceiling: float
    gates: Mapping[Event, float]
    """The days until each event of a gate occurs; 0 if it has already occurred, infinite if it never will."""


def after_hits(signals: NoteSignals, days: float, local: bool, hits: int, rules: AgeingRules) -> After:
    """The state of a note that was modified ``days`` days ago, after ``hits`` access hits, recorded one at a time."""
    for _ in range(hits):
        signals = accessed(signals, rules.signals)
    return _after(signals, days, local, hits, rules)


def after_updates(signals: NoteSignals, days: float, local: bool, updates: int, rules: AgeingRules) -> After:
    """The state of a note modified ``days`` days ago, after ``updates`` curate updates, which reset its age."""
    for _ in range(updates):
        signals = updated(signals, rules.signals)
    return _after(signals, 0.0 if updates else days, local, updates, rules)


def after_saving(signals: NoteSignals, local: bool, rules: AgeingRules) -> After:
    """The state of a note that is saved now with ``signals``."""
    return _after(signals, 0.0, local, 0, rules)


def _after(signals: NoteSignals, days: float, local: bool, times: int, rules: AgeingRules) -> After:
    age, inputs = np.asarray([days]), inputs_of([signals], local, rules.score)
    limits = [unrounded_threshold(gate, rules.score.decimals) for gate in rules.gates.values()]
    until = days_until_below(limits, age, inputs, rules)[:, 0].tolist()
    ceiling = float(ceilings(age, inputs, rules)[0])
    return After(times, signals, days, ceiling, dict(zip(rules.gates, until, strict=True)))


LAST_DAY = 365


@dataclass(frozen=True, slots=True)
class UpcomingEvent:
    """A past or future event of a note."""

    event: Event
    days: float
    """Days from today; 0 if the event has already occurred."""
    by_then: bool
    """True if the event occurs after today, but no later than the forecast date."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """The states of the notes on ``board`` in ``day`` days, and the events until then."""

    board: Board
    day: float

    @cached_property
    def then(self) -> BoardState:
        """The state of every note on the forecast date."""
        return self.board.after(self.day)

    @cached_property
    def changed(self) -> Mapping[Event, Bools]:
        """For each event, a mask of the notes for which it occurs after today and by the forecast date."""
        today = self.board.today.has_come
        return {event: come & ~today[event] for event, come in self.then.has_come.items()}

    @cached_property
    def any_change(self) -> Bools:
        """A mask of the notes for which any event occurs after today, but no later than the forecast date."""
        return np.asarray(np.logical_or.reduce(list(self.changed.values())), dtype=np.bool_)

    def coming(self, position: int) -> tuple[UpcomingEvent, ...]:
        """The past and future events of the note at ``position``, soonest first."""
        events = [
            UpcomingEvent(event, float(days[position]), bool(self.changed[event][position]))
            for event, days in self.board.days_until.items()
            if np.isfinite(days[position])
        ]
        return tuple(sorted(events, key=lambda item: item.days))


def calendar(board: Board) -> Mapping[Event, NDArray[np.int64]]:
    """For each event, the number of notes for which it occurs on each day of the coming year. The number for today, at
    index 0, is always 0.
    """
    counts = {}
    for event, days in board.days_until.items():
        ahead = days[(days > 0) & (days <= LAST_DAY)]
        counts[event] = np.bincount(np.ceil(ahead).astype(np.int64), minlength=LAST_DAY + 1)
    return counts


Positions = NDArray[np.int64]


class BoardOrder(StrEnum):
    """The sort orders of notes. The largest value comes first, except in the orders by event, promotion and title."""

    EVENT = "next event"
    IMPORTANCE = "importance"
    PROMOTION = "promotion"
    CEILING = "best possible score"
    RECENCY = "recency"
    ACCESSES = "access hits"
    UPDATES = "updates"
    TITLE = "title"


def columns(
    forecast: Forecast, order: BoardOrder, only: Event | None = None, in_span: bool = False
) -> tuple[Positions, ...]:
    """For each of :data:`brvtui.ranking.maturity.LEVELS`, the positions in the snapshot of its notes, sorted by
    ``order`` and then by path.

    With ``only``, the result is limited to notes for which that event has occurred by the forecast date. With
    ``in_span``, it is limited to notes for which that event (or any event, if ``only`` is None) occurs after today.
    """
    board = forecast.board
    ranked = np.lexsort((board.path_ranks, _keys(forecast, order)))
    if in_span:
        ranked = ranked[(forecast.any_change if only is None else forecast.changed[only])[ranked]]
    elif only is not None:
        ranked = ranked[forecast.then.has_come[only][ranked]]
    levels = board.snapshot.columns.maturity[ranked]
    return tuple(ranked[levels == level] for level in range(len(LEVELS)))


def _keys(forecast: Forecast, order: BoardOrder) -> Floats:
    """The sort keys of notes, in ascending order."""
    board, then = forecast.board, forecast.then
    if order is BoardOrder.EVENT:
        return days_to_next_event(board)
    if order is BoardOrder.PROMOTION:
        return board.hits_to_promotion
    if order is BoardOrder.TITLE:
        return board.title_ranks.astype(np.float64)
    if order is BoardOrder.ACCESSES or order is BoardOrder.UPDATES:
        signals = board.snapshot.signals
        hits = [entry.access_count if order is BoardOrder.ACCESSES else entry.update_count for entry in signals]
        return -np.asarray(hits, dtype=np.float64)
    values = {
        BoardOrder.IMPORTANCE: then.importance,
        BoardOrder.CEILING: then.ceiling,
        BoardOrder.RECENCY: then.recency,
    }
    return -values[order]


def days_to_next_event(board: Board) -> Floats:
    """The days until each note's next event; infinite if the note has no future event."""
    ahead = [np.where(days > 0, days, np.inf) for days in board.days_until.values()]
    return np.asarray(np.minimum.reduce(ahead), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Curve:
    """One note's values on the coming days, as arrays with one value per day, starting today."""

    importance: Floats
    """The importance (0..100) that is used in scores, after decay since the note's modification."""
    recency: Floats
    ceiling: Floats


def curve(board: Board, position: int, last_day: int = LAST_DAY) -> Curve:
    """The values of the note at ``position`` on the board, from today to ``last_day``."""
    snapshot, rules = board.snapshot, board.rules
    moments = board.now_ms + np.arange(last_day + 1, dtype=np.float64) * MS_PER_DAY
    days = age_days(moments, snapshot.notes[position].mtime_ms)
    scored = scores(1.0, days, inputs_at(snapshot, np.asarray([position]), rules.score), rules)
    return Curve(scored.importance, scored.recency, scored.score)


def note_forecast(forecast: Forecast, path: str) -> DocumentForecast | None:
    """The best possible score of the note at ``path`` now and on the forecast date, and its ageing events; None
    for a file that is not searched.
    """
    board = forecast.board
    position = board.snapshot.by_path.get(path)
    if position is None:
        return None
    ceiling = float(board.today.ceiling[position])
    reach = board.rules.score.cap
    lack = Part("signals and age", ceiling - reach)
    return DocumentForecast(
        ceiling=reach + lack.value,
        reach=reach,
        lacks=(lack,) if lack.value else (),
        ceiling_then=float(forecast.then.ceiling[position]),
        events=tuple(_dated(coming, board.now_ms) for coming in forecast.coming(position)),
    )


def _dated(coming: UpcomingEvent, now_ms: float) -> DatedEvent:
    date = date_after(now_ms, coming.days) if coming.days else ""
    return DatedEvent(coming.event.key, coming.days, date, coming.event.happens)
