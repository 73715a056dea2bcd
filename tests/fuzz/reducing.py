"""Reduces an input that reproduces a problem."""

from __future__ import annotations

import time
from collections.abc import Callable

_SECONDS = 25.0


def reduced(data: bytes, shows: Callable[[bytes], bool], seconds: float = _SECONDS) -> bytes:
    """A smaller input that still ``shows`` the problem. Removes pieces, large first, for at most ``seconds``."""
    end = time.monotonic() + seconds
    size = len(data) // 2
    while size and time.monotonic() < end:
        start = 0
        while start < len(data) and time.monotonic() < end:
            shorter = data[:start] + data[start + size :]
            if shows(shorter):
                data = shorter
            else:
                start += size
        size //= 2
    return data
