"""Counterfactuals: the smallest verified changes that bring a query to tier 2.

``docs/engine.md``, "What it would take".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from brvtui.engines.byterover.sections import Outcome

if TYPE_CHECKING:
    from brvtui.engines.byterover.counterfactuals.changes import (
        Change,  # which imports what the app loads after its first paint only
    )


class Lever(StrEnum):
    """A kind of change, in the order in which they are shown."""

    HITS = "more hits"
    AGE = "edited lately"
    MATURITY = "a higher maturity"
    IMPORTANCE = "more importance"
    RUNNER_UP = "the next result lower"
    TITLE = "words in its title"
    WORDING = "another wording"
    PATH = "asked by its path"


class LeverStatus(StrEnum):
    """The status of a lever."""

    VERIFIED = "verified"
    """The router was run again with the change, and answered at tier 2 with the note first."""
    IMPOSSIBLE = "impossible"
    """Proven: no change of this kind does it."""
    OPEN = "not found"
    """None of the changes that were tried suffices; nothing is proven about others."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The result for one lever: the smallest change that suffices, or why there is none."""

    lever: Lever
    standing: LeverStatus
    text: str
    """One line; of a change that does it, the change in words."""
    change: Change | None = None
    amount: float | None = None
    """Of a change that is a number: hits, days, importance (the runner-up's, too), words."""
    score: float | None = None
    """The note's score after the change; of what is impossible the highest that the lever can give, where known."""
    verdict: str = ""
    """The router's verdict after the change."""

    @property
    def is_verified(self) -> bool:
        """Whether the change was seen to do it."""
        return self.standing is LeverStatus.VERIFIED


@dataclass(frozen=True, slots=True)
class Counterfactuals:
    """The smallest changes after which ``query`` is answered at tier 2 with one note first."""

    query: str
    outcome: Outcome
    """The outcome without a change."""
    path: str
    """The note's file; empty when no note came near."""
    title: str
    score: float | None
    """The note's score today; None when no word of the query matches it."""
    ceiling: float | None
    """The score that no wording can exceed today."""
    needed: float
    """The score that a direct answer needs."""
    ways: tuple[Counterfactual, ...]
    """One for each lever, in their order."""

    @property
    def reaches(self) -> bool:
        """Whether the note's score is high enough; what is missing then is its distance to the next."""
        return self.score is not None and self.score >= self.needed

    @property
    def verified(self) -> tuple[Counterfactual, ...]:
        """The changes that do it."""
        return tuple(way for way in self.ways if way.is_verified)
