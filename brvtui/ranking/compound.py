"""The compound score, for many notes at once and part by part (``docs/engine.md``, "The score")."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.constants import ScoreRules
from brvtui.trace import Part

Floats = NDArray[np.float64]


def compound(
    relevance: Floats | float,
    importance: Floats | float,
    recency: Floats | float,
    boost: Floats | float,
    score: ScoreRules,
) -> Floats:
    """``(w_r relevance + w_i min(importance, scale) / scale + w_c recency) * boost``, without bonus or cap.

    Relevance and recency are in 0..1, importance in 0..100 (after decay).
    """
    scaled = np.minimum(importance, score.importance_scale) / score.importance_scale
    return np.asarray(
        (score.relevance * np.asarray(relevance) + score.importance * scaled + score.recency * np.asarray(recency))
        * np.asarray(boost),
        dtype=np.float64,
    )


def compound_one(relevance: float, importance: float, recency: float, boost: float, score: ScoreRules) -> float:
    """:func:`compound` for one note, on plain floats."""
    scaled = min(importance, score.importance_scale) / score.importance_scale
    return (score.relevance * relevance + score.importance * scaled + score.recency * recency) * boost


def with_bonus(value: Floats, bonus: Floats | float, score: ScoreRules) -> Floats:
    """``value`` plus the local bonus, capped."""
    return np.asarray(np.minimum(value + bonus, score.cap), dtype=np.float64)


def round_half_up(value: float, decimals: int) -> float:
    """``value`` rounded half up, as JavaScript's ``Math.round`` does, in IEEE doubles."""
    scale = 10.0**decimals
    return math.floor(value * scale + 0.5) / scale


def score_parts(
    relevance: float, importance: float, recency: float, maturity: str, local: bool, score: ScoreRules, rounded: bool
) -> tuple[float, tuple[Part, ...]]:
    """The score of one match and the parts that sum to it.

    Relevance, importance, recency, the maturity adjustment, the local bonus, the cap and, when ``rounded``, the
    rounding.
    """
    scaled = min(importance, score.importance_scale) / score.importance_scale
    boost = score.boost[maturity]
    base = score.relevance * relevance + score.importance * scaled + score.recency * recency
    adjusted = base * boost
    bonus = score.local_bonus if local else 0.0
    capped = min(adjusted + bonus, score.cap)
    final = round_half_up(capped, score.decimals) if rounded else capped
    parts = [
        Part("relevance", score.relevance * relevance, relevance, score.relevance),
        Part("importance", score.importance * scaled, importance, score.importance),
        Part("recency", score.recency * recency, recency, score.recency),
        Part("maturity", adjusted - base, base, boost, maturity),
        Part("local bonus", bonus, None, None, "" if local else "shared source: none"),
        Part("cap", capped - (adjusted + bonus), adjusted + bonus, score.cap),
    ]
    if rounded:
        parts.append(Part("rounding", final - capped, capped, None, f"half up, {score.decimals} decimals"))
    return final, tuple(parts)
