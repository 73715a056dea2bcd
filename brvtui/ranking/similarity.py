"""Set similarity."""

from __future__ import annotations

from collections.abc import Set


def jaccard(left: Set[str], right: Set[str]) -> tuple[int, int, float]:
    """Tokens shared, tokens in the union, and their ratio in 0..1 (0 for two empty sets)."""
    shared = len(left & right)
    return shared, len(left) + len(right) - shared, jaccard_of_counts(shared, len(left), len(right))


def jaccard_of_counts(shared: int, left: int, right: int) -> float:
    """:func:`jaccard`'s ratio for sets of ``left`` and ``right`` tokens with ``shared`` of them in both."""
    union = left + right - shared
    return shared / union if union else 0.0
