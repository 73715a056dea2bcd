"""JSON over HTTP with patience: refusals that may pass are tried again, then given up (``docs/jeffs_brain.md``,
"Services")."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from brvtui.providers.masking import masked
from brvtui.services.failures import LegError
from brvtui.services.requests import RequestPolicy
from brvtui.text.visible import visible

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_PIECE = 1 << 16
_SHOWN = 200


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer that cannot be used: following one could carry the key to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Refused(Exception):
    """One try that failed; ``passing`` when another may not."""

    def __init__(self, why: str, passing: bool, wait: float | None = None) -> None:
        super().__init__(why)
        self.passing = passing
        self.wait = wait


class JsonService:
    """A service at one base address, ``https://host/v1`` say."""

    def __init__(self, base: str, key: str, rules: RequestPolicy, sleep: Callable[[float], None] = time.sleep) -> None:
        """``key`` goes into the Authorization header, and nowhere else; empty for a service without one.

        Raises ValueError when ``base`` is not an http or https address.
        """
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{visible(base)} is not an address of a service: it must begin with http:// or https://")
        self.host = parts.hostname + (f":{parts.port}" if parts.port else "")
        self._base = base.rstrip("/")
        self._key = key
        self._rules = rules
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def post(self, path: str, payload: Any) -> Any:
        """The JSON answer to ``payload``. Raises :class:`brvtui.services.failures.LegError`."""
        wait = self._rules.wait_seconds
        for left in range(self._rules.tries - 1, -1, -1):
            try:
                return self._once(path, payload)
            except _Refused as refused:
                if not refused.passing or not left:
                    tries = f", {self._rules.tries} times" if refused.passing and self._rules.tries > 1 else ""
                    raise LegError(f"{self.host}: {masked(str(refused), self._key)}{tries}") from None
                pause = wait if refused.wait is None else refused.wait
                self._sleep(min(pause, self._rules.longest_wait_seconds))
                wait *= 2
        raise AssertionError("a service is asked at least once")

    def _once(self, path: str, payload: Any) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        data = json.dumps(payload).encode("utf-8", "surrogatepass")
        request = urllib.request.Request(self._base + path, data, headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._rules.timeout_seconds) as answer:
                body = self._read(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except TimeoutError:
            raise _Refused(f"no answer within {self._rules.timeout_seconds:g} s", True) from None
        except urllib.error.URLError as error:
            late = isinstance(error.reason, TimeoutError)
            why = f"no answer within {self._rules.timeout_seconds:g} s" if late else f"{one_line(str(error.reason))}"
            raise _Refused(why, True) from None
        except (OSError, HTTPException) as error:
            raise _Refused(one_line(str(error)) or type(error).__name__, True) from None
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise _Refused("the answer is no JSON", False) from None

    def _read(self, answer: Any) -> bytes:
        """The body, within the limits on size and on time as a whole."""
        deadline = time.monotonic() + self._rules.timeout_seconds
        body = bytearray()
        while piece := answer.read1(_PIECE):
            body += piece
            if len(body) > self._rules.max_bytes:
                raise _Refused(f"the answer is larger than {self._rules.max_bytes} bytes", False)
            if time.monotonic() > deadline:
                raise TimeoutError
        return bytes(body)

    def _refusal(self, error: urllib.error.HTTPError) -> _Refused:
        most = _SHOWN * 4
        try:
            body = error.read(most)
            said = shown(body.decode("utf-8", "replace"), self._key, _SHOWN, len(body) == most)
        except (OSError, HTTPException):
            said = ""
        why = f"{error.code} {one_line(str(error.reason))}" + (f": {said}" if said else "")
        return _Refused(why, error.code in _PASSING, seconds_of(error.headers.get("Retry-After")))


def seconds_of(value: str | None) -> float | None:
    """A Retry-After in seconds; None for a date or nothing."""
    return float(value) if value and value.strip().isascii() and value.strip().isdigit() else None


def shown(text: str, key: str, most: int, is_cut: bool = False) -> str:
    """``text`` in one line of ``most`` characters at most; ``key`` is taken out first, so that no part of it stays.

    The end of a text that ``is_cut`` was not read: there the beginning of the key may stand.
    """
    return one_line(masked(text, key, is_cut))[:most]


def one_line(text: str) -> str:
    """``text`` as a message can hold it: on one line, nothing in it a terminal's command."""
    return visible(" ".join(text.split()))
