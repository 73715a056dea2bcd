"""How a service is asked over HTTP: where, with which trust, and what is said when it does not answer.

httpx does the talking (extra ``[llm]``), imported by the first request. Its asynchronous client can be stopped in the
middle of connecting, waiting and reading, which a blocking one cannot.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brvtui import faults
from brvtui.providers.masking import masked
from brvtui.services.failures import ServiceError
from brvtui.services.requests import RequestPolicy
from brvtui.text.address import why_no_address
from brvtui.text.visible import visible

if TYPE_CHECKING:
    import httpx

_LIBRARY = "httpx"
_CONNECT_SECONDS = 10.0
_LONGEST_REASON = 300
_LONGEST_REFUSAL = 16 * _LONGEST_REASON
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_CLOSED = "the service closed the connection"
_ADVICE = {
    401: "look at the key: {}.key_env names its variable",
    403: "look at what the key may do: {}.key_env names its variable",
    404: "look at {0}.url and {0}.model",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that is posted to."""

    setting: str
    """The table of settings that names it: ``llm``, say."""
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


def bearer(setting: str, base: str, path: str, key: str) -> Endpoint:
    """The endpoint of a service that takes ``key`` as a bearer token; empty for a service without keys."""
    return Endpoint(setting, base.rstrip("/"), path, {"Authorization": f"Bearer {key}"} if key else {}, key)


