"""Times in milliseconds: the current time, and the duration of each stage. Traces of equal runs differ only in
durations.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import perf_counter

FIRST_MS, LAST_MS = (datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000 for year in (1000, 9000))
"""The first and last valid time, in ms since 1970. Others could exceed Python's range in forecasts and time zones."""


def system_clock() -> float:
    """Returns the current time in milliseconds since 1970, by the clock that the file system uses."""
    return time.time() * 1000


class Stopwatch:
    """Sums the time spent under each name."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Adds the duration of the block to ``name``."""
        start = perf_counter()
        try:
            yield
        finally:
            self.ms[name] = self.ms.get(name, 0.0) + (perf_counter() - start) * 1000
