"""Signal decay, and the age when importance has decayed to a value (``docs/reference/byterover.md``, "Decay")."""

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
    """The parameters of signal decay per day."""

    importance_base: Annotated[float, Range(0, 1, is_open=True)]
    recency_days: Positive
    stored_recency: bool
    """True if a note aged exactly 0 days has its stored recency [3.14]; false if its recency is then 1 [doc]."""


def just_before_ms(now_ms: float) -> int:
    """The whole millisecond before ``now_ms``, used as the modification time of a file that is saved now.

    With ``now_ms`` itself, the age would be exactly 0 days and the stored recency would be used. A real query always
    comes later than the save.
    """
    return math.floor(now_ms) - 1


def days_since(now_ms: Floats | float, moment_ms: Floats | float) -> Floats:
    """The days from ``moment_ms`` to ``now_ms``, with fractions; negative if the moment is in the future."""
    return np.asarray((now_ms - np.asarray(moment_ms, dtype=np.float64)) / MS_PER_DAY)


def age_days(now_ms: Floats | float, mtime_ms: Floats | float) -> Floats:
    """The days since the modification, with fractions; 0 if the modification is in the future."""
    return np.maximum(0.0, days_since(now_ms, mtime_ms))


def decayed_importance(importance: Floats | float, days: Floats | float, decay: DecayRules) -> Floats:
    """Importance after ``days`` without an event: ``importance * base ** days``."""
    return np.asarray(importance, dtype=np.float64) * np.power(decay.importance_base, days)


def decayed_recency(recency: Floats | float, days: Floats | float, decay: DecayRules) -> Floats:
    """Recency after ``days``: ``exp(-days / recency_days)``. At exactly 0 days, it is the stored value if the rules say
    so.
    """
    days = np.asarray(days, dtype=np.float64)
    return np.where((days > 0) | (not decay.stored_recency), np.exp(-days / decay.recency_days), recency)


def days_until_importance(threshold: Floats | float, importance: Floats, decay: DecayRules) -> Floats:
    """The age in days when stored ``importance`` has decayed to ``threshold``: the inverse of
    :func:`decayed_importance`.

    The age is zero or negative if the importance starts at or below ``threshold``. It is infinite if the importance
    never decays that far, because the threshold is 0 or less, the importance is 0 or the base is 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        days = np.log(np.maximum(threshold, 0.0) / importance) / np.log(decay.importance_base)
    return np.where((np.asarray(threshold) > 0) & np.isfinite(days), days, np.inf)
