"""What differs between two answers to one query: plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.lab.answer_diff.states import CauseKind
from brvtui.paint.text import signed
from brvtui.trace import Trace

SAME = 1e-9
"""A smaller change of a score is none."""
_SEEN = 0.00005


@dataclass(frozen=True, slots=True)
class PartChange:
    """How much one part of a score changed."""

    name: str
    change: float


@dataclass(frozen=True, slots=True)
class Cause:
    """What one replacement does to the score of a note: the scores before and after it were asked for."""

    kind: CauseKind
    change: float
    score: float | None
    """The score afterwards; None where no word of the query matches it, or there is no such note."""
    rank: int | None
    """The rank afterwards, from 1; None where it is no result."""
    parts: tuple[PartChange, ...]
    """The parts of the score that changed, the largest change first."""
    through: tuple[PartChange, ...] = ()
    """Of other notes' texts: how much the sum over the query's terms changed by ``idf``, by ``length`` (that of the
    average note) and by ``matches`` (terms that match now or did then); empty of engines without such sums."""
    reason: str = ""
    """Why it is no result afterwards, where this replacement took it out."""


@dataclass(frozen=True, slots=True)
class NoteDiff:
    """One note in both answers. The causes sum to the change of its score; a score that is missing counts as 0."""

    path: str
    title: str
    rank_then: int | None
    rank_now: int | None
    score_then: float | None
    score_now: float | None
    causes: tuple[Cause, ...]
    reason: str = ""
    """Why it is no result now; empty where it is one."""
    reason_then: str = ""
    """Why it was no result then; empty where it was one."""

    @property
    def change(self) -> float:
        """The change of its score."""
        return (self.score_now or 0.0) - (self.score_then or 0.0)

    @property
    def summary(self) -> str:
        """The scores, and the causes that are seen in four decimals: ``0.9000 → 0.5898: its own text −0.3100, …``."""
        then, now = ("–" if score is None else f"{score:.4f}" for score in (self.score_then, self.score_now))
        said = [f"{cause.kind} {signed(cause.change, 4)}" for cause in self.causes if abs(cause.change) >= _SEEN]
        return f"{then} → {now}" + (f": {', '.join(said)}" if said else "")


@dataclass(frozen=True, slots=True)
class OutcomeStep:
    """The outcome of the query once a replacement is made for all notes."""

    what: str
    outcome: str


@dataclass(frozen=True)
class AnswerDiff:
    """Two answers to one query."""

    query: str
    scope: str
    engine: str
    then_name: str
    now_name: str
    outcome_then: str
    outcome_now: str
    outcomes: tuple[OutcomeStep, ...]
    """The outcome after each replacement; the texts of all notes are replaced together."""
    notes: tuple[NoteDiff, ...]
    """Those whose rank or score changed, in their order now, then those that are gone."""
    left_out: int
    """How many more there are."""
    then: Trace
    now: Trace

    @property
    def differs(self) -> bool:
        """Whether the outcome or the rank of a note changed; a score alone changes with every second."""
        return self.outcome_then != self.outcome_now or any(note.rank_then != note.rank_now for note in self.notes)
