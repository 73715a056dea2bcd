"""Set similarity."""

from __future__ import annotations

from collections.abc import Set


def jaccard(left: Set[str], right: Set[str]) -> tuple[int, int, float]:
    """Tokens shared, tokens in the union, and their ratio in 0..1 (0 for two empty sets)."""
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return shared, union, shared / union if union else 0.0
