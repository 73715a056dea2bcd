"""The compound score for many matches at once, and its parts (``docs/reference/byterover.md``, "The score")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.constants import NOT_ROUNDED, CompoundRules
from brvtui.trace import Part

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Compound:
    """Scores of many matches, with their inputs and all intermediate results, as arrays."""

    relevance: Floats
    """Text relevance, 0..1."""
    importance: Floats
    """Importance after decay, 0..100."""
    recency: Floats
    """Recency after decay, 0..1."""
    boost: Floats
    """The maturity factor."""
    bonus: Floats
    """The local bonus; 0 for notes from shared sources."""
    by_relevance: Floats
    by_importance: Floats
    by_recency: Floats
    base: Floats
    """The sum of ``by_relevance``, ``by_importance`` and ``by_recency``."""
    boosted: Floats
    score: Floats
    """The unrounded score, with the bonus and the cap applied."""


def compound(
    relevance: Floats | float,
    importance: Floats | float,
    recency: Floats | float,
    boost: Floats | float,
    bonus: Floats | float,
    rules: CompoundRules,
) -> Compound:
    """The compound scores: ``min(cap, (w_r relevance + w_i min(importance, scale) / scale + w_c recency) * boost +
    bonus)``.
    """
    relevance, importance, recency = np.asarray(relevance), np.asarray(importance), np.asarray(recency)
    boost, bonus = np.asarray(boost), np.asarray(bonus)
    by_relevance = np.asarray(rules.relevance * relevance)
    by_importance = rules.importance * (np.minimum(importance, rules.importance_scale) / rules.importance_scale)
    by_recency = np.asarray(rules.recency * recency)
    base = by_relevance + by_importance + by_recency
    boosted = np.asarray(base * boost)
    score = with_bonus(boosted, bonus, rules)
    return Compound(
        relevance, importance, recency, boost, bonus, by_relevance, by_importance, by_recency, base, boosted, score
    )


def with_bonus(value: Floats | float, bonus: Floats | float, rules: CompoundRules) -> Floats:
    """``value`` plus the local bonus, capped."""
    return np.asarray(np.minimum(value + bonus, rules.cap), dtype=np.float64)


def round_half_up(value: float, decimals: int) -> float:
    """``value`` rounded half up, like JavaScript's ``Math.round``; unchanged if ``decimals`` is NOT_ROUNDED or
    ``value`` is too large.
    """
    scaled = value * 10.0**decimals + 0.5
    if decimals == NOT_ROUNDED or not math.isfinite(scaled):
        return value
    return math.floor(scaled) / 10.0**decimals


def unrounded_threshold(threshold: float, decimals: int) -> float:
    """The smallest score that rounds to at least ``threshold``: the exact inverse of :func:`round_half_up`."""
    if decimals == NOT_ROUNDED:
        return threshold
    scale = 10.0**decimals
    steps = math.ceil(threshold * scale)
    if steps / scale < threshold:
        steps += 1
    elif (steps - 1) / scale >= threshold:
        steps -= 1
    lowest = (steps - 0.5) / scale  # may be wrong in its last bits
    while round_half_up(lowest, decimals) < threshold:
        lowest = math.nextafter(lowest, math.inf)
    while round_half_up(math.nextafter(lowest, -math.inf), decimals) >= threshold:
        lowest = math.nextafter(lowest, -math.inf)
    return lowest


def score_parts(
    matches: Compound, maturities: Sequence[str], local: Sequence[bool], rules: CompoundRules, rounded: bool
) -> list[tuple[float, tuple[Part, ...]]]:
    """Each score of ``matches`` with the parts that add up to it.

    The parts are relevance, importance, recency, the maturity adjustment, the local bonus, the cap and, if ``rounded``,
    the rounding. The maturity part names the maturity. For a note that is not ``local``, the bonus part says that the
    note gets no bonus.
    """
    inputs = (matches.relevance, matches.importance, matches.recency, matches.boost, matches.bonus)
    weighted = (matches.by_relevance, matches.by_importance, matches.by_recency)
    steps = (matches.base, matches.boosted, matches.score)
    columns = (column.tolist() for column in (*inputs, *weighted, *steps))
    rounded = rounded and rules.decimals != NOT_ROUNDED
    rounding = f"half up, {rules.decimals} decimals"
    found = []
    for maturity, is_local, *row in zip(maturities, local, *columns, strict=True):
        relevance, importance, recency, boost, bonus, by_relevance, by_importance, by_recency, base, boosted, score = (
            row
        )
        parts = [
            Part("relevance", by_relevance, relevance, rules.relevance),
            Part("importance", by_importance, importance, rules.importance),
            Part("recency", by_recency, recency, rules.recency),
            Part("maturity", boosted - base, base, boost, maturity),
            Part("local bonus", bonus, None, None, "" if is_local else "shared source: none"),
            Part("cap", score - (boosted + bonus), boosted + bonus, rules.cap),
        ]
        final = round_half_up(score, rules.decimals) if rounded else score
        if rounded:
            parts.append(Part("rounding", final - score, score, None, rounding))
        found.append((final, tuple(parts)))
    return found
