"""The ageing of signals, and the age at which they reach a value (``docs/reference/byterover.md``, "Decay")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from brvtui.typed_tables import Positive, Range

Floats = NDArray[np.float64]

MS_PER_DAY = 86_400_000.0


@dataclass(frozen=True, slots=True)
class DecayRules:
    """The rules by which signals age, per day."""

    importance_base: Annotated[float, Range(0, 1, is_open=True)]
    recency_days: Positive
    stored_recency: bool
    """True if the stored recency counts at exactly 0 days [3.14]; if not, 1 does [doc]."""


def just_before_ms(now_ms: float) -> int:
    """The whole millisecond before ``now_ms``: the modification time of a file that is saved now.

    Engines count whole milliseconds, and the stored recency counts only at exactly 0 days, which has passed before
    anyone queries. So it is not ``now_ms`` itself.
    """
    return math.floor(now_ms) - 1


def days_since(now_ms: Floats | float, moment_ms: Floats | float) -> Floats:
    """Days from a moment to now, fractional; negative if it is in the future."""
    return np.asarray((now_ms - np.asarray(moment_ms, dtype=np.float64)) / MS_PER_DAY)


def age_days(now_ms: Floats | float, mtime_ms: Floats | float) -> Floats:
    """Days from modification to now, fractional, never negative."""
    return np.maximum(0.0, days_since(now_ms, mtime_ms))


def decayed_importance(importance: Floats | float, days: Floats | float, decay: DecayRules) -> Floats:
    """Importance after ``days`` of rest: ``importance * base ** days``; unchanged at 0 days."""
    return np.asarray(importance, dtype=np.float64) * np.power(decay.importance_base, days)


def decayed_recency(recency: Floats | float, days: Floats | float, decay: DecayRules) -> Floats:
    """Recency after ``days``: ``exp(-days / tau)``; the stored value at 0 days, if the rules say so."""
    days = np.asarray(days, dtype=np.float64)
    return np.where((days > 0) | (not decay.stored_recency), np.exp(-days / decay.recency_days), recency)


def days_until_importance(threshold: Floats | float, importance: Floats, decay: DecayRules) -> Floats:
    """The age in days at which stored ``importance`` has decayed to ``threshold``: the inverse of
    :func:`decayed_importance`.

    Not positive if the importance is at or below its threshold from the start; infinite if decay never reaches it: a
    threshold of 0 or less, importance 0, or a base of 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        days = np.log(np.maximum(threshold, 0.0) / importance) / np.log(decay.importance_base)
    return np.where((np.asarray(threshold) > 0) & np.isfinite(days), days, np.inf)
