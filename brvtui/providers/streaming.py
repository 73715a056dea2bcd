"""Streamed answers (server-sent events), with retries and immediate cancellation.

Each turn has an event loop of its own, which runs in the calling thread; that thread must not run another.
"""

from __future__ import annotations

import asyncio
import json
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import aclosing, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from brvtui.providers.http import Endpoint, ServiceRefusal, answered, body_of, error_message, refusal_in
from brvtui.providers.masking import masked
from brvtui.providers.private_loop import PrivateLoop
from brvtui.services.model import Cancellation, ModelCancelled, ModelError, Wait
from brvtui.services.requests import RequestPolicy
from brvtui.text.visible import visible

if TYPE_CHECKING:
    import httpx

_LAST_STEP_S = 0.5
"""Seconds that a step may take to end after Ctrl+C."""
_LONGEST_TURN = 10
"""Time-outs that a whole answer may take, however often a piece of it comes."""
_DONE = "[DONE]"

_Piece = Wait | dict[str, Any]
Sleep = Callable[[float], Awaitable[None]]
Payload = Callable[[ServiceRefusal | None], Mapping[str, Any] | None]
"""The body to send first (for None), or after a refusal; None when no other body would help."""


def stream(
    endpoint: Endpoint,
    payload: Payload,
    policy: RequestPolicy,
    cancellation: Cancellation,
    sleep: Sleep = asyncio.sleep,
) -> Generator[_Piece, None, None]:
    """The JSON objects of the events that answer ``payload``. Closing the iterator ends the connection.

    Raises :class:`ModelError` and :class:`ModelCancelled`.
    """
    loop = PrivateLoop()
    pieces = _with_retries(endpoint, payload, policy, sleep)
    try:
        while not cancellation.asked:
            piece = _result(loop, loop.create_task(_next(pieces)), cancellation)
            if piece is None:
                return
            yield piece
        raise ModelCancelled
    finally:
        with suppress(RuntimeError):  # the current step never ended
            loop.run_until_complete(pieces.aclose())
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _result(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[_Piece | None], cancellation: Cancellation
) -> _Piece | None:
    """The result of ``task``. Raises :class:`ModelCancelled` as soon as ``cancellation`` is requested."""

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(task.cancel)

    try:
        with cancellation.waking(wake):
            return loop.run_until_complete(task)
    except asyncio.CancelledError:
        raise ModelCancelled from None
    except BaseException:
        # Ctrl+C leaves the task suspended, and the connection can be closed only after the task has ended. A task that
        # Ctrl+C itself ended must not run again: the loop would never stop for it. If Ctrl+C comes while the loop
        # schedules a step, that step never runs, hence the timeout.
        if task.cancel():
            with suppress(Exception, asyncio.CancelledError, KeyboardInterrupt):
                loop.run_until_complete(asyncio.wait((task,), timeout=_LAST_STEP_S))
        raise


async def _next(pieces: AsyncIterator[_Piece]) -> _Piece | None:
    return await anext(pieces, None)


async def _with_retries(
    endpoint: Endpoint, payload: Payload, policy: RequestPolicy, sleep: Sleep
) -> AsyncGenerator[_Piece, None]:
    wait, left, sent = policy.wait_seconds, policy.tries, payload(None)
    while sent is not None:
        began = False
        try:
            async with aclosing(_once(endpoint, sent, policy)) as values:
                async for value in values:
                    began = True
                    yield value
            return
        except ServiceRefusal as refusal:
            why = visible(masked(str(refusal), endpoint.key))
            if began:
                raise ModelError(f"{endpoint.host}: the answer broke off: {why}") from None
            instead = payload(refusal)
            if instead is not None:
                sent = instead
                continue
            left -= 1
            pause = wait if refusal.wait is None else refusal.wait
            if refusal.passing and left and pause > policy.longest_wait_seconds:
                why = f"{why}; it asks to wait {pause:g} s, which is too long: ask again later"
                raise ModelError(f"{endpoint.host}: {why}") from None
            if not refusal.passing or not left:
                raise ModelError(f"{endpoint.host}: {refusal.advised(endpoint, policy)}") from None
            yield Wait(pause, why)
            await sleep(pause)
            wait *= 2


async def _once(
    endpoint: Endpoint, payload: Mapping[str, Any], policy: RequestPolicy
) -> AsyncGenerator[dict[str, Any], None]:
    async with answered(endpoint, payload, "text/event-stream", policy.timeout_seconds) as answer:
        if "text/event-stream" not in answer.headers.get("content-type", ""):
            reason = await refusal_in(answer, endpoint.key, policy.timeout_seconds)
            why = f"the answer is not a stream of events: look at {endpoint.setting}.url ({reason})"
            raise ServiceRefusal(why, answer.status_code)
        async with aclosing(data_of(answer, policy.max_bytes)) as texts:
            deadline = monotonic() + _LONGEST_TURN * policy.timeout_seconds
            while (text := await _within(policy.timeout_seconds, texts)) not in (None, _DONE):
                if monotonic() > deadline:
                    raise ServiceRefusal(f"it was incomplete after {_LONGEST_TURN * policy.timeout_seconds:g} s")
                yield _object(text, endpoint.key)


async def _within(seconds: float, texts: AsyncGenerator[str, None]) -> str | None:
    """The next of ``texts``, None after the last. Bytes without data, such as comments, do not extend the time-out."""
    async with asyncio.timeout(seconds):
        return await anext(texts, None)


async def data_of(answer: httpx.Response, most: int) -> AsyncGenerator[str, None]:
    """The data field of each event; its other fields only repeat what is in the data."""
    decoder = getincrementaldecoder("utf-8")("replace")
    held: list[str] = []
    lines: list[str] = []
    async for piece in body_of(answer, most):
        text = decoder.decode(piece)
        held.append(text)
        if "\n" not in text:  # joined once: a single line may be as large as the limit
            continue
        *whole, rest = "".join(held).replace("\r\n", "\n").split("\n")
        held = [rest]
        for line in whole:
            if line.startswith("data:"):
                lines.append(line[5:].removeprefix(" "))
            elif not line:
                if any(lines):  # skips an event without data
                    yield "\n".join(lines)
                lines = []


def _object(text: str, key: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ServiceRefusal("an event holds no JSON") from None
    if not isinstance(value, dict):
        raise ServiceRefusal("an event holds no JSON object")
    if value.get("error"):
        raise ServiceRefusal(error_message(value, key))
    return value
