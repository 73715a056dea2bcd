"""JSON requests with retries of failures that may pass (``docs/jeffs_brain.md``, "Services")."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from brvtui.providers.http import Endpoint, ServiceRefusal, answered, body_of
from brvtui.providers.private_loop import PrivateLoop
from brvtui.services.requests import LegError, RequestPolicy

_TIMEOUT = 408
"""Not tried again: the next try would take as long."""
_TOO_MANY_REQUESTS = 429


class JsonService:
    """An endpoint that takes and returns JSON. A thread that calls it must not run an event loop."""

    def __init__(
        self, *endpoints: Endpoint, policy: RequestPolicy, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Sends no request yet. Several ``endpoints`` are one address with several keys."""
        self.host = endpoints[0].host
        self._endpoints = deque(endpoints)
        self._policy = policy
        self._sleep = sleep

    def post(self, payload: dict[str, Any]) -> Any:
        """The JSON answer to ``payload``. Raises :class:`brvtui.services.requests.LegError`.

        A key that is used up (status 429) gives way to the next at once; only when all are used up does it wait.
        """
        policy = self._policy
        wait, used_up = policy.wait_seconds, 0
        with asyncio.Runner(loop_factory=PrivateLoop) as runner:
            for left in range(policy.tries - 1, -1, -1):
                try:
                    return runner.run(self._once(payload))
                except ServiceRefusal as refusal:
                    refusal.passing = refusal.passing or not refusal.status  # a service that is starting
                    if not refusal.passing or not left:
                        raise LegError(f"{self.host}: {refusal.advised(self._endpoints[0], policy)}") from None
                    if refusal.status == _TOO_MANY_REQUESTS:
                        self._endpoints.rotate(-1)
                        used_up += 1
                        if used_up % len(self._endpoints):
                            continue
                    pause = wait if refusal.wait is None else refusal.wait
                    self._sleep(min(pause, policy.longest_wait_seconds))
                    wait *= 2
        raise AssertionError("a service is asked at least once")

    async def _once(self, payload: dict[str, Any]) -> Any:
        seconds, most = self._policy.timeout_seconds, self._policy.max_bytes
        body = bytearray()
        try:
            async with (
                asyncio.timeout(seconds),
                answered(self._endpoints[0], payload, "application/json", None) as answer,
            ):
                async for piece in body_of(answer, most):
                    body += piece
        except TimeoutError:
            raise ServiceRefusal(f"no answer within {seconds:g} s", _TIMEOUT) from None
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise ServiceRefusal("the answer is not JSON", answer.status_code) from None
