"""Scores of notes at an age, the attainable ceiling, and the age from which it stays below a threshold.

The ceiling is a note's score if its text match were perfect (``docs/engine.md``, "The ceiling"). All are the one
compound score of signals after decay, over arrays; a single note is an array of one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.compound import Compound, compound
from brvtui.ranking.constants import DecayRules, ScoreRules
from brvtui.ranking.decay import decayed_importance, decayed_recency
from brvtui.ranking.maturity import LEVELS, Levels

Floats = NDArray[np.float64]

HORIZON_DAYS = 3_650.0
_STEPS_LOG2 = 22
PRECISION_DAYS = HORIZON_DAYS / (1 << _STEPS_LOG2)
"""How finely days are told apart: by 75 seconds."""
_AT_ONCE = 1_024
"""So many ceilings are computed as fast as a few."""


class ScoreConstants(Protocol):
    """The constants that a score depends on; a profile has them."""

    @property
    def score(self) -> ScoreRules:
        """Weights, bonus and cap."""

    @property
    def decay(self) -> DecayRules:
        """How signals age."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreInputs:
    """What the scores of notes depend on besides text and age, as arrays by note."""

    importance: Floats
    """0..100, as stored."""
    recency: Floats
    """0..1, as stored."""
    boost: Floats
    """By maturity."""
    bonus: Floats
    """0 for notes of shared sources."""

    def at(self, positions: NDArray[np.int64]) -> ScoreInputs:
        """The inputs of the notes at ``positions``."""
        return ScoreInputs(
            self.importance[positions], self.recency[positions], self.boost[positions], self.bonus[positions]
        )


def score_inputs(
    importance: Floats, recency: Floats, levels: Levels, is_local: NDArray[np.bool_], rules: ScoreRules
) -> ScoreInputs:
    """The inputs of notes with these stored signals; ``levels`` are positions in
    :data:`brvtui.ranking.maturity.LEVELS`.
    """
    boosts = np.asarray([rules.boost[level] for level in LEVELS])
    return ScoreInputs(importance, recency, boosts[levels], np.where(is_local, rules.local_bonus, 0.0))


def scores(relevance: Floats | float, days: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Compound:
    """The scores of text matches of ``relevance`` (0..1), ``days`` (0 or more) after each note's modification."""
    importance, recency = decayed(days, notes, constants)
    return compound(relevance, importance, recency, notes.boost, notes.bonus, constants.score)


def decayed(days: Floats, notes: ScoreInputs, constants: ScoreConstants) -> tuple[Floats, Floats]:
    """Importance and recency of each note ``days`` after its modification."""
    return (
        decayed_importance(notes.importance, days, constants.decay),
        decayed_recency(notes.recency, days, constants.decay),
    )


def ceilings(days: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Floats:
    """The highest score, unrounded, that any query can give each note ``days`` after its modification."""
    return scores(1.0, days, notes, constants).score


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """The ceilings of notes now, and when they fall."""

    ceiling: Floats
    days_left: Floats
    """Days until the ceiling falls below each threshold, of shape (thresholds, notes): 0 where it is below already,
    infinite where it still is not after :data:`HORIZON_DAYS`, else to the next multiple of :data:`PRECISION_DAYS`.
    """


def outlook(thresholds: Sequence[float], days: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Outlook:
    """How the ceilings of notes that are ``days`` old stand to ``thresholds``.

    ``days`` below 0 are of notes from the future, which do not age before their time.
    """
    limits = np.asarray(thresholds)[:, None]
    now, at_last = ceilings(np.maximum(0.0, days + np.asarray([[0.0], [HORIZON_DAYS]])), notes, constants)
    is_below = now < limits
    left = np.where(is_below, 0.0, np.inf)
    threshold, note = np.nonzero((at_last < limits) & ~is_below)
    if len(note):
        left[threshold, note] = _days_to_fall(limits[threshold], days, note, notes, constants)
    return Outlook(now, left)


def _days_to_fall(
    limits: Floats, days: Floats, positions: NDArray[np.int64], notes: ScoreInputs, constants: ScoreConstants
) -> Floats:
    """Days until the ceiling of each note at ``positions`` falls below its limit, which it does within the horizon.

    A ceiling only falls, so it is enough to count the steps at which it has not yet: bit by bit of that number, several
    bits in a round where notes are few, since calls then cost more than numbers do.
    """
    days, notes = days[positions, None], notes.at(positions[:, None])
    rounds = math.ceil(_STEPS_LOG2 / max(1.0, math.log2(_AT_ONCE / len(positions))))
    passed = np.zeros((len(positions), 1))
    left = _STEPS_LOG2
    for rounds_left in range(rounds, 0, -1):
        bits = math.ceil(left / rounds_left)
        left -= bits
        stride = PRECISION_DAYS * (1 << left)
        moments = np.maximum(0.0, days + (passed + np.arange(1, 1 << bits) * stride))
        passed += np.count_nonzero(ceilings(moments, notes, constants) >= limits, axis=1, keepdims=True) * stride
    return passed[:, 0] + PRECISION_DAYS
