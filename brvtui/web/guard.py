"""Restricts the served app to requests from its owner's pages (``docs/explanation/security.md``)."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from brvtui.store.crash_report import Circumstances, write_crash_report
from brvtui.text.visible import visible

MOST_STRANGERS = 256
"""The maximum number of open connections without a valid request. Another connection closes the oldest of them."""
STRANGER_S = 10.0
"""The seconds that a new connection has to send a valid request."""
_LONGEST_PATH = 200
ONLY_OWN_PAGES = "only the page that this server served may connect\n"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "brv-tui",
}
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Guard:
    """Admits requests that name this server, come from its own page, and have the token or its cookie.

    Other users of the machine can reach the port, and browsers send requests from other sites to this machine. The
    cookie alone cannot open an app, because browsers send it to all ports of a host, including other users' ports. A
    page therefore also needs the ``key``, which it keeps in its storage, because storage is separate for each port.
    """

    def __init__(self, host: str, port: int) -> None:
        """Creates a token, cookie and key for the server at ``host`` and ``port``."""
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        """The server's address without the token."""
        self.token = secrets.token_urlsafe(32)
        self.key = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self._cookie_name = f"brv-tui-{port}"
        self._host = host
        self._names = {host.lower(), "localhost", socket.gethostname().lower()}
        self._strangers: dict[RequestHandler, None] = {}
        """Connections without a valid request, oldest first."""

    def admit(self, connection: RequestHandler) -> RequestHandler:
        """Returns ``connection``, and closes it if no valid request arrives in time or there are too many strangers."""
        self._strangers[connection] = None
        asyncio.get_running_loop().call_later(STRANGER_S, self._dismiss, connection)
        if len(self._strangers) > MOST_STRANGERS:
            self._dismiss(next(iter(self._strangers)))
        return connection

    def _dismiss(self, connection: RequestHandler) -> None:
        if connection in self._strangers:
            del self._strangers[connection]
            connection.force_close()

    async def protect(self, request: web.Request, response: web.StreamResponse) -> None:
        """Adds the headers that keep the response out of frames, caches and other sites."""
        response.headers.update(_HEADERS)

    def give_cookie(self, response: web.StreamResponse) -> None:
        """Adds the cookie that replaces the token in all later requests."""
        response.set_cookie(self._cookie_name, self._cookie, httponly=True, samesite="Strict", path="/")

    @web.middleware
    async def check(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Returns the response of ``handler`` to the owner, and a refusal without a traceback to everyone else."""
        try:
            self._refuse_strangers(request)
            self._strangers.pop(request.protocol, None)
            if len(request.path) > _LONGEST_PATH:
                raise web.HTTPNotFound(text="not found\n")
            return await handler(request)
        except web.HTTPException as error:
            return web.Response(status=error.status, text=error.text)
        except ConnectionError:
            raise
        except Exception as error:  # a stranger must never see a traceback, so it is written to a report
            print(visible(f"brv-tui: {write_crash_report(error, Circumstances('serving a page'))}"), file=sys.stderr)
            return web.Response(status=500, text="failed\n")

    def _refuse_strangers(self, request: web.Request) -> None:
        if not self._is_own_name(request):
            raise web.HTTPForbidden(text=f"{self._unknown_name}\n")
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{request.host}":
            raise web.HTTPForbidden(text=ONLY_OWN_PAGES)
        if not self.has_token(request) and not _equal(request.cookies.get(self._cookie_name, ""), self._cookie):
            raise web.HTTPForbidden(text="open the address that brv-tui serve printed: it contains the token\n")

    def has_token(self, request: web.Request) -> bool:
        """True if ``request`` opens the page with the token. No other request may use the token."""
        return request.path == "/" and _equal(request.query.get("token", ""), self.token)

    def has_key(self, given: str) -> bool:
        """True if ``given`` is the key, which only this server's own pages have."""
        return _equal(given, self.key)

    @property
    def _unknown_name(self) -> str:
        """The message for an unknown host name. It does not contain the token, because strangers can read it."""
        message = (
            "this server does not know the name in the request: open the address that brv-tui serve printed, "
            f"{self.address}?…"
        )
        if self._host in ("0.0.0.0", "::"):
            message += f", with this machine's own name or IP address in place of {self._host}"
        return message

    def _is_own_name(self, request: web.Request) -> bool:
        if len(request.headers.getall("Host", ())) != 1:
            return False
        try:
            name = (urlsplit(f"//{request.host}").hostname or "").lower()
            return name in self._names or bool(ipaddress.ip_address(name))
        except ValueError:
            return False


def _equal(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())
