"""BM25+ as MiniSearch computes it.

See ``docs/reference/byterover.md``, "Text relevance", and Lv and Zhai 2011 for the lower bound ``d``.
"""

from __future__ import annotations

import math
import struct
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# The natural logarithm as the engine's runtime computes it, to the last digit. The platform's own ``log`` differs from
# it by one unit in the last place for about one argument in thirty, which unrounded scores reveal. The argument is
# reduced to ``2**k * (1 + f)``, then a degree-7 minimax polynomial in ``s = f / (2 + f)`` is used (K. C. Ng's method,
# as in the C libraries of the BSDs; error below 1 ulp).


_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ODD = (6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860511658591e-01)
_EVEN = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)
_THIRD = 0.33333333333333333


@lru_cache(maxsize=65_536)
def log(value: float) -> float:
    """The natural logarithm of ``value``, a normal float. Raises ValueError unless ``value`` is finite and above 0."""
    if not value > 0 or math.isinf(value):
        raise ValueError(f"no logarithm of {value}")
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    high, low = bits >> 32, bits & 0xFFFFFFFF
    exponent = (high >> 20) - 1023
    mantissa = high & 0x000FFFFF
    carry = (mantissa + 0x95F64) & 0x100000
    exponent += carry >> 20
    scaled = ((mantissa | (carry ^ 0x3FF00000)) << 32) | low
    f: float = struct.unpack("<d", struct.pack("<Q", scaled))[0] - 1.0
    if (0x000FFFFF & (2 + mantissa)) < 3:
        return _near_power_of_two(f, exponent)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (_EVEN[0] + w * (_EVEN[1] + w * _EVEN[2]))
    odd = z * (_ODD[0] + w * (_ODD[1] + w * (_ODD[2] + w * _ODD[3])))
    rest = odd + even
    if ((mantissa - 0x6147A) | (0x6B851 - mantissa)) > 0:
        half_square = 0.5 * f * f
        if exponent == 0:
            return f - (half_square - s * (half_square + rest))
        return exponent * _LN2_HIGH - ((half_square - (s * (half_square + rest) + exponent * _LN2_LOW)) - f)
    if exponent == 0:
        return f - s * (f - rest)
    return exponent * _LN2_HIGH - ((s * (f - rest) - exponent * _LN2_LOW) - f)


def _near_power_of_two(f: float, exponent: int) -> float:
    if f == 0.0:
        return exponent * _LN2_HIGH + exponent * _LN2_LOW
    rest = f * f * (0.5 - _THIRD * f)
    if exponent == 0:
        return f - rest
    return exponent * _LN2_HIGH - ((rest - exponent * _LN2_LOW) - f)


Floats = NDArray[np.float64]


def idf(notes: int, df: int) -> float:
    """The inverse document frequency, ``ln(1 + (notes - df + 0.5) / (df + 0.5))``. It is positive for every ``df`` in
    0..notes.
    """
    return log(1.0 + (notes - df + 0.5) / (df + 0.5))


def length_norm(lengths: Floats, average: float, k: float, b: float) -> Floats:
    """The part of a term score's denominator that depends only on the note: ``k (1 - b + b length / average)``."""
    if average <= 0:
        return np.full(lengths.shape, k * (1 - b), dtype=np.float64)
    return k * (1 - b + b * lengths / average)


def term_score(idf_value: Floats, tf: Floats, norm: Floats, k: float, d: float) -> Floats:
    """The score of a term, ``idf (d + tf (k + 1) / (tf + norm))``, for term frequencies ``tf`` of at least 1."""
    return idf_value * (d + tf * (k + 1) / (tf + norm))


def raw_score(term_sum: Floats, matched_terms: NDArray[np.int64]) -> Floats:
    """Raw text scores: the sum of each note's term scores times the number of distinct terms that the note matches."""
    return term_sum * matched_terms


def saturate(raw: Floats) -> Floats:
    """Converts raw text scores (0..inf) to relevance (0..1): ``raw / (1 + raw)``."""
    return raw / (1.0 + raw)


def running_mean(lengths: list[float]) -> float:
    """The mean of ``lengths``, updated one length at a time as in the engine, because the method affects the last
    digits.
    """
    mean = count = 0.0  # a float count makes this loop a third faster, and it runs after every change
    for length in lengths:
        total = mean * count + length
        count += 1.0
        mean = total / count
    return mean
