"""Scores and ceilings of notes at a given age, and the age after which a ceiling stays below a threshold.

See ``docs/reference/byterover.md``, "The best possible score". A note's ceiling is its best possible score: the score
of a perfect text match. All functions compute the compound score after decay, over arrays; a single note is an array of
length 1.
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
"""The resolution of ages: about 75 seconds."""
_LIFETIME_LOG2 = 25
"""The base-2 logarithm of the highest age that is examined (80 years), in units of :data:`PRECISION_DAYS`."""
_AT_ONCE = 1_024
"""Computing up to this many ceilings at once takes about as long as computing a few."""


class ScoreConstants(Protocol):
    """The constants that affect a score. Profiles have these attributes."""

    @property
    def score(self) -> CompoundRules:
        """The weights, the bonus and the cap."""

    @property
    def decay(self) -> DecayRules:
        """The rules of signal decay."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreInputs:
    """The inputs of the notes' scores, except text relevance and age, as arrays with one value per note."""

    importance: Floats
    """The stored value, 0..100."""
    recency: Floats
    """The stored value, 0..1."""
    boost: Floats
    """The maturity factor."""
    bonus: Floats
    """The local bonus; 0 for notes from shared sources."""

    def at(self, positions: NDArray[np.int64]) -> ScoreInputs:
        """The inputs of the notes at ``positions``."""
        return ScoreInputs(
            self.importance[positions], self.recency[positions], self.boost[positions], self.bonus[positions]
        )


def score_inputs(
    importance: Floats, recency: Floats, levels: Levels, is_local: NDArray[np.bool_], rules: CompoundRules
) -> ScoreInputs:
    """The score inputs for stored signals. ``levels`` are positions in :data:`brvtui.ranking.maturity.LEVELS`."""
    boosts = np.asarray([rules.boost[level] for level in LEVELS])
    return ScoreInputs(importance, recency, boosts[levels], np.where(is_local, rules.local_bonus, 0.0))


def scores(relevance: Floats | float, days: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Compound:
    """The score of each note for a text match of ``relevance`` (0..1), ``days`` (at least 0) after its modification."""
    importance, recency = decayed(days, notes, constants)
    return compound(relevance, importance, recency, notes.boost, notes.bonus, constants.score)


def decayed(days: Floats, notes: ScoreInputs, constants: ScoreConstants) -> tuple[Floats, Floats]:
    """The importance (0..100) and recency (0..1) of each note ``days`` after its modification."""
    return (
        decayed_importance(notes.importance, days, constants.decay),
        decayed_recency(notes.recency, days, constants.decay),
    )


def ceilings(days: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Floats:
    """The highest unrounded score that each note can get from any query ``days`` after its modification."""
    return scores(1.0, days, notes, constants).score


def falling_ages(thresholds: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Floats:
    """The age in days when each note's ceiling falls below its threshold for good: the inverse of :func:`ceilings`.

    Each age is a positive multiple of :data:`PRECISION_DAYS`, or infinite if the ceiling does not fall that far within
    80 years. It is never 0, because at exactly 0 days the score uses the stored recency instead of the decayed one.
    """
    thresholds, notes = thresholds[:, None], notes.at(np.arange(len(thresholds))[:, None])
    # A ceiling never rises with age, so this counts the ages when it is not yet below the threshold. The bits of
    # the count are found from the highest to the lowest. With few notes, one round finds several bits, because then the
    # number of calls costs more than the amount of data.
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
    """The number of days until each note's ceiling falls below its threshold. ``ceiling`` is the current ceiling, and
    ``falling`` the age in days when it falls below.

    The result is 0 if the ceiling is already below the threshold, and infinite if that takes longer than
    :data:`HORIZON_DAYS`. ``since`` is each note's age in days, negative if its modification time is in the future.
    """
    left = falling - since
    return np.where(ceiling < thresholds, 0.0, np.where(left <= HORIZON_DAYS, left, np.inf))


def days_until_below(
    thresholds: Sequence[float], since: Floats, notes: ScoreInputs, constants: ScoreConstants
) -> Floats:
    """The days until each note's ceiling falls below each threshold (see :func:`days_left`), with shape (thresholds,
    notes).
    """
    limits = np.asarray(thresholds)[:, None]
    now = ceilings(np.maximum(0.0, since), notes, constants)
    falling = np.full((len(limits), len(since)), np.inf)
    threshold, note = np.nonzero(now >= limits)
    falling[threshold, note] = falling_ages(limits[threshold, 0], notes.at(note), constants)
    return days_left(now, limits, since, falling)
