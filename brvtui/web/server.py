"""Serves the app to browsers; pages of other sites are kept out."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import shlex
import socket
from asyncio.subprocess import Process
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp_jinja2
from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server

_PAGES = Path(__file__).with_name("pages")
_FONT_SIZE = 16
_PAGE_PATIENCE_S = 0.5
"""What open pages get to end by themselves when the server ends; then their apps are told to."""
_APP_PATIENCE_S = 5.0
"""What an app gets to end once it is told to; then it is killed."""
_COLUMNS, _ROWS = 80, 24
_DIGITS = 4


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on ``host`` and ``port`` (0: any that is free). Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class PageApp(AppService):
    """The process of one page's app: it never outlives the page for long."""

    async def stop(self) -> None:
        """Tells the app to end and waits for that; kills one that does not. May be called again."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        ending = asyncio.ensure_future(self._end(process))
        try:
            # Not a timeout around it: what it awaits takes a cancellation for an end, and goes on.
            await asyncio.wait({ending}, timeout=_APP_PATIENCE_S)
        finally:
            if process.returncode is None:
                process.kill()
            await ending

    async def _end(self, process: Process) -> None:
        await super().stop()
        await process.wait()


class AppServer(Server):
    """textual-serve's server with a page of our own, that fetches nothing from elsewhere, on an open socket.

    A browser sends whatever any site asks of it to this machine too. So a page is served only under an address or a
    name of this machine, and its connection is taken only from that page.
    """

    def __init__(self, command: Sequence[str], listening: socket.socket, host: str, title: str) -> None:
        """A server that runs ``command`` for each page; ``host`` is how the user named this machine."""
        # `exec`: the process that is ended is then the app, not a shell around it.
        super().__init__(f"exec {shlex.join(command)}", host, listening.getsockname()[1], title, templates_path=_PAGES)
        self._listening = listening
        self._names = {host.lower(), "localhost", socket.gethostname().lower()}

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"

    def serve(self, debug: bool = False) -> None:
        """Serves until Ctrl+C or SIGTERM."""
        logging.getLogger("textual-serve").setLevel(logging.ERROR)
        made = self._make_app()
        web.run_app(made, sock=self._listening, print=None, access_log=None, shutdown_timeout=_PAGE_PATIENCE_S)

    async def on_startup(self, app: web.Application) -> None:
        """Says nothing: the command told the address."""

    @aiohttp_jinja2.template("app_index.html")
    async def handle_index(self, request: web.Request) -> dict[str, Any]:
        """The page. Its parts have relative addresses, so that it works through a tunnel."""
        self._check_name(request)
        return {"title": self.title, "websocket": f"ws://{request.host}/ws", "font_size": _FONT_SIZE}

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """The connection of a page to an app of its own."""
        self._check_name(request)
        if urlsplit(request.headers.get("Origin", "")).netloc != request.host:
            raise web.HTTPForbidden(text="only the page that this server served may connect\n")
        connection = web.WebSocketResponse(heartbeat=15)
        await connection.prepare(request)

        async def close() -> None:
            await connection.close()

        app = PageApp(
            self.command,
            write_bytes=connection.send_bytes,
            write_str=connection.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        try:
            await app.start(_cells(request, "width", _COLUMNS), _cells(request, "height", _ROWS))
            await self._process_messages(connection, app)
        except ConnectionError:
            pass  # the page is gone
        finally:
            await app.stop()
            await close()
        return connection

    def _check_name(self, request: web.Request) -> None:
        name = (urlsplit(f"//{request.host}").hostname or "").lower()
        if name not in self._names and not _is_address(name):
            raise web.HTTPForbidden(text=f"open {self.url}; this server does not know the name {name}\n")


def _cells(request: web.Request, name: str, standard: int) -> int:
    given = request.query.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < _DIGITS else standard


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False
