"""Maturity with hysteresis, and the effects of events on signals (``docs/reference/byterover.md``, "Maturity").

All functions work on arrays; a single note is an array of length 1. A maturity is a position in :data:`LEVELS`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.constants import SignalRules

Floats = NDArray[np.float64]
Levels = NDArray[np.int8]

LEVELS = ("draft", "validated", "core")
_DRAFT, _VALIDATED, _CORE = range(len(LEVELS))
_WHOLE_HITS = 1e-9
"""The rounding error to ignore when a number of hits is rounded up to a whole number."""


def levels_of(maturities: Iterable[str]) -> Levels:
    """The positions of ``maturities`` in :data:`LEVELS`."""
    return np.asarray([LEVELS.index(maturity) for maturity in maturities], dtype=np.int8)


def next_levels(importance: Floats, levels: Levels, signals: SignalRules) -> Levels:
    """The maturity of each note after an event that set its importance to ``importance``; often unchanged."""
    moved = np.where((levels == _VALIDATED) & (importance < signals.validated_until), _DRAFT, levels)
    moved = np.where((levels == _CORE) & (importance < signals.core_until), _VALIDATED, moved)
    moved = np.where((levels == _DRAFT) & (importance >= signals.validated_from), _VALIDATED, moved)
    may_be_core = (importance >= signals.core_from) & ((levels != _DRAFT) | signals.skip_validated)
    return np.where(may_be_core, _CORE, moved).astype(np.int8)


def after_access(importance: Floats, levels: Levels, signals: SignalRules) -> tuple[Floats, Levels]:
    """Importance (0..``max_importance``) and maturity after one access hit."""
    return _raised(importance, levels, signals.access_gain, signals)


def after_update(importance: Floats, levels: Levels, signals: SignalRules) -> tuple[Floats, Levels]:
    """Importance (0..``max_importance``) and maturity after one curate update, which also sets recency to 1."""
    return _raised(importance, levels, signals.update_gain, signals)


def _raised(importance: Floats, levels: Levels, gain: float, signals: SignalRules) -> tuple[Floats, Levels]:
    raised = np.minimum(signals.max_importance, importance + gain)
    return raised, next_levels(raised, levels, signals)


def promoted_from(signals: SignalRules) -> tuple[float, float, float]:
    """For each of :data:`LEVELS`, the minimum importance for an event to promote a note; infinite for core."""
    draft = min(signals.validated_from, signals.core_from) if signals.skip_validated else signals.validated_from
    return draft, signals.core_from, math.inf


def demoted_below(signals: SignalRules) -> tuple[float, float, float]:
    """For each of :data:`LEVELS`, the importance below which an event demotes a note; minus infinity for drafts."""
    return -math.inf, signals.validated_until, signals.core_until


def hits_until_promotion(importance: Floats, levels: Levels, signals: SignalRules) -> Floats:
    """The number of access hits (at least 1) until each note is promoted; infinite if it is never promoted."""
    needed = np.asarray(promoted_from(signals))[levels]
    missing = np.maximum(0.0, needed - importance)
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = np.ceil(missing / signals.access_gain - _WHOLE_HITS)
    return np.where(needed > signals.max_importance, np.inf, np.fmax(1.0, hits))
