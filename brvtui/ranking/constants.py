"""Parameters of the formulas of signals and scores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DecayRules:
    """How signals age, per day."""

    importance_base: float
    recency_days: float


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """The compound score of one match."""

    relevance: float
    importance: float
    recency: float
    importance_scale: float
    boost: dict[str, float]
    local_bonus: float
    cap: float
    decimals: int


@dataclass(frozen=True, slots=True)
class SignalRules:
    """Default signals, what events add, and where maturity changes."""

    importance: float
    recency: float
    maturity: str
    access_count: int
    update_count: int
    access_gain: float
    update_gain: float
    max_importance: float
    validated_from: float
    validated_until: float
    core_from: float
    core_until: float
    archive_below: float
