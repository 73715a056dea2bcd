"""Decides who may use the served app: requests of its owner's pages, and nobody else's.

See ``docs/explanation/security.md``.
"""

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
"""Open connections without a valid request; one more closes the oldest."""
STRANGER_S = 10.0
"""Seconds within which a connection must send a valid request."""
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
    """Lets requests pass that name this server, come from its own page, and hold the token or its cookie.

    Another user of the machine reaches the port, and a browser sends what any site asks of it to this machine too.
    The cookie alone opens no app: browsers send it to all ports of a host, another user's among them. A page needs
    the ``key`` too, which it keeps in its storage; that belongs to one port.
    """

    def __init__(self, host: str, port: int) -> None:
        """A new token, cookie and key for the server that the user calls ``host``."""
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        """The server's address without the token."""
        self.token = secrets.token_urlsafe(32)
        self.key = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self._cookie_name = f"brv-tui-{port}"
        self._host = host
        self._names = {host.lower(), "localhost", socket.gethostname().lower()}
        self._strangers: dict[RequestHandler, None] = {}
        """Connections without a valid request so far, oldest first."""

    def admit(self, connection: RequestHandler) -> RequestHandler:
        """``connection``, which is closed unless a valid request comes in time, or before many other strangers."""
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
        """Adds the headers that keep a response out of frames, caches and other sites."""
        response.headers.update(_HEADERS)

    def give_cookie(self, response: web.StreamResponse) -> None:
        """Exchanges the token for the cookie that all later requests need."""
        response.set_cookie(self._cookie_name, self._cookie, httponly=True, samesite="Strict", path="/")

    @web.middleware
    async def check(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """The answer of ``handler`` to the owner; a refusal to everybody else, never with a traceback."""
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
        except Exception as error:  # a stranger must never read a traceback: it goes into a report
            print(visible(f"brv-tui: {write_crash_report(error, Circumstances('serving a page'))}"), file=sys.stderr)
            return web.Response(status=500, text="failed\n")

    def _refuse_strangers(self, request: web.Request) -> None:
        if not self._is_own_name(request):
            raise web.HTTPForbidden(text=f"{self._unknown_name}\n")
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{request.host}":
            raise web.HTTPForbidden(text=ONLY_OWN_PAGES)
        if not self.has_token(request) and not _equal(request.cookies.get(self._cookie_name, ""), self._cookie):
            raise web.HTTPForbidden(text="open the address that brv-tui serve printed: it holds the token\n")

    def has_token(self, request: web.Request) -> bool:
        """Whether ``request`` asks for the page with the token; nothing else takes a token."""
        return request.path == "/" and _equal(request.query.get("token", ""), self.token)

    def has_key(self, given: str) -> bool:
        """Whether ``given`` is the key that only this server's own pages know."""
        return _equal(given, self.key)

    @property
    def _unknown_name(self) -> str:
        """What to open in place of a name that is not this server's, without the token: strangers read it."""
        said = f"this server does not know the name in the request: open what brv-tui serve printed, {self.address}?…"
        if self._host in ("0.0.0.0", "::"):
            said += f", with this machine's own name or an IP address of it in place of {self._host}"
        return said

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
