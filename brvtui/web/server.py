"""The app in a browser: the page, and an app process for each of its connections."""

from __future__ import annotations

import asyncio
import html
import ipaddress
import json
import logging
import shlex
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from brvtui import programs
from brvtui.config.layers import SERVED
from brvtui.web.guard import ONLY_OWN_PAGES, Guard

_PAGES = Path(__file__).with_name("pages")
_PAGE_PATIENCE_S = 0.5
"""The seconds that open pages have to close when the server ends. After that, the server asks their apps to exit."""
_APP_PATIENCE_S = 5.0
"""The seconds that an app has to exit when asked to. After that, it is killed."""
_LOOK_S = 0.05
"""The interval in seconds between checks for running apps."""
_MOST_APPS = 8
_LARGEST_MESSAGE = 1_048_576
_COLUMNS, _ROWS = 80, 24
_MOST_CELLS = 1000


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on ``host`` and ``port`` (0: any free port). Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def is_loopback(host: str) -> bool:
    """True if only this machine can reach ``host``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class PageApp(AppService):
    """The process of one page's app, which ends soon after the page."""

    def _build_environment(self, width: int = _COLUMNS, height: int = _ROWS) -> programs.Environment:
        return programs.environment(of=super()._build_environment(width, height), more={SERVED: "1"})

    async def _open_app_process(self, width: int = _COLUMNS, height: int = _ROWS) -> Process:
        self._process = await programs.start_app(shlex.split(self.command), self._build_environment(width, height))
        self._stdin = self._process.stdin
        return self._process

    async def stop(self) -> None:
        """Tells the app to end and waits; kills an app that does not end. May be called again."""
        process = self._process
        if process is None:
            return
        ending = asyncio.ensure_future(self._end(process))
        try:
            # `asyncio.wait` does not cancel: the inner wait would take that for the app's end, and continue.
            await asyncio.wait({ending}, timeout=_APP_PATIENCE_S)
        finally:
            if process.returncode is None:
                process.kill()
            assert process.stdin is not None
            process.stdin.close()
            await ending

    async def _end(self, process: Process) -> None:
        await super().stop()
        await process.wait()


class AppServer:
    """Serves a page to its owner, and runs a command for each connection from a page."""

    def __init__(self, command: Sequence[str], listening: socket.socket, host: str, title: str) -> None:
        """A server on the listening socket ``listening``. ``host`` is the user's name for this machine."""
        self._command = shlex.join(command)
        self._listening = listening
        self._title = title
        self._guard = Guard(host, listening.getsockname()[1])
        self._downloads = DownloadManager()
        self._apps = 0

    @property
    def url(self) -> str:
        """The address to open, with the token."""
        return f"{self._guard.address}?token={self._guard.token}"

    def serve(self) -> None:
        """Serves until Ctrl+C or SIGTERM."""
        for name in ("aiohttp", "asyncio", "textual-serve"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # nothing that strangers send is printed
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        app = web.Application(middlewares=[self._guard.check])
        app.on_response_prepare.append(self._guard.protect)
        app.add_routes(
            [
                web.get("/", self._page),
                web.get("/page.js", self._script),
                web.get("/ws/{key}", self._connect),
                web.get("/download/{key}", self._download),
                web.static("/static", str(files("textual_serve") / "static")),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_PAGE_PATIENCE_S, lingering_time=0)
        await runner.setup()
        make = runner.server
        assert make is not None
        server = await loop.create_server(lambda: self._guard.admit(make()), sock=self._listening)
        try:
            await ended.wait()
        finally:
            server.close()
            await runner.cleanup()
            until = loop.time() + _APP_PATIENCE_S
            while self._apps and loop.time() < until:  # cleaning up does not wait for the handlers that it cancels
                await asyncio.sleep(_LOOK_S)

    async def _page(self, request: web.Request) -> web.Response:
        """The page. The addresses of its parts are relative, so that it works through a tunnel."""
        has_token = self._guard.has_token(request)
        text = (_PAGES / "app_index.html").read_text(encoding="utf-8")
        text = text.replace("{{ key }}", self._guard.key if has_token else "")
        text = text.replace("{{ title }}", html.escape(self._title))
        response = web.Response(text=text, content_type="text/html")
        if has_token:
            self._guard.give_cookie(response)
        return response

    async def _script(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(_PAGES / "page.js")

    async def _connect(self, request: web.Request) -> web.WebSocketResponse:
        """Connects a page to its own app."""
        if "Origin" not in request.headers or not self._guard.has_key(request.match_info["key"]):
            raise web.HTTPForbidden(text=ONLY_OWN_PAGES)
        if self._apps >= _MOST_APPS:
            raise web.HTTPServiceUnavailable(text=f"{_MOST_APPS} pages are already open: close one\n")
        self._apps += 1
        try:
            return await self._run_app(request)
        finally:
            self._apps -= 1

    async def _run_app(self, request: web.Request) -> web.WebSocketResponse:
        connection = web.WebSocketResponse(heartbeat=15, max_msg_size=_LARGEST_MESSAGE)
        await connection.prepare(request)

        async def close() -> None:
            await connection.close()

        app = PageApp(
            self._command,
            write_bytes=connection.send_bytes,
            write_str=connection.send_str,
            close=close,
            download_manager=self._downloads,
        )
        try:
            await app.start(_cells(request.query.get("width"), _COLUMNS), _cells(request.query.get("height"), _ROWS))
            async for message in connection:
                if message.type is not WSMsgType.TEXT or not await _forward(message.data, connection, app):
                    await connection.close(code=WSCloseCode.UNSUPPORTED_DATA)
        except ConnectionError:
            pass  # the page is gone
        finally:
            await app.stop()
            await close()
        return connection

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Sends a file from an app to a browser. Only the app's page knows the key."""
        key = request.match_info["key"]
        try:
            download = await self._downloads.get_download_metadata(key)
        except KeyError:
            raise web.HTTPNotFound from None
        response = web.StreamResponse()
        response.content_type = "application/octet-stream"
        response.headers["Content-Disposition"] = f"attachment; filename={json.dumps(download.file_name)}"
        await response.prepare(request)
        async for chunk in self._downloads.download(key):
            await response.write(chunk)
        await response.write_eof()
        return response


async def _forward(text: str, connection: web.WebSocketResponse, app: AppService) -> bool:
    """Passes a message from the page to the app. Returns False for a message that no page would send."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return False
    match message:
        case ["stdin", str(typed)]:
            await app.send_bytes(typed.encode("utf-8", "replace"))
        case ["resize", {"width": width, "height": height}]:
            await app.set_terminal_size(_cells(width, _COLUMNS), _cells(height, _ROWS))
        case ["ping", str() | int() | float() as data]:
            await connection.send_json(["pong", data])
        case ["blur", *_]:
            await app.blur()
        case ["focus", *_]:
            await app.focus()
        case _:
            return False
    return True


def _cells(given: Any, standard: int) -> int:
    """``given`` as a width or height in cells, at most 1000; ``standard`` if it is not a number."""
    text = str(given)
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_MOST_CELLS))
    return min(max(int(text), 1), _MOST_CELLS) if is_number else standard
