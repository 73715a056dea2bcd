"""The retry ladder and its rungs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from brvtui.trace.checks import State
from brvtui.trace.hits import Hit, Listed


@dataclass(frozen=True)
class Rung:
    """One step of the retry ladder: what it searched for, how it ended, and how many notes it found."""

    number: int
    strategy: str
    query: str
    """The rewritten text; empty for a step that has none."""
    state: State
    hits: int
    why: str
    listed: tuple[Listed, ...] = ()
    """The best of what it found, at most :data:`MOST_LISTED`."""
    unit: str = ""
    """The unit of the scores in :attr:`listed`: ``score``, ``BM25``, ``likeness of names``; empty without results."""
    timed_by: str = ""
    """The key of its milliseconds in ``timings``; empty when it did not search."""

    @property
    def ran(self) -> bool:
        """Whether the step searched and was answered."""
        return self.state in (State.HIT, State.MISSED)


@dataclass(frozen=True)
class Ladder:
    """The retry ladder's place in a trace."""

    SECTION: ClassVar = "ladder"

    state: State
    why: str
    rungs: tuple[Rung, ...] = ()
    """Every step in its order, those that did not run too; empty when the ladder was not looked at."""
    found: tuple[str, ...] = ()
    """The paths that the ladder found, best first."""
    hits: tuple[Hit, ...] = ()
    """Its hits, best first; empty unless the ladder answered."""
    in_route: bool = False
    """Whether the route uses what it finds; advice beside the route otherwise."""

    @property
    def strategy(self) -> str:
        """The step that found something; empty when none did."""
        return next((rung.strategy for rung in self.rungs if rung.state is State.HIT and rung.number), "")
