"""How a service is asked over a network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Time-outs, retries and sizes of requests. Times are in seconds."""

    timeout_seconds: float
    tries: int
    wait_seconds: float
    longest_wait_seconds: float
    batch: int
    max_bytes: int
