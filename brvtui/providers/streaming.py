"""Answers that come piece by piece (server-sent events), with patience, and broken off at once when that is asked for.

The event loop is private to one turn and runs in the thread that asks, which must have none of its own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from brvtui.providers.http import Endpoint, ServiceRefusal, answered, refusal_in, said_in
from brvtui.providers.masking import masked
from brvtui.providers.private_loop import PrivateLoop
from brvtui.services.model import Cancellation, ModelCancelled, ModelError, Wait
from brvtui.services.requests import RequestPolicy
from brvtui.text.visible import visible

if TYPE_CHECKING:
    import httpx

_LAST_STEP_S = 0.5
"""How long a step may take to end after Ctrl+C."""
_DONE = "[DONE]"

_Piece = Wait | dict[str, Any]
Sleep = Callable[[float], Awaitable[None]]
Payload = Callable[[ServiceRefusal | None], Mapping[str, Any] | None]
"""What to send first (given None), and what to send instead after a refusal: None when nothing else would help."""


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
    pieces = _patiently(endpoint, payload, policy, sleep)
    try:
        while not cancellation.asked:
            piece = _waited_for(loop, loop.create_task(_next(pieces)), cancellation)
            if piece is None:
                return
            yield piece
        raise ModelCancelled
    finally:
        with suppress(RuntimeError):  # the step under way never ended
            loop.run_until_complete(pieces.aclose())
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _waited_for(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[_Piece | None], cancellation: Cancellation
) -> _Piece | None:
    """What ``task`` gives. Raises :class:`ModelCancelled` as soon as that is asked for."""

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(task.cancel)

    try:
        with cancellation.waking(wake):
            return loop.run_until_complete(task)
    except asyncio.CancelledError:
        raise ModelCancelled from None
    except BaseException:
        # Ctrl+C leaves the task where it was; what it waits for can be closed only once it has ended. One that was
        # itself ended by it must not be run again: a loop never stops for a task that ended so. And Ctrl+C can come
        # while the loop takes up a step, which is then never made: it is not waited for without end.
        if task.cancel():
            with suppress(Exception, asyncio.CancelledError, KeyboardInterrupt):
                loop.run_until_complete(asyncio.wait((task,), timeout=_LAST_STEP_S))
        raise


async def _next(pieces: AsyncIterator[_Piece]) -> _Piece | None:
    return await anext(pieces, None)


async def _patiently(
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
            said = await refusal_in(answer, endpoint.key, policy.timeout_seconds)
            why = f"the answer is no stream of events: look at {endpoint.setting}.url ({said})"
            raise ServiceRefusal(why, answer.status_code)
        async with aclosing(data_of(answer, policy.max_bytes)) as texts:
            while (text := await _within(policy.timeout_seconds, texts)) not in (None, _DONE):
                yield _object(text, endpoint.key)


async def _within(seconds: float, texts: AsyncGenerator[str, None]) -> str | None:
    """The next of ``texts``, None after the last. Bytes without data, comments say, do not prolong the wait."""
    async with asyncio.timeout(seconds):
        return await anext(texts, None)


async def data_of(answer: httpx.Response, most: int) -> AsyncGenerator[str, None]:
    """The data of each event; other fields say nothing that the data does not."""
    size = 0
    held: list[str] = []
    lines: list[str] = []
    async for text in answer.aiter_text():
        size += len(text)
        if size > most:
            raise ServiceRefusal(f"it is larger than {most} bytes")
        held.append(text)
        if "\n" not in text:  # joined once: a line may be as large as the whole answer may
            continue
        *whole, rest = "".join(held).replace("\r\n", "\n").split("\n")
        held = [rest]
        for line in whole:
            if line.startswith("data:"):
                lines.append(line[5:].removeprefix(" "))
            elif not line:
                if any(lines):  # an event without any data is none
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
        raise ServiceRefusal(said_in(value, key))
    return value
