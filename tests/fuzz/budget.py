"""The number of examples for each target."""

from __future__ import annotations

import os

from hypothesis import settings

from tests.support.examples import examples

VARIABLE = "FUZZ_EXAMPLES"
"""The variable with the number of examples per target in a long run, in which each run uses new random numbers."""
_WANTED, _WANTED_SLOWLY, _SLOWER = 160, 32, 10

_given = int(os.environ.get(VARIABLE, "0"))
fuzzed = settings(max_examples=_given, derandomize=False) if _given else examples(_WANTED)
fuzzed_slowly = settings(max_examples=_given // _SLOWER, derandomize=False) if _given else examples(_WANTED_SLOWLY)
"""The settings for a target that takes a tenth of a second per example."""
