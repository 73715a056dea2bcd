"""The attainable ceiling: a note's score if its text match were perfect, and how it falls with age.

``docs/engine.md``, "The ceiling".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.compound import compound, compound_one, with_bonus
from brvtui.ranking.constants import DecayRules, ScoreRules
from brvtui.ranking.decay import decayed_importance, decayed_recency


class ScoreConstants(Protocol):
    """The constants that a score depends on; a profile has them."""

    @property
    def score(self) -> ScoreRules:
        """Weights, bonus and cap."""

    @property
    def decay(self) -> DecayRules:
        """How signals age."""


Floats = NDArray[np.float64]

HORIZON_DAYS = 3_650.0
_PRECISION_DAYS = 1e-3


def score_at(
    relevance: float,
    days: float,
    importance: float,
    recency: float,
    maturity: str,
    local: bool,
    constants: ScoreConstants,
) -> float:
    """The score, unrounded, of a text match of ``relevance`` (0..1) ``days`` after the note's modification.

    ``importance`` (0..100) and ``recency`` (0..1) are the stored signals, before decay.
    """
    value = compound_one(
        relevance,
        importance * constants.decay.importance_base**days,
        math.exp(-days / constants.decay.recency_days) if days > 0 else recency,
        constants.score.boost[maturity],
        constants.score,
    )
    return min(value + (constants.score.local_bonus if local else 0.0), constants.score.cap)


def ceiling_at(
    days: float,
    importance: float,
    recency: float,
    maturity: str,
    local: bool,
    constants: ScoreConstants,
) -> float:
    """The highest score, unrounded, that any query can give a note ``days`` after its modification.

    The stored signals are those of :func:`score_at`.
    """
    return score_at(1.0, days, importance, recency, maturity, local, constants)


def seen_by_gates(threshold: float, decimals: int) -> float:
    """The least unrounded score that, rounded half up, reaches ``threshold``."""
    return threshold - 0.5 / 10.0**decimals


def days_until_below(threshold: float, ceiling: Callable[[float], float], from_day: float) -> float | None:
    """Days after ``from_day`` from which a falling ``ceiling`` stays below ``threshold``.

    0 when it already is; None when it still is not after :data:`HORIZON_DAYS`.
    """
    if ceiling(from_day) < threshold:
        return 0.0
    low, high = from_day, from_day + HORIZON_DAYS
    if ceiling(high) >= threshold:
        return None
    while high - low > _PRECISION_DAYS:
        middle = (low + high) / 2
        if ceiling(middle) < threshold:
            high = middle
        else:
            low = middle
    return high - from_day


def ceilings(
    days: Floats, importance: Floats, recency: Floats, boost: Floats, bonus: Floats, constants: ScoreConstants
) -> Floats:
    """:func:`ceiling_at` of many notes: stored signals, boosts by maturity and bonuses (0 for shared notes)."""
    value = compound(
        1.0,
        decayed_importance(importance, days, constants.decay),
        decayed_recency(recency, days, constants.decay),
        boost,
        constants.score,
    )
    return with_bonus(value, bonus, constants.score)


def days_until_all_below(threshold: float, ceiling: Callable[[Floats], Floats], from_days: Floats) -> Floats:
    """:func:`days_until_below` of many notes; infinite where a ceiling never falls so far."""
    low, high = from_days.copy(), from_days + HORIZON_DAYS
    never = ceiling(high) >= threshold
    already = ceiling(low) < threshold
    for _ in range(math.ceil(math.log2(HORIZON_DAYS / _PRECISION_DAYS))):
        middle = (low + high) / 2
        below = ceiling(middle) < threshold
        high = np.where(below, middle, high)
        low = np.where(below, low, middle)
    return np.where(already, 0.0, np.where(never, np.inf, high - from_days))
