"""Answers that come piece by piece (server-sent events), with patience, and broken off at once when that is asked for.

httpx does the talking (extra ``[llm]``): its asynchronous client can be stopped in the middle of connecting, waiting
and reading, which a blocking one cannot. The event loop is private to one turn and runs in the thread that asks, which
must have none of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brvtui import faults
from brvtui.providers.http import one_line, seconds_of, shown
from brvtui.providers.masking import masked
from brvtui.providers.private_loop import PrivateLoop
from brvtui.services.model import Cancellation, ModelCancelled, ModelError, Wait
from brvtui.text.visible import visible

if TYPE_CHECKING:
    import httpx

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_SHOWN = 300
_CONNECT_SECONDS = 10.0
_LAST_STEP_S = 0.5
"""How long a step may take to end after Ctrl+C."""
_DONE = "[DONE]"
_CLOSED = "the service closed the connection"
_IS_IT_THERE = "look whether the service runs, and at llm.url"
_IS_IT_TRUSTED = "look whether llm.url names the right host, and its certificate is trusted (SSL_CERT_FILE)"
_IS_IT_TLS = "look at llm.url: whether the service there takes https"
_REDIRECTED = "no redirect is followed: set llm.url to where it leads"
_ADVICE = {
    401: "look at the key: llm.key_env names its variable",
    403: "look at what the key may do: llm.key_env names its variable",
    404: "look at llm.url and llm.model",
}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a service is waited for, and how often it is asked again after a refusal that may pass."""

    timeout_seconds: float
    """Without a connection, or without another piece of the answer."""
    tries: int
    wait_seconds: float
    longest_wait_seconds: float
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that is posted to."""

    base: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    key: str = field(repr=False)
    """Never shown: taken out of whatever the service says."""

    @property
    def host(self) -> str:
        """The host, with its port when that is given."""
        parts = urlsplit(self.base)
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")


class Refusal(Exception):
    """An answer that is none. ``status`` is 0 where there was no answer at all."""

    def __init__(self, why: str, status: int = 0, passing: bool = False, wait: float | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.passing = passing
        self.wait = wait


_Piece = Wait | dict[str, Any]
Sleep = Callable[[float], Awaitable[None]]
Payload = Callable[[Refusal | None], Mapping[str, Any] | None]
"""What to send first (given None), and what to send instead after a refusal: None when nothing else would help."""


def stream(
    endpoint: Endpoint, payload: Payload, patience: Patience, cancellation: Cancellation, sleep: Sleep = asyncio.sleep
) -> Generator[_Piece, None, None]:
    """The JSON objects of the events that answer ``payload``. Closing the iterator ends the connection.

    Raises :class:`ModelError` and :class:`ModelCancelled`.
    """
    loop = PrivateLoop()
    # What asyncio says of a connection that is broken off would be written over the screen.
    loop.set_exception_handler(lambda *_: None)
    pieces = _patiently(endpoint, payload, patience, sleep)
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
    endpoint: Endpoint, payload: Payload, patience: Patience, sleep: Sleep
) -> AsyncGenerator[_Piece, None]:
    wait, left, sent = patience.wait_seconds, patience.tries, payload(None)
    while sent is not None:
        began = False
        try:
            async with aclosing(_once(endpoint, sent, patience)) as values:
                async for value in values:
                    began = True
                    yield value
            return
        except Refusal as refusal:
            why = visible(masked(str(refusal), endpoint.key))
            if began:
                raise ModelError(f"{endpoint.host}: the answer broke off: {why}") from None
            instead = payload(refusal)
            if instead is not None:
                sent = instead
                continue
            left -= 1
            pause = wait if refusal.wait is None else refusal.wait
            if not refusal.passing or not left or pause > patience.longest_wait_seconds:
                raise ModelError(f"{endpoint.host}: {_at_last(why, refusal, patience, left)}") from None
            yield Wait(pause, why)
            await sleep(pause)
            wait *= 2


def _at_last(why: str, refusal: Refusal, patience: Patience, left: int) -> str:
    if refusal.passing and left:
        return f"{why}; it asks to wait {refusal.wait:g} s, which is too long: ask again later"
    advice = _REDIRECTED if 300 <= refusal.status < 400 else _ADVICE.get(refusal.status)
    if advice:
        return f"{why.rstrip('.')}; {advice}"
    return f"{why}, {patience.tries} times" if refusal.passing and patience.tries > 1 else why


async def _once(
    endpoint: Endpoint, payload: Mapping[str, Any], patience: Patience
) -> AsyncGenerator[dict[str, Any], None]:
    import httpx

    data = json.dumps(payload).encode("utf-8", "surrogatepass")
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **endpoint.headers}
    limits = httpx.Timeout(patience.timeout_seconds, connect=min(patience.timeout_seconds, _CONNECT_SECONDS))
    try:
        async with (
            httpx.AsyncClient(timeout=limits, follow_redirects=False, verify=_trusted()) as client,
            client.stream("POST", endpoint.base + endpoint.path, content=data, headers=headers) as answer,
        ):
            if answer.status_code != httpx.codes.OK:
                raise await refusal_in(answer, endpoint.key, patience.timeout_seconds)
            if "text/event-stream" not in answer.headers.get("content-type", ""):
                said = await refusal_in(answer, endpoint.key, patience.timeout_seconds)
                raise Refusal(f"the answer is no stream of events: look at llm.url ({said})", answer.status_code)
            async with aclosing(data_of(answer, patience.max_bytes)) as texts:
                while (text := await _within(patience.timeout_seconds, texts)) not in (None, _DONE):
                    yield _object(text, endpoint.key)
    except httpx.ConnectTimeout:
        raise Refusal(f"cannot be reached within {limits.connect:g} s; {_IS_IT_THERE}") from None
    except (httpx.TimeoutException, TimeoutError):
        raise Refusal(f"nothing came for {patience.timeout_seconds:g} s") from None
    except httpx.ConnectError as error:
        raise Refusal(unreached(error)) from None
    except httpx.NetworkError as error:  # says nothing of a connection that was reset
        raise Refusal(one_line(str(error)) or _CLOSED, passing=True) from None
    except httpx.RemoteProtocolError as error:
        why = _CLOSED if "closed connection" in str(error) else one_line(str(error))
        raise Refusal(why, passing=True) from None
    except httpx.HTTPError as error:
        raise Refusal(one_line(str(error)) or type(error).__name__, passing=True) from None
    except (httpx.InvalidURL, ValueError, OSError, ImportError) as error:
        # A host that cannot be written, a proxy or a certificate of the environment that cannot be used.
        raise Refusal(f"cannot be asked ({one_line(str(error)) or type(error).__name__})") from None


def unreached(error: BaseException) -> str:
    """Why a connection was not made, and what to look at, in one line."""
    cause = _first_cause(error)
    said = faults.said(cause)
    if isinstance(cause, ConnectionError) and cause.errno:
        said = os.strerror(cause.errno)  # asyncio writes words of its own over the system's
    match cause:
        case ssl.SSLCertVerificationError():
            advice = _IS_IT_TRUSTED
        case ssl.SSLError():
            advice = _IS_IT_TLS
        case _:
            advice = _IS_IT_THERE
    return f"cannot be reached ({one_line(said)}); {advice}"


def _first_cause(error: BaseException) -> BaseException:
    """What the system raised: libraries wrap it several times."""
    cause: BaseException | None = error
    while cause is not None:
        error = cause
        several = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        cause = several[0] if several else error.__cause__ or error.__context__
    return error


async def _within(seconds: float, texts: AsyncGenerator[str, None]) -> str | None:
    """The next of ``texts``, None after the last. Bytes without data, comments say, do not prolong the wait."""
    async with asyncio.timeout(seconds):
        return await anext(texts, None)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted: reading them takes longer than many an answer."""
    import httpx

    return httpx.create_ssl_context()


