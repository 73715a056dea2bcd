"""The natural logarithm as the engine's runtime computes it, to the last digit.

The platform's own ``log`` differs from it by one unit in the last place for about one argument in thirty, which
unrounded scores show. After the classic argument reduction to ``2**k * (1 + f)`` and a degree-7 minimax polynomial
in ``s = f / (2 + f)`` (K. C. Ng's method, as in the C libraries of the BSDs; error below 1 ulp).
"""

from __future__ import annotations

import math
import struct
from functools import lru_cache

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ODD = (6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860511658591e-01)
_EVEN = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)
_THIRD = 0.33333333333333333


@lru_cache(maxsize=65_536)
def log(value: float) -> float:
    """The natural logarithm of ``value``, a normal number above 0. Raises ValueError for others."""
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