class ServiceRefusal(Exception):
    """A request that was not answered. ``status`` is 0 where there was no answer at all."""

    def __init__(self, why: str, status: int = 0, passing: bool = False, wait: float | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.passing = passing
        """Whether the same request may be answered later."""
        self.wait = wait
        """The seconds after which the service wants to be asked again."""

    def advised(self, endpoint: Endpoint, policy: RequestPolicy) -> str:
        """Why, without the key, and what to look at, or how often it was asked; in one line."""
        why = visible(masked(str(self), endpoint.key))
        advice = _ADVICE.get(self.status, "")
        if 300 <= self.status < 400:
            advice = "no redirect is followed: set {}.url to where it leads"
        if advice:
            return f"{why.rstrip('.')}; {advice.format(endpoint.setting)}"
        return f"{why}, {policy.tries} times" if self.passing and policy.tries > 1 else why


def check_service(setting: str, model: str, base: str, key: str, key_env: str) -> None:
    """Raises :class:`ServiceError`, which says what to do, when ``model`` cannot be asked at ``base``.

    ``setting`` is the table of settings that names them, ``key_env`` the variable that holds ``key``.
    """
    if find_spec(_LIBRARY) is None:
        raise ServiceError(f"{model} is set but the extra llm is missing: pip install 'brv-tui[llm]'")
    problem = why_no_address(base, f"{setting}.url")
    if problem:
        raise ServiceError(problem)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ServiceError(f"the key in {key_env} holds characters that no header can carry: set it anew")


@asynccontextmanager
async def answered(
    endpoint: Endpoint, payload: Mapping[str, Any], accept: str, seconds: float | None
) -> AsyncIterator[httpx.Response]:
    """The answer to ``payload``, whose body is still to be read, with no pause longer than ``seconds``.

    Raises :class:`ServiceRefusal` for an answer that is none, and for what breaks inside the block.
    """
    import httpx

    headers = {"Content-Type": "application/json", "Accept": accept, **endpoint.headers}
    data = json.dumps(payload)  # ASCII: half a surrogate pair, which UTF-8 cannot hold, is escaped
    connect = _CONNECT_SECONDS if seconds is None else min(seconds, _CONNECT_SECONDS)
    limits = httpx.Timeout(seconds, connect=connect)
    there = f"look whether the service runs, and at {endpoint.setting}.url"
    try:
        trust = _trusted(endpoint.base.startswith("https:"))
        async with (
            httpx.AsyncClient(timeout=limits, follow_redirects=False, verify=trust) as client,
            client.stream("POST", endpoint.base + endpoint.path, content=data, headers=headers) as answer,
        ):
            if not answer.is_success:
                raise await refusal_in(answer, endpoint.key, seconds)
            yield answer
    except httpx.ConnectTimeout:
        raise ServiceRefusal(f"cannot be reached within {connect:g} s; {there}") from None
    except (httpx.TimeoutException, TimeoutError):
        raise ServiceRefusal(f"nothing came for {seconds:g} s") from None
    except httpx.ConnectError as error:
        raise ServiceRefusal(unreached(error, endpoint.setting)) from None
    except httpx.HTTPError as error:
        said = one_line(str(error))
        # A connection that was reset says nothing of itself.
        is_closed = (
            "closed connection" in said
            or "disconnected" in said
            or (not said and isinstance(error, httpx.NetworkError))
        )
        raise ServiceRefusal(_CLOSED if is_closed else said or type(error).__name__, passing=True) from None
    except (httpx.InvalidURL, ValueError, OSError, ImportError) as error:
        # A host that cannot be written, a proxy or a certificate of the environment that cannot be used.
        raise ServiceRefusal(f"cannot be asked ({one_line(str(error)) or type(error).__name__})") from None


def unreached(error: BaseException, setting: str) -> str:
    """Why a connection was not made, and what to look at, in one line."""
    cause = _first_cause(error)
    said = faults.said(cause)
    if isinstance(cause, ConnectionError) and cause.errno:
        said = os.strerror(cause.errno)  # asyncio writes words of its own over the system's
    match cause:
        case ssl.SSLCertVerificationError():
            advice = f"look whether {setting}.url names the right host, and its certificate is trusted (SSL_CERT_FILE)"
        case ssl.SSLError():
            advice = f"look at {setting}.url: whether the service there takes https"
        case _:
            advice = f"look whether the service runs, and at {setting}.url"
    return f"cannot be reached ({one_line(said)}); {advice}"


def _first_cause(error: BaseException) -> BaseException:
    """What the system raised: libraries wrap it several times."""
    cause: BaseException | None = error
    while cause is not None:
        error = cause
        several = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        cause = several[0] if several else error.__cause__ or error.__context__
    return error


@cache
def _trusted(is_encrypted: bool) -> ssl.SSLContext:
    """The certificates of httpx and of the system; none for a connection that is not encrypted.

    Reading them takes longer than many an answer.
    """
    import httpx

    if not is_encrypted:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context()
    context.load_default_certs()
    return context


async def refusal_in(answer: httpx.Response, key: str, seconds: float | None) -> ServiceRefusal:
    """What an answer that is none says within ``seconds``, in one line, without ``key`` or a part of it."""
    import httpx

    body, is_cut = b"", True
    with suppress(TimeoutError, httpx.TimeoutException):
        async with asyncio.timeout(seconds):
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > _LONGEST_REFUSAL:
                    break
            else:
                is_cut = False
    try:
        said = said_in(json.loads(body), key)
    except (ValueError, RecursionError):
        said = shown(body.decode("utf-8", "replace"), key, _LONGEST_REASON, is_cut)
    why = f"{answer.status_code} {answer.reason_phrase}" + (f": {said}" if said else "")
    wait = _seconds_of(answer.headers.get("retry-after"))
    return ServiceRefusal(why, answer.status_code, answer.status_code in _PASSING, wait)


def _seconds_of(value: str | None) -> float | None:
    """A Retry-After in seconds; None for a date or nothing."""
    return float(value) if value and value.strip().isascii() and value.strip().isdigit() else None


def said_in(value: Any, key: str = "") -> str:
    """What the error in a service's answer says, in one line, without ``key``."""
    error = value.get("error", value) if isinstance(value, dict) else value
    message = error.get("message", error) if isinstance(error, dict) else error
    return shown(message if isinstance(message, str) else json.dumps(message), key, _LONGEST_REASON)


def shown(text: str, key: str, most: int, is_cut: bool = False) -> str:
    """``text`` in one line of ``most`` characters at most; ``key`` is taken out first, so that no part of it stays.

    The end of a text that ``is_cut`` was not read: there the beginning of the key may stand.
    """
    return one_line(masked(text, key, is_cut))[:most]


def one_line(text: str) -> str:
    """``text`` as a message can hold it: on one line, nothing in it a terminal's command."""
    return visible(" ".join(text.split()))
