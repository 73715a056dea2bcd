"""Parameters of text relevance."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextRules:
    """Text relevance: BM25+ with prefix and fuzzy expansion."""

    relevance: str
    """``minisearch`` or ``tantivy``."""
    boost: dict[str, float]
    k: float
    b: float
    d: float
    prefix_weight: float
    prefix_slope: float
    fuzzy_weight: float
    fuzzy_ratio: float
    fuzzy_max: int
