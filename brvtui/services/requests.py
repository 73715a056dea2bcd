"""How a service is asked over a network."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.typed_tables import Count, Positive


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Time-outs, retries and sizes of requests. Times are in seconds."""

    timeout_seconds: Positive
    tries: Count
    wait_seconds: float
    longest_wait_seconds: float
    batch: Count
    max_bytes: Count
