"""Times in milliseconds: the current time, and durations by stage. Only durations make traces differ between runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import perf_counter

FIRST_MS, LAST_MS = (datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000 for year in (1000, 9000))
"""The limits of times, in ms since 1970. Other times could exceed Python's range in forecasts and time zones."""


def system_clock() -> float:
    """The current time in milliseconds since 1970, by the file system's clock."""
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
