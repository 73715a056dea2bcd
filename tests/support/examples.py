"""The number of random cases of a test: some in ``make test``, all in the long lane."""

from __future__ import annotations

import pytest
from hypothesis import settings

FULL, SHORT = 100, 25
"""The numbers of examples of a property without its own number, in the profiles ``full`` and ``short``."""


def examples(wanted: int) -> settings:
    """A decorator for a property that is tested with ``wanted`` examples in the profile ``full``."""
    return settings(max_examples=max(wanted * settings.default.max_examples // FULL, 5))


def seeds(short: int, wanted: int) -> list[object]:
    """Parameters from 0 to ``wanted``; all but the first ``short`` are only for the long lane."""
    return [*range(short), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(short, wanted))]
