"""How signals age (``docs/engine.md``, "Decay")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.constants import DecayRules

MS_PER_DAY = 86_400_000.0


def age_days(now_ms: float, mtime_ms: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Days from modification to now, fractional, never negative."""
    return np.maximum(0.0, (now_ms - np.asarray(mtime_ms, dtype=np.float64)) / MS_PER_DAY)


def decayed_importance(
    importance: NDArray[np.float64] | float, days: NDArray[np.float64] | float, decay: DecayRules
) -> NDArray[np.float64]:
    """Importance after ``days`` of rest: ``importance * base ** days``; unchanged at 0 days."""
    return np.asarray(importance, dtype=np.float64) * np.power(decay.importance_base, days)


def decayed_recency(
    recency: NDArray[np.float64] | float, days: NDArray[np.float64] | float, decay: DecayRules
) -> NDArray[np.float64]:
    """Recency after ``days``: ``exp(-days / tau)``; the stored value only at 0 days."""
    days = np.asarray(days, dtype=np.float64)
    return np.where(days > 0, np.exp(-days / decay.recency_days), recency)
