"""How a service is asked over a network, and how it fails."""

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


class LegError(RuntimeError):
    """A ranked list, or a service behind one, is not available; the message says why in one line."""


class ServiceError(ValueError):
    """A service is not configured correctly; the message names the setting and says what to do."""
