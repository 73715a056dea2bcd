"""How many examples each target is given."""

from __future__ import annotations

import os

from hypothesis import settings

VARIABLE = "FUZZ_EXAMPLES"
"""Examples of each target in a long run; each run then takes other random numbers."""
_IN_SHORT, _SLOW_IN_SHORT, _SLOWER = 40, 8, 10

_wanted = int(os.environ.get(VARIABLE, "0"))
fuzzed = settings(max_examples=_wanted or _IN_SHORT, derandomize=not _wanted)
fuzzed_slowly = settings(max_examples=_wanted // _SLOWER or _SLOW_IN_SHORT, derandomize=not _wanted)
"""For a target that takes a tenth of a second."""
