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
from brvtui.ranking.maturity import LEVELS, CompoundRules, DecayRules, Levels

# How signals age, and when they have aged so far (``docs/engine.md``, "Decay").


MS_PER_DAY = 86_400_000.0


def just_before_ms(now_ms: float) -> int:
    """A whole millisecond before that of ``now_ms``: when a file was written that is saved now.

    Not that of ``now_ms`` itself, as engines count whole milliseconds: the stored recency counts at exactly 0 days
    alone, which is over before anybody looks.
    """
    return math.floor(now_ms) - 1


def days_since(now_ms: Floats | float, moment_ms: Floats | float) -> Floats:
    """Days from a moment to now, fractional; negative while it is still to come."""
    return np.asarray((now_ms - np.asarray(moment_ms, dtype=np.float64)) / MS_PER_DAY)


def age_days(now_ms: Floats | float, mtime_ms: Floats | float) -> Floats:
    """Days from modification to now, fractional, never negative."""
    return np.maximum(0.0, days_since(now_ms, mtime_ms))


def decayed_importance(importance: Floats | float, days: Floats | float, decay: DecayRules) -> Floats:
    """Importance after ``days`` of rest: ``importance * base ** days``; unchanged at 0 days."""
    return np.asarray(importance, dtype=np.float64) * np.power(decay.importance_base, days)


def decayed_recency(recency: Floats | float, days: Floats | float, decay: DecayRules) -> Floats:
    """Recency after ``days``: ``exp(-days / tau)``; the stored value at 0 days, where the rules say so."""
    days = np.asarray(days, dtype=np.float64)
    return np.where((days > 0) | (not decay.stored_recency), np.exp(-days / decay.recency_days), recency)


def days_until_importance(threshold: Floats | float, importance: Floats, decay: DecayRules) -> Floats:
    """The age in days at which stored ``importance`` has decayed to ``threshold``: the inverse of
    :func:`decayed_importance`.

    Not positive for importance that is no higher than its threshold from the start; infinite where decay never leads
    to it: a threshold of 0 or less, importance 0, a base of 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        days = np.log(np.maximum(threshold, 0.0) / importance) / np.log(decay.importance_base)
    return np.where((np.asarray(threshold) > 0) & np.isfinite(days), days, np.inf)


Floats = NDArray[np.float64]

HORIZON_DAYS = 3_650.0
PRECISION_DAYS = HORIZON_DAYS / (1 << 22)
"""The resolution of ages: 75 seconds."""
_LIFETIME_LOG2 = 25
"""The oldest age that is examined is 2 to this power times the precision: 80 years."""
_AT_ONCE = 1_024
"""Up to this many ceilings are computed as fast as a few."""


class ScoreConstants(Protocol):
    """The constants that a score depends on; a profile has them."""

    @property
    def score(self) -> CompoundRules:
        """Weights, bonus and cap."""

    @property
    def decay(self) -> DecayRules:
        """How signals age."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreInputs:
    """The inputs of the scores of notes, besides text relevance and age, as arrays by note."""

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
    importance: Floats, recency: Floats, levels: Levels, is_local: NDArray[np.bool_], rules: CompoundRules
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


def falling_ages(thresholds: Floats, notes: ScoreInputs, constants: ScoreConstants) -> Floats:
    """The age in days from which the ceiling of each note stays below its threshold: the inverse of :func:`ceilings`.

    It is a multiple of :data:`PRECISION_DAYS`, at least one; infinite where the ceiling does not fall so far in a
    lifetime. At exactly 0 days another recency counts, the stored one, so that age is nobody's.
    """
    thresholds, notes = thresholds[:, None], notes.at(np.arange(len(thresholds))[:, None])
    # A ceiling only falls, so it is enough to count the ages at which it has not yet: bit by bit of that number, and
    # several bits in a round where notes are few, since calls then cost more than numbers do.
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
    """Days until the ceilings of notes, now ``ceiling``, are below ``thresholds``, which they are from the ages
    ``falling`` on.

    0 where they are already; infinite where they still are not after :data:`HORIZON_DAYS`. ``since`` are the days since
    modification, negative for notes from the future, which do not age before their time.
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
