"""Sends HTTP requests to services: addresses, certificates, and errors in one line.

The first request imports httpx (extra ``[llm]``). Its asynchronous client can be stopped while it connects, waits or
reads, unlike a blocking client.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brvtui import faults
from brvtui.installation import install_command
from brvtui.providers.settings import ServiceSettings
from brvtui.services.legs import RequestPolicy, ServiceError
from brvtui.text.visible import visible, why_no_address

if TYPE_CHECKING:
    import httpx


class PrivateLoop(asyncio.SelectorEventLoop):
    """An event loop that looks up host names in daemon threads.

    A look-up cannot be cancelled and may hang for minutes. asyncio itself would use a thread pool, and the interpreter
    waits for such threads at exit.
    """

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Discards asyncio's message about a closed connection, which would overwrite part of the screen."""

    async def getaddrinfo(
        self,
        host: bytes | str | None,
        port: bytes | str | int | None,
        *,
        family: int = 0,
        type: int = 0,
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """Returns the result of :func:`socket.getaddrinfo`. Raises OSError, and UnicodeError for an invalid name."""
        future: asyncio.Future[list[Any]] = self.create_future()

        def look_up() -> None:
            try:
                addresses = socket.getaddrinfo(host, port, family, type, proto, flags)
            except (OSError, ValueError) as error:
                self._settle(future, [], error)
            else:
                self._settle(future, addresses, None)

        threading.Thread(target=look_up, name="look-up of a name", daemon=True).start()
        return await future

    def _settle(self, future: asyncio.Future[list[Any]], addresses: list[Any], error: Exception | None) -> None:
        def settle() -> None:
            if future.done():  # the look-up was cancelled
                return
            if error is None:
                future.set_result(addresses)
            else:
                future.set_exception(error)

        with suppress(RuntimeError):  # the loop has been closed
            self.call_soon_threadsafe(settle)


# Removes keys from texts that services return, before the texts are displayed or stored.


_MASK = "…"
_SHORTEST_KEY = 12
"""The minimum length of a secret key. Shorter keys are placeholders (``ollama``) or words that may occur in answers."""
_SHORTEST_REMOVED = 4


def masked(text: str, key: str, is_cut: bool = False) -> str:
    """Replaces ``key`` in ``text`` with a mask.

    If the text ``is_cut``, an end that could be the beginning of the key is also masked. A key of fewer than 12
    characters is masked only as a whole word, and a key of fewer than 4 characters is not masked: such keys are not
    secret, and they occur in many words.
    """
    if len(key) < _SHORTEST_REMOVED:
        return text
    if len(key) >= _SHORTEST_KEY:
        result = text.replace(key, _MASK)
    else:
        result = re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", _MASK, text)
    begun = _key_prefix_length(result, key) if is_cut else 0
    if len(key) < _SHORTEST_KEY and result[: len(result) - begun][-1:].isalnum():
        begun = 0
    return result[: len(result) - begun] + _MASK if begun else result


class AnswerMask:
    """Removes a key from an answer that arrives in pieces, even if the key is split between two pieces."""

    def __init__(self, key: str) -> None:
        """Takes the ``key`` to remove. A key of fewer than 12 characters is not removed."""
        self._key = key if len(key) >= _SHORTEST_KEY else ""
        self._held = ""

    def add(self, piece: str) -> str:
        """Adds a piece, and returns the text that is safe to show. Holds back an end that could be the beginning of the
        key.
        """
        if not self._key:
            return piece
        *before, rest = (self._held + piece).split(self._key)
        safe = len(rest) - _key_prefix_length(rest, self._key)
        self._held = rest[safe:]
        return _MASK.join([*before, rest[:safe]])

    def rest(self, is_cut: bool) -> str:
        """Returns the remaining text at the end of the answer. ``is_cut`` is True if the answer was cut."""
        text, self._held = self._held, ""
        return self.whole(text, is_cut)

    def whole(self, text: str, is_cut: bool) -> str:
        """Returns the complete ``text`` without the key."""
        return masked(text, self._key, is_cut)


def _key_prefix_length(text: str, key: str) -> int:
    """Returns the length of the longest proper prefix of ``key`` at the end of ``text``."""
    return next((size for size in range(len(key) - 1, 0, -1) if text.endswith(key[:size])), 0)


_LIBRARY = "httpx"
_CONNECT_SECONDS = 10.0
_MOST_PIECES = 50_000
_LARGEST_HEAD = 65_536
_LONGEST_REASON = 300
_LONGEST_REFUSAL = 16 * _LONGEST_REASON
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_CLOSED = "the service closed the connection"
_ADVICE = {
    401: "check the key: {}.key_env names its variable",
    403: "check the permissions of the key: {}.key_env names its variable",
    404: "check {0}.url and {0}.model",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that accepts POST requests."""

    setting: str
    """The name of the table with the service's settings, such as ``llm``."""
    base: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    key: str = field(repr=False)
    """The secret key. It is never displayed, and is removed from every text that the service returns."""

    @property
    def host(self) -> str:
        """The host name, and the port if the address contains one."""
        parts = urlsplit(self.base)
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")


def bearer(setting: str, base: str, path: str, key: str) -> Endpoint:
    """Returns the endpoint of a service that takes ``key`` as a bearer token. If the key is empty, no token is sent."""
    return Endpoint(setting, base.rstrip("/"), path, {"Authorization": f"Bearer {key}"} if key else {}, key)


class ServiceRefusal(Exception):
    """Raised if a request has no usable answer. ``status`` is the HTTP status; 0 if there was no response."""

    def __init__(self, why: str, status: int = 0, passing: bool = False, wait: float | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.passing = passing
        """True if the same request may succeed later."""
        self.wait = wait
        """The number of seconds to wait before the next attempt, if the service specifies it."""

    def waits_too_long(self, policy: RequestPolicy) -> bool:
        """True if the service asks for a longer wait than ``policy`` allows."""
        return self.passing and self.wait is not None and self.wait > policy.longest_wait_seconds

    def advised(self, endpoint: Endpoint, policy: RequestPolicy) -> str:
        """Returns the reason in one line, without the key, followed by advice or the number of attempts."""
        why = visible(masked(str(self), endpoint.key))
        advice = _ADVICE.get(self.status, "")
        if 300 <= self.status < 400:
            advice = "redirects are not followed: set {}.url to the final address"
        if advice:
            return f"{why.rstrip('.')}; {advice.format(endpoint.setting)}"
        if self.waits_too_long(policy):
            return f"{why}; the service asks for a {self.wait:g} s wait, which is too long: try again later"
        return f"{why}, {policy.tries} times" if self.passing and policy.tries > 1 else why


def check_service(setting: str, base: str, wanted: ServiceSettings) -> str:
    """Returns the key for the service ``wanted``, whose settings are in the table ``setting``.

    Raises :class:`ServiceError`, with a remedy, if the service at the address ``base`` cannot be called.
    """
    key = wanted.key.strip()
    if find_spec(_LIBRARY) is None:
        raise ServiceError(f"{wanted.model} is set but the llm extra is missing: {install_command('llm')}")
    problem = why_no_address(base, f"{setting}.url")
    if problem:
        raise ServiceError(problem)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ServiceError(f"the key in {wanted.key_env} has characters that are not allowed in a header: set it again")
    if not wanted.key_env_is_listed:
        raise ServiceError(
            f"{setting}.key_env names {wanted.key_env}, which key_variables does not list: add it there by hand, or use"
            " another variable"
        )
    return key


class _InputLimit:
    """Limits the input that :func:`body_of` does not count: informational responses, headers and HTTP framing."""

    def __init__(self, limit: int) -> None:
        self._most, self._left, self._part = limit, 0, ""

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Handles an ``event`` from httpcore, and replaces the read method of each new stream."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            stream, self._left, self._part = info["return_value"], _LARGEST_HEAD, "answer's header"
            stream.read = partial(self._read, stream.read)
        elif event.endswith(".receive_response_headers.complete"):
            self._left, self._part = 2 * self._most + _LARGEST_HEAD, "answer's HTTP framing"

    async def _read(self, read: Callable[..., Awaitable[bytes]], max_bytes: int, timeout: float | None = None) -> bytes:
        if self._left <= 0:
            raise ServiceRefusal(f"the {self._part} is too large")
        data = await read(max_bytes, timeout)
        self._left -= len(data) + 128  # handling a read takes as long as parsing 128 bytes
        return data


@asynccontextmanager
async def answered(
    endpoint: Endpoint, payload: Mapping[str, Any], accept: str, seconds: float | None, limit: int
) -> AsyncIterator[httpx.Response]:
    """Sends ``payload`` and yields the response when its headers have arrived. :func:`body_of` reads the body.

    The headers must arrive within ``seconds``; if this is None, the caller sets the time limit. The body may have up to
    ``limit`` bytes. Raises :class:`ServiceRefusal` for an unsuccessful response, and for errors inside the block.
    """
    import httpx

    headers = {
        "Content-Type": "application/json",
        "Accept": accept,
        "Accept-Encoding": "identity",  # no compression: a few compressed bytes can unpack to gigabytes
        **endpoint.headers,
    }
    data = json.dumps(payload)  # in ASCII, which escapes half a surrogate pair; UTF-8 cannot encode it
    connect = _CONNECT_SECONDS if seconds is None else min(seconds, _CONNECT_SECONDS)
    limits = httpx.Timeout(seconds, connect=connect)
    there = _is_it_running(endpoint.setting)
    try:
        trust = _certificates(endpoint.base.startswith("https:"))
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(
                httpx.AsyncClient(timeout=limits, follow_redirects=False, verify=trust)
            )
            async with asyncio.timeout(seconds):  # limits the whole head; each byte restarts the read time-out
                address, trace = endpoint.base + endpoint.path, {"trace": _InputLimit(limit).trace}
                request = client.stream("POST", address, content=data, headers=headers, extensions=trace)
                answer = await stack.enter_async_context(request)
            if not answer.is_success:
                raise await refusal_in(answer, endpoint.key, seconds)
            yield answer
    except httpx.ConnectTimeout:
        raise ServiceRefusal(f"cannot be reached within {connect:g} s; {there}") from None
    except (httpx.TimeoutException, TimeoutError):
        raise ServiceRefusal(f"nothing arrived for {seconds:g} s") from None
    except httpx.ConnectError as error:
        raise ServiceRefusal(unreached(error, endpoint.setting)) from None
    except httpx.HTTPError as error:
        message = excerpt(str(error), endpoint.key, _LONGEST_REASON)  # the exception may quote the answer
        # The error of a reset connection has no message.
        is_closed = (
            "closed connection" in message
            or "disconnected" in message
            or (not message and isinstance(error, httpx.NetworkError))
        )
        raise ServiceRefusal(_CLOSED if is_closed else message or type(error).__name__, passing=True) from None
    except (httpx.InvalidURL, ValueError, OSError, ImportError) as error:
        # The host is invalid, or a proxy or certificate file from the environment cannot be used.
        raise ServiceRefusal(f"cannot be called ({one_line(str(error)) or type(error).__name__})") from None


def unreached(error: BaseException, setting: str) -> str:
    """Returns a line that says why a connection failed, with advice."""
    cause = _first_cause(error)
    message = faults.reason(cause)
    if isinstance(cause, ConnectionError) and cause.errno:
        message = os.strerror(cause.errno)  # asyncio replaces the system's own message
    match cause:
        case ssl.SSLCertVerificationError():
            advice = (
                f"check that {setting}.url names the right host and that its certificate is trusted (SSL_CERT_FILE)"
            )
        case ssl.SSLError():
            advice = f"check {setting}.url: perhaps the service there does not use https"
        case _:
            advice = _is_it_running(setting)
    return f"cannot be reached ({one_line(message)}); {advice}"


def _first_cause(error: BaseException) -> BaseException:
    """The operating system's original exception, which libraries may have wrapped in exceptions of their own."""
    cause: BaseException | None = error
    while cause is not None:
        error = cause
        several = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        cause = several[0] if several else error.__cause__ or error.__context__
    return error


@cache
def _certificates(is_encrypted: bool) -> ssl.SSLContext:
    """Returns an SSL context with the certificates of httpx and of the system; without certificates for plain HTTP.

    The result is cached, because loading the certificates takes longer than many answers.
    """
    import httpx

    if not is_encrypted:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context()
    context.load_default_certs()
    return context


async def body_of(answer: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    """Yields the pieces of the response body.

    Raises :class:`ServiceRefusal` if the body is compressed, larger than ``limit`` bytes, or split into too many
    pieces.
    """
    encoding = answer.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        raise ServiceRefusal("the answer is compressed although no compression was requested", answer.status_code)
    size = pieces = 0
    async for piece in answer.aiter_raw():
        size, pieces = size + len(piece), pieces + 1
        if pieces > _MOST_PIECES:
            raise ServiceRefusal(f"the answer arrived in more than {_MOST_PIECES} pieces", answer.status_code)
        if size > limit:
            raise ServiceRefusal(f"the answer is larger than {limit} bytes", answer.status_code)
        yield piece


async def refusal_in(answer: httpx.Response, key: str, seconds: float | None) -> ServiceRefusal:
    """Returns the reason that an unusable answer gives, on one line and without any part of ``key``.

    The answer is read for at most ``seconds``.
    """
    import httpx

    body, is_cut = b"", True
    with suppress(TimeoutError, httpx.TimeoutException, ServiceRefusal):
        async with asyncio.timeout(seconds):
            async for piece in body_of(answer, sys.maxsize):
                body += piece
                if len(body) > _LONGEST_REFUSAL:
                    break
            else:
                is_cut = False
    try:
        message = error_message(json.loads(body), key)
    except (ValueError, RecursionError):
        message = excerpt(body.decode("utf-8", "replace"), key, _LONGEST_REASON, is_cut)
    phrase = excerpt(answer.reason_phrase, key, _LONGEST_REASON)
    why = f"{answer.status_code} {phrase}" + (f": {message}" if message else "")
    after = answer.headers.get("retry-after", "").strip()
    wait = float(after) if after.isascii() and after.isdigit() else None  # dates are ignored
    return ServiceRefusal(why, answer.status_code, answer.status_code in _PASSING, wait)


def error_message(value: Any, key: str = "") -> str:
    """Returns the error message in a service's answer, on one line and without ``key``."""
    error = value.get("error", value) if isinstance(value, dict) else value
    message = error.get("message", error) if isinstance(error, dict) else error
    return excerpt(message if isinstance(message, str) else json.dumps(message), key, _LONGEST_REASON)


def excerpt(text: str, key: str, limit: int, is_cut: bool = False) -> str:
    """Returns ``text`` without ``key``, on one line, cut to ``limit`` characters.

    The key is removed before the text is cut, so that no part of the key remains. If the text already ``is_cut``, it
    may end with the beginning of the key, which is then also removed.
    """
    return one_line(masked(text, key, is_cut))[:limit]


def one_line(text: str) -> str:
    """Returns ``text`` on one line, with control characters made visible."""
    return visible(" ".join(text.split()))


def _is_it_running(setting: str) -> str:
    return f"check that the service is running, and check {setting}.url"
