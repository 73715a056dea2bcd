"""The paired randomisation test: could a difference as large be chance?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FEWEST = 25
"""Below so many queries the test says little, and is not made."""
_MOST_EXACT = 16
"""Up to so many differences, all ``2 ** n`` assignments of signs are tried."""
_SAMPLES, _AT_ONCE, _SEED = 20_000, 2_000, 17
_ROUNDING = 1e-12


def randomisation_test(differences: Sequence[float]) -> float:
    """The two-sided p-value of the mean of paired ``differences``, by Fisher's randomisation of their signs.

    It is the share of assignments of signs whose sum lies as far from 0, or further. Exact up to 16 differences other
    than 0; beyond that it is estimated from 20,000 random assignments, always the same ones, with one added to both
    counts so that it is never 0. 1 where nothing differs.
    """
    values = np.asarray([value for value in differences if value], dtype=np.float64)
    if not len(values):
        return 1.0
    least = abs(float(values.sum())) - _ROUNDING * float(np.abs(values).sum())
    if len(values) <= _MOST_EXACT:
        numbers = np.arange(2 ** len(values))[:, None] >> np.arange(len(values))
        sums = (1 - 2 * (numbers & 1)) @ values
        return float(np.mean(np.abs(sums) >= least))
    draw = np.random.default_rng(_SEED)
    as_far = 0
    for _ in range(_SAMPLES // _AT_ONCE):
        signs = draw.integers(0, 2, (_AT_ONCE, len(values)), dtype=np.int8) * 2 - 1
        as_far += int(np.count_nonzero(np.abs(signs @ values) >= least))
    return (as_far + 1) / (_SAMPLES + 1)
