"""BM25+ as MiniSearch computes it (``docs/engine.md``, "Text relevance"; Lv and Zhai 2011 for the lower bound d)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.v8_log import log

Floats = NDArray[np.float64]


def idf(notes: int, df: int) -> float:
    """``ln(1 + (N - df + 0.5) / (df + 0.5))``; positive for every df in 0..N."""
    return log(1.0 + (notes - df + 0.5) / (df + 0.5))


def length_norm(lengths: Floats, average: float, k: float, b: float) -> Floats:
    """``k (1 - b + b length / average)``, the part of the denominator that depends on the note alone."""
    if average <= 0:
        return np.full(lengths.shape, k * (1 - b), dtype=np.float64)
    return k * (1 - b + b * lengths / average)


def term_score(idf_value: Floats, tf: Floats, norm: Floats, k: float, d: float) -> Floats:
    """``idf (d + tf (k + 1) / (tf + norm))`` for term frequencies ``tf`` >= 1."""
    return idf_value * (d + tf * (k + 1) / (tf + norm))


def raw_score(term_sum: Floats, matched_terms: NDArray[np.int64]) -> Floats:
    """Raw text scores: the sums of term scores times the number of distinct terms matched."""
    return term_sum * matched_terms


def saturate(raw: Floats) -> Floats:
    """Raw text scores in 0..inf as relevance in 0..1: ``raw / (1 + raw)``."""
    return raw / (1.0 + raw)


def running_mean(lengths: list[float]) -> float:
    """The mean of ``lengths``, updated one by one in order, as the engine keeps it (it matters in the last digits)."""
    mean = count = 0.0  # a count that is a float makes this, which every change waits for, a third faster
    for length in lengths:
        total = mean * count + length
        count += 1.0
        mean = total / count
    return mean
