"""What the Maturity screen shows, computed by the engine: all notes in a worker, one when it is chosen."""

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
"""Days within which what is to come is said rather than what has come."""


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """What to show: the day, the order, and which notes to keep."""

    day: int = 0
    order: BoardOrder = BoardOrder.IMPORTANCE
    only: Event | None = None
    """Keeps the notes to which this event has come by the day."""
    only_changes: bool = False
    """Keeps the notes to which an event comes between today and the day; for today, it keeps all."""

    @property
    def in_span(self) -> bool:
        """Whether notes that do not change between today and the day are left out."""
        return self.only_changes and self.day > 0


@dataclass(frozen=True, slots=True)
class Mark:
    """What a card says of a note's ageing: an event that comes by the chosen day, that has come, or the next one."""

    event: Event
    days: float
    """Days until it comes; 0 if it has come."""
    by_then: bool
    more: int = 0
    """How many other events come by the chosen day."""
    filtered: bool = False
    """Whether all cards have marks of this event, so that its day tells them apart."""
    after_another: bool = False
    """Whether the note can be archived or pruned already, while this is still to come."""


@dataclass(frozen=True, eq=False)
class BoardOnDay:
    """Every note on one day, by maturity, in the wanted order."""

    wanted: BoardOptions
    forecast: Forecast
    columns: Mapping[str, Sequence[int]]
    """Positions in the snapshot, by maturity."""
    calendar: Mapping[Event, NDArray[np.int64]]
    names: Sequence[str]
    """Title and path of each note in lower case, by position: what a filter looks at."""

    @property
    def board(self) -> Board:
        """The notes as they are today."""
        return self.forecast.board

    @property
    def events(self) -> tuple[Event, ...]:
        """What ageing can bring to these notes, the heaviest first."""
        return tuple(sorted(self.board.events, key=lambda event: -event.weight))

    @property
    def collapsed(self) -> frozenset[str]:
        """The maturities without a note to show, unless none has any."""
        empty = frozenset(level for level in LEVELS if not self.columns[level])
        return empty if len(empty) < len(LEVELS) else frozenset()

    def position(self, path: str) -> int | None:
        """Returns the position of the note at ``path``; None when there is none."""
        return self.board.snapshot.by_path.get(path)

    def level_of(self, path: str) -> str:
        """Returns the maturity of the note at ``path``; empty when there is none."""
        position = self.position(path)
        return "" if position is None else LEVELS[self.board.snapshot.columns.maturity[position]]

    def mark(self, position: int) -> Mark | None:
        """Returns the event on the card of the note at ``position``: that of the filter, if one is kept.

        None when nothing is ahead of the note.
        """
        days = {event: float(until[position]) for event, until in self.board.days_until.items()}
        only = self.wanted.only
        if only is not None:
            return Mark(only, days[only], bool(self.forecast.changed[only][position]), filtered=True)
        changed = [event for event in self.events if self.forecast.changed[event][position]]
        if changed:
            return Mark(changed[0], days[changed[0]], True, len(changed) - 1)
        come = next((event for event in _NOTABLE if days.get(event) == 0), None)
        event, days_to_next_event = min(days.items(), key=lambda item: item[1] or np.inf)
        if come is not None and not 0 < days_to_next_event <= _SOON:
            return Mark(come, 0.0, False)
        is_ahead = 0 < days_to_next_event <= LAST_DAY
        return Mark(event, days_to_next_event, False, after_another=come is not None) if is_ahead else None


@dataclass(frozen=True, eq=False)
class Ageing:
    """One note: where it stands, how it ages, and what hits or updates would make of it."""

    wanted: BoardOptions
    row: BoardRow
    then_importance: float
    then_recency: float
    then_ceiling: float
    coming: Sequence[UpcomingEvent]
    curve: Curve
    thresholds: tuple[float, ...]
    """The scores that gates need, such as those of the direct answer and of the prompt."""
    hits: After
    updates: After
    archive_below: float | None
    """The importance under which drafts are archive candidates; None where the engine archives none."""


@dataclass(frozen=True, slots=True)
class EngineForecast:
    """How the note at ``path`` ages in an engine other than ByteRover, until a day of the forecast."""

    path: str
    engine: str
    """The engine's title."""
    day: int
    forecast: DocumentForecast


def board_on_day(session: Session, wanted: BoardOptions, before: BoardOnDay | None) -> BoardOnDay:
    """Computes what ``wanted`` asks for, on the board of ``before`` if there is one."""
    board = before.board if before is not None else session.ageing.board()
    forecast = session.ageing.forecast(wanted.day, board)
    sorted_columns = columns(forecast, wanted.order, wanted.only, wanted.in_span)
    _ = forecast.any_change
    return BoardOnDay(
        wanted,
        forecast,
        {level: column.tolist() for level, column in zip(LEVELS, sorted_columns, strict=True)},
        before.calendar if before is not None else calendar(board),
        before.names if before is not None else [f"{n.title}\n{n.path}".lower() for n in board.snapshot.notes],
    )


def ageing_of(session: Session, on_day: BoardOnDay, path: str, times: int) -> Ageing | None:
    """Returns how the note at ``path`` ages, now and after ``times`` hits or updates; None if not on the board."""
    position = on_day.position(path)
    if position is None or path not in session.snapshot.by_path:
        return None
    then = on_day.forecast.then
    return Ageing(
        on_day.wanted,
        on_day.board.row(position),
        float(then.importance[position]),
        float(then.recency[position]),
        float(then.ceiling[position]),
        on_day.forecast.coming(position),
        session.ageing.curve(path, board=on_day.board),
        tuple(on_day.board.rules.gates.values()),
        session.ageing.after_hits(path, times, on_day.board),
        session.ageing.after_updates(path, times, on_day.board),
        on_day.board.rules.signals.archive_below if ARCHIVE in on_day.board.events else None,
    )


def forecast_in(session: Session, engine: str, path: str, day: int) -> EngineForecast | None:
    """Returns how the note at ``path`` ages in ``engine``; None where that says nothing of it."""
    made = session.ageing.in_engine(engine, path, day)
    return EngineForecast(path, session.engines.named(engine).title, day, made) if made is not None else None
