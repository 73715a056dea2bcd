"""The data of the Maturity screen, computed by the engine: all notes in a worker, one note when it is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.ageing.board import Board, BoardRow
from brvtui.engines.ageing.events import ARCHIVE, PRUNING, Event
from brvtui.engines.ageing.forecast import (
    LAST_DAY,
    After,
    BoardOrder,
    Curve,
    Forecast,
    UpcomingEvent,
    calendar,
    columns,
)
from brvtui.ranking.maturity import LEVELS
from brvtui.trace import DocumentForecast

if TYPE_CHECKING:
    from brvtui.session import Session

_NOTABLE = (ARCHIVE, PRUNING)
_SOON = 30
"""An event that is at most this many days away is shown instead of a past event."""


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """The options of the board: the day, the order, and the filter of notes."""

    day: int = 0
    order: BoardOrder = BoardOrder.EVENT
    only: Event | None = None
    """Keeps only the notes for which this event will have happened by the day."""
    only_changes: bool = False
    """Keeps only notes with an event between today and the day. If the day is today, keeps all notes."""

    @property
    def in_span(self) -> bool:
        """True if only notes with a change between today and the day are shown."""
        return self.only_changes and self.day > 0


@dataclass(frozen=True, slots=True)
class Mark:
    """The event on a card: one that happens by the selected day, one that has happened, or the next one."""

    event: Event
    days: float
    """The number of days until the event; 0 if it has happened."""
    by_then: bool
    more: int = 0
    """The number of other events by the selected day."""
    filtered: bool = False
    """True if all cards show this event; they then also show the days until it."""


@dataclass(frozen=True, eq=False)
class BoardOnDay:
    """All notes on one day, by maturity, in the selected order."""

    wanted: BoardOptions
    forecast: Forecast
    columns: Mapping[str, Sequence[int]]
    """The notes' positions in the snapshot, by maturity."""
    calendar: Mapping[Event, NDArray[np.int64]]
    names: Sequence[str]
    """The title and path of each note in lower case, by position, for filtering."""

    @property
    def board(self) -> Board:
        """The notes as they are today."""
        return self.forecast.board

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that ageing can cause for these notes, the most important first."""
        return tuple(sorted(self.board.events, key=lambda event: -event.weight))

    @property
    def collapsed(self) -> frozenset[str]:
        """The maturities without notes to show; empty if there are no notes at all."""
        empty = frozenset(level for level in LEVELS if not self.columns[level])
        return empty if len(empty) < len(LEVELS) else frozenset()

    def position(self, path: str) -> int | None:
        """Returns the position of the note at ``path``; None if there is none."""
        return self.board.snapshot.by_path.get(path)

    def level_of(self, path: str) -> str:
        """Returns the maturity of the note at ``path``; empty if there is none."""
        position = self.position(path)
        return "" if position is None else LEVELS[self.board.snapshot.columns.maturity[position]]

    def mark(self, position: int) -> Mark | None:
        """Returns the filter's or the most notable event for the card at ``position``; None if there is none."""
        days = {event: float(until[position]) for event, until in self.board.days_until.items()}
        only = self.wanted.only
        if only is not None:
            return Mark(only, days[only], bool(self.forecast.changed[only][position]), filtered=True)
        changed = [event for event in self.events if self.forecast.changed[event][position]]
        if changed:
            return Mark(changed[0], days[changed[0]], True, len(changed) - 1)
        past = next((event for event in _NOTABLE if days.get(event) == 0), None)
        event, days_to_next_event = min(days.items(), key=lambda item: item[1] or np.inf)
        if past is not None and not 0 < days_to_next_event <= _SOON:
            return Mark(past, 0.0, False)
        return Mark(event, days_to_next_event, False) if 0 < days_to_next_event <= LAST_DAY else None


@dataclass(frozen=True, eq=False)
class Ageing:
    """One note: its signals, its ageing, and the effect of hits or updates."""

    wanted: BoardOptions
    row: BoardRow
    then_importance: float
    then_recency: float
    then_ceiling: float
    coming: Sequence[UpcomingEvent]
    curve: Curve
    thresholds: tuple[float, ...]
    """The scores that gates require, for example for the direct answer and the prompt."""
    hits: After
    updates: After
    saved: Sequence[After]
    """The note if it is saved now, with its maturity and with each higher one."""
    archive_below: float | None
    """The importance below which drafts are archivable; None if the engine archives none."""


@dataclass(frozen=True, slots=True)
class EngineForecast:
    """The ageing of the note at ``path`` in an engine other than ByteRover, until a forecast date."""

    path: str
    engine: str
    """The title of the engine."""
    day: int
    forecast: DocumentForecast


def board_on_day(session: Session, options: BoardOptions, before: BoardOnDay | None) -> BoardOnDay:
    """Returns the board for ``options``; reuses parts of ``before``, if given."""
    board = before.board if before is not None else session.ageing.board()
    forecast = session.ageing.forecast(options.day, board)
    sorted_columns = columns(forecast, options.order, options.only, options.in_span)
    _ = forecast.any_change
    return BoardOnDay(
        options,
        forecast,
        {level: column.tolist() for level, column in zip(LEVELS, sorted_columns, strict=True)},
        before.calendar if before is not None else calendar(board),
        before.names if before is not None else [f"{n.title}\n{n.path}".lower() for n in board.snapshot.notes],
    )


def ageing_of(session: Session, on_day: BoardOnDay, path: str, times: int) -> Ageing | None:
    """Returns the ageing of the note at ``path``, and the effect of ``times`` hits; None if it is not on the board."""
    position = on_day.position(path)
    if position is None or path not in session.snapshot.by_path:
        return None
    then, row = on_day.forecast.then, on_day.board.row(position)
    return Ageing(
        on_day.wanted,
        row,
        float(then.importance[position]),
        float(then.recency[position]),
        float(then.ceiling[position]),
        on_day.forecast.coming(position),
        session.ageing.curve(path, board=on_day.board),
        tuple(on_day.board.rules.gates.values()),
        session.ageing.after_hits(path, times, on_day.board),
        session.ageing.after_updates(path, times, on_day.board),
        [session.ageing.after_saving(path, on_day.board, level) for level in LEVELS[LEVELS.index(row.maturity) :]],
        on_day.board.rules.signals.archive_below if ARCHIVE in on_day.board.events else None,
    )


def forecast_in(session: Session, engine: str, path: str, day: int) -> EngineForecast | None:
    """Returns the ageing of the note at ``path`` in ``engine``; None if the engine has no forecast."""
    forecast = session.ageing.in_engine(engine, path, day)
    return EngineForecast(path, session.engines.named(engine).title, day, forecast) if forecast is not None else None
