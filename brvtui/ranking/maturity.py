"""Maturity with hysteresis, and what events do to signals (``docs/engine.md``, "Maturity")."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.constants import SignalRules

LEVELS = ("draft", "validated", "core")
_DRAFT, _VALIDATED, _CORE = range(len(LEVELS))


def next_maturity(importance: float, maturity: str, signals: SignalRules) -> str:
    """The maturity that a note of this importance and maturity moves to (often its own)."""
    if importance >= signals.core_from:
        return "core"
    if importance >= signals.validated_from and maturity == "draft":
        return "validated"
    if maturity == "core" and importance < signals.core_until:
        return "validated"
    if maturity == "validated" and importance < signals.validated_until:
        return "draft"
    return maturity


def after_access(importance: float, maturity: str, signals: SignalRules) -> tuple[float, str]:
    """Importance (0..max) and maturity after one access hit."""
    raised = min(signals.max_importance, importance + signals.access_gain)
    return raised, next_maturity(raised, maturity, signals)


def after_update(importance: float, maturity: str, signals: SignalRules) -> tuple[float, str]:
    """Importance (0..max) and maturity after one curate update, which sets recency to 1 besides."""
    raised = min(signals.max_importance, importance + signals.update_gain)
    return raised, next_maturity(raised, maturity, signals)


def next_levels(importance: NDArray[np.float64], levels: NDArray[np.int8], signals: SignalRules) -> NDArray[np.int8]:
    """:func:`next_maturity` of many notes; ``levels`` are positions in :data:`LEVELS`."""
    moved = np.where((levels == _VALIDATED) & (importance < signals.validated_until), _DRAFT, levels)
    moved = np.where((levels == _CORE) & (importance < signals.core_until), _VALIDATED, moved)
    moved = np.where((levels == _DRAFT) & (importance >= signals.validated_from), _VALIDATED, moved)
    return np.where(importance >= signals.core_from, _CORE, moved).astype(np.int8)


def promoted_from(signals: SignalRules) -> tuple[float, float, float]:
    """The importance from which an event promotes a note of each of :data:`LEVELS`; infinite for core."""
    return min(signals.validated_from, signals.core_from), signals.core_from, math.inf


def demoted_below(signals: SignalRules) -> tuple[float, float, float]:
    """The importance below which an event demotes a note of each of :data:`LEVELS`; minus infinity for a draft."""
    return -math.inf, signals.validated_until, signals.core_until
