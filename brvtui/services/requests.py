"""How a service is asked over a network, and how it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from brvtui.typed_tables import LIMIT, CountLimit, PositiveLimit, Range


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Time-outs, retries and sizes of requests, whichever engine asks. Times are in seconds."""

    timeout_seconds: PositiveLimit
    tries: CountLimit
    wait_seconds: float
    longest_wait_seconds: Annotated[float, Range(), LIMIT]
    max_bytes: CountLimit


class LegError(RuntimeError):
    """A ranked list, or a service behind one, is not available; the message says why in one line."""


class ServiceError(ValueError):
    """A service is not configured correctly; the message names the setting and says what to do."""
