"""How much two ranked lists agree: rank-biased overlap."""

from __future__ import annotations

from collections.abc import Sequence

PERSISTENCE = 0.9
"""How likely a reader of one place goes on to the next: the first ten places have 86 % of the weight."""


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], persistence: float = PERSISTENCE) -> float:
    """The rank-biased overlap of two lists without repetitions, from 0 (nothing in common) to 1 (the same).

    It is the extrapolated form for lists of any lengths (Webber, Moffat and Zobel, "A similarity measure for indefinite
    rankings", 2010, equation 32): places beyond the end agree as much as those before it. Two empty lists are the same,
    an empty one has nothing in common with another. ``persistence`` lies between 0 and 1.
    """
    if not one or not other:
        return 1.0 if not one and not other else 0.0
    short, long = sorted((one, other), key=len)
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    weight, total, overlap, overlap_short = 1.0, 0.0, 0, 0
    for depth, item in enumerate(long, start=1):
        weight *= persistence
        overlap += item in seen_short
        seen_long.add(item)
        if depth <= len(short):
            overlap += short[depth - 1] in seen_long
            seen_short.add(short[depth - 1])
            overlap_short = overlap
        total += overlap / depth * weight
        if depth > len(short):
            total += overlap_short * (depth - len(short)) / (len(short) * depth) * weight
    beyond = (overlap - overlap_short) / len(long) + overlap_short / len(short)
    return (1 - persistence) / persistence * total + beyond * weight


def overlap_if_found(one: Sequence[str], other: Sequence[str]) -> float | None:
    """The rank-biased overlap of two engines' results; None where neither found anything."""
    return rank_biased_overlap(one, other) if one or other else None