async def data_of(answer: httpx.Response, most: int) -> AsyncGenerator[str, None]:
    """The data of each event; other fields say nothing that the data does not."""
    size = 0
    held: list[str] = []
    lines: list[str] = []
    async for text in answer.aiter_text():
        size += len(text)
        if size > most:
            raise Refusal(f"it is larger than {most} bytes")
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
        raise Refusal("an event holds no JSON") from None
    if not isinstance(value, dict):
        raise Refusal("an event holds no JSON object")
    if value.get("error"):
        raise Refusal(said_in(value, key))
    return value


async def refusal_in(answer: httpx.Response, key: str, seconds: float) -> Refusal:
    """What an answer that is no stream says within ``seconds``, in one line, without ``key`` or a part of it."""
    import httpx

    body, is_cut = b"", True
    with suppress(TimeoutError, httpx.TimeoutException):
        async with asyncio.timeout(seconds):
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > _SHOWN * 16:
                    break
            else:
                is_cut = False
    try:
        said = said_in(json.loads(body), key)
    except (ValueError, RecursionError):
        said = shown(body.decode("utf-8", "replace"), key, _SHOWN, is_cut)
    why = f"{answer.status_code} {answer.reason_phrase}" + (f": {said}" if said else "")
    return Refusal(
        why, answer.status_code, answer.status_code in _PASSING, seconds_of(answer.headers.get("retry-after"))
    )


def said_in(value: Any, key: str = "") -> str:
    """What the error in a service's answer says, in one line, without ``key``."""
    error = value.get("error", value) if isinstance(value, dict) else value
    message = error.get("message", error) if isinstance(error, dict) else error
    return shown(message if isinstance(message, str) else json.dumps(message), key, _SHOWN)
