"""Scores of notes at an age, the attainable ceiling, and the age from which it stays below a threshold.

See ``docs/reference/byterover.md``, "The best possible score". The ceiling is the best possible score of a note: its
score for a perfect text match. All of these use the compound score of signals after decay, over arrays; a single note
is an array of one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.compound import Compound, compound
from brvtui.ranking.constants import CompoundRules
from brvtui.ranking.decay import DecayRules, Floats, decayed_importance, decayed_recency
from brvtui.ranking.maturity import LEVELS, Levels

HORIZON_DAYS = 3_650.0
PRECISION_DAYS = HORIZON_DAYS / (1 << 22)
"""The resolution of ages: 75 seconds."""
_LIFETIME_LOG2 = 25
"""The oldest age that is examined is the precision times 2 to this power: 80 years."""
_AT_ONCE = 1_024
"""Up to this many ceilings are computed in the same time as a few."""


class ScoreConstants(Protocol):
    """The constants that affect a score; a profile has them."""

    @property
    def score(self) -> CompoundRules:
        """Weights, bonus and cap."""

    @property
    def decay(self) -> DecayRules:
        """The rules by which signals age."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreInputs:
    """The inputs of the scores of notes, except text relevance and age, as arrays by note."""

    importance: Floats
    """The stored value, 0..100."""
    recency: Floats
    """The stored value, 0..1."""
    boost: Floats
    """The factor by maturity."""
    bonus: Floats
    """0 for notes of shared sources."""

    def at(self, positions: NDArray[np.int64]) -> ScoreInputs:
        """The inputs of the notes at ``positions``."""
        return ScoreInputs(
            self.importance[positions], self.recency[positions], self.boost[positions], self.bonus[positions]
        )


def score_inputs(
    importance: Floats, recency: Floats, levels: Levels, is_local: NDArray[np.bool_], rules: CompoundRules
) -> ScoreInputs:
    """The inputs of notes with these stored signals. ``levels`` are positions in
    :data:`brvtui.ranking.maturity.LEVELS`."""
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


def falling_ages(thresholds: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Floats:
    """The age in days from which the ceiling of each note stays below its threshold: the inverse of :func:`ceilings`.

    It is a multiple of :data:`PRECISION_DAYS`, at least one; infinite if the ceiling does not fall that far in a
    lifetime. At exactly 0 days, the stored recency counts instead, so the age is never 0.
    """
    thresholds, notes = thresholds[:, None], notes.at(np.arange(len(thresholds))[:, None])
    # A ceiling only falls, so it is enough to count the ages at which it has not fallen below the threshold: bit by bit
    # of that count, and several bits per round if there are few notes, because then calls cost more than numbers.
    rounds = math.ceil(_LIFETIME_LOG2 / max(1.0, math.log2(_AT_ONCE / max(1, len(thresholds)))))
    reached = np.zeros(thresholds.shape)
    left = _LIFETIME_LOG2
    for rounds_left in range(rounds, 0, -1):
        bits = math.ceil(left / rounds_left)
        left -= bits
        stride = PRECISION_DAYS * (1 << left)
        ages = reached + np.arange(1, 1 << bits) * stride
        reached += np.count_nonzero(ceilings(ages, notes, constants) >= thresholds, axis=1, keepdims=True) * stride
    ages = reached[:, 0] + PRECISION_DAYS
    return np.where(ages < PRECISION_DAYS * (1 << _LIFETIME_LOG2), ages, np.inf)


def days_left(ceiling: Floats, thresholds: Floats, since: Floats, falling: Floats) -> Floats:
    """Days until the ceilings of notes, now ``ceiling``, fall below ``thresholds``, which happens at the ages
    ``falling``.

    0 if they are below already; infinite if they are not after :data:`HORIZON_DAYS`. ``since`` are the days since
    modification. They are negative for notes from the future, which do not age before their time.
    """
    left = falling - since
    return np.where(ceiling < thresholds, 0.0, np.where(left <= HORIZON_DAYS, left, np.inf))


def days_until_below(
    thresholds: Sequence[float], since: Floats, notes: ScoreInputs, constants: ScoreConstants
) -> Floats:
    """:func:`days_left` of each note for each threshold, of shape (thresholds, notes)."""
    limits = np.asarray(thresholds)[:, None]
    now = ceilings(np.maximum(0.0, since), notes, constants)
    falling = np.full((len(limits), len(since)), np.inf)
    threshold, note = np.nonzero(now >= limits)
    falling[threshold, note] = falling_ages(limits[threshold, 0], notes.at(note), constants)
    return days_left(now, limits, since, falling)
