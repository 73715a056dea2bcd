"""Milliseconds: now, and by stage name, the one part of a trace that differs from run to run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


def system_clock() -> float:
    """Now, in milliseconds since 1970, by the clock that files get their times from."""
    return time.time() * 1000


class Stopwatch:
    """Sums the time spent under each name."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Adds the time of the block to ``name``."""
        start = perf_counter()
        try:
            yield
        finally:
            self.ms[name] = self.ms.get(name, 0.0) + (perf_counter() - start) * 1000
