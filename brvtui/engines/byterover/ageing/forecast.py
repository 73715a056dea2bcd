"""What changes between today and a day to come, if nobody touches a note (``docs/engine.md``, "What ageing brings")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover.ageing.board import Board, BoardState, Bools, Event

LAST_DAY = 365


@dataclass(frozen=True, slots=True)
class Coming:
    """An event that a note has ahead of it, or behind."""

    event: Event
    days: float
    """From today: 0 when it came already."""
    by_then: bool
    """Whether it comes between today and the day of the forecast."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """``board`` as it will be ``day`` days from now, and what that changes."""

    board: Board
    day: float

    @cached_property
    def then(self) -> BoardState:
        """Every note on that day."""
        return self.board.after(self.day)

    @cached_property
    def changed(self) -> Mapping[Event, Bools]:
        """For each event, which notes it comes to after today and by that day."""
        today = self.board.today.has_come
        return {event: come & ~today[event] for event, come in self.then.has_come.items()}

    @cached_property
    def any_change(self) -> Bools:
        """Which notes any event comes to by that day."""
        return np.asarray(np.logical_or.reduce(list(self.changed.values())), dtype=np.bool_)

    def coming(self, position: int) -> tuple[Coming, ...]:
        """The events of the note at ``position`` that have come or ever will, soonest first."""
        found = [
            Coming(event, float(days[position]), bool(self.changed[event][position]))
            for event, days in self.board.days_until.items()
            if np.isfinite(days[position])
        ]
        return tuple(sorted(found, key=lambda item: item.days))


def calendar(board: Board, last_day: int = LAST_DAY) -> Mapping[Event, NDArray[np.int64]]:
    """For each event, to how many notes it comes on each day from 1 to ``last_day`` (first place: today, always 0)."""
    found = {}
    for event, days in board.days_until.items():
        ahead = days[(days > 0) & (days <= last_day)]
        found[event] = np.bincount(np.ceil(ahead).astype(np.int64), minlength=last_day + 1)
    return found
