"""Attacks on ``brv-tui serve`` by another user, by another site in the owner's browser, and with invalid data."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import aiohttp

from tests.attacks.harness import Probe, report
from tests.attacks.services import project

_SECONDS = 20
_NOBODY = 65534
_SECRETS = ("Gate 1", "data-key", "<html", "Traceback")
"""Text that a stranger must never receive."""


@dataclass(frozen=True)
class Server:
    """A running server, with its token and other secrets that only its owner knows."""

    process: subprocess.Popen[str]
    port: int
    token: str
    cookie: str
    key: str

    @property
    def host(self) -> str:
        """Its address."""
        return f"127.0.0.1:{self.port}"

    def filled(self, text: str) -> str:
        """``text`` with the names in braces replaced."""
        known = {"host": self.host, "token": self.token, "cookie": self.cookie, "key": self.key, "port": str(self.port)}
        return re.sub(r"\{(\w+)\}", lambda found: known[found[1]], text)


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """The server of a project in ``folder``. Its standard error is in ``folder / "said"``."""
    project(folder)
    own = {name: str(folder / "own") for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR")}
    with (folder / "said").open("w") as message:
        process = subprocess.Popen(
            [sys.executable, "-m", "brvtui", "serve", str(folder), "--port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=message, text=True, cwd=folder,
            env={**os.environ, **own, "A_SECRET": "the-value-of-a-secret"}, start_new_session=True,
        )  # fmt: skip
    try:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", process.stdout.readline())
        assert found
        with urlopen(found[0], timeout=_SECONDS) as answer:
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
            key = re.search(r'data-key="([^"]+)"', answer.read().decode())
        assert key
        yield Server(process, int(found[1]), found[2], cookie, key[1])
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _answer(port: int, request: bytes) -> str:
    """The server's response within a moment."""
    with socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as connection:
        received = b""
        with suppress(OSError):
            connection.sendall(request)
            connection.settimeout(0.7)
            while piece := connection.recv(65_536):
                received += piece
    return received.decode("latin-1")


def _leaked(answer: str) -> str:
    """The problem with a response to a stranger."""
    status = answer.partition(" ")[2][:3]
    if status in ("101", "200", "206", "500"):
        return f"answered with {status}"
    return next((f"sent {secret!r}" for secret in _SECRETS if secret in answer), "")


def _still_serves(server: Server) -> str:
    """The problem with the server after an attack."""
    try:
        with urlopen(f"http://{server.host}/?token={server.token}", timeout=_SECONDS) as answer:
            return "" if answer.status == 200 else f"the owner is answered with {answer.status}"
    except OSError as error:
        return f"the owner is kept out: {error}"


def _served(name: str, attack: Callable[[Server], str]) -> Probe:
    """An attack that succeeds if ``attack`` returns a text, the owner is locked out, or the server prints anything."""

    def run(folder: Path) -> str:
        with serving(folder) as server:
            problem = attack(server) or _still_serves(server)
        said = (folder / "said").read_text()
        return problem or (f"it said {said[:200]!r}" if said else "")

    return Probe(name, run)


_UPGRADE = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)
_OWN, _COOKIE, _EVIL = "Origin: http://{host}", "Cookie: {cookie}", "Origin: http://evil.example"
_PART = "/static/js/textual.js"


def _get(target: str, *headers: str, host: str = "{host}") -> str:
    """A request for ``target``, in which names in braces are replaced by the server's values."""
    ending = () if "Connection: Upgrade" in headers else ("Connection: close",)
    return "\r\n".join((f"GET {target} HTTP/1.1", f"Host: {host}", *headers, *ending, "", ""))


REQUESTS = {
    "the page without a token": _get("/"),
    "the page with a guessed token": _get("/?token=" + "a" * 43),
    "the page with an empty token": _get("/?token="),
    "the page with an empty cookie": _get("/", "Cookie: brv-tui-{port}="),
    "the page with the token as a cookie": _get("/", "Cookie: brv-tui-{port}={token}"),
    "the page with odd signs in a cookie": _get("/", "Cookie: brv-tui-{port}=\xff\xfe"),
    "a part of the page": _get(_PART),
    "a part of the page with a range": _get(_PART, "Range: bytes=0-9"),
    "a part of the page with the token": _get(f"{_PART}?token={{token}}"),
    "the list of a folder": _get("/static/"),
    "the list of a folder, with the cookie": _get("/static/js/", _COOKIE),
    "a file outside, with the cookie": _get("/static/../server.py", _COOKIE),
    "a file outside, encoded": _get("/static/%2e%2e/server.py", _COOKIE),
    "a file outside, absolute": _get("/static//etc/passwd", _COOKIE),
    "a download that is not there": _get("/download/x", _COOKIE),
    "a connection without a cookie": _get("/ws/{key}", _OWN, *_UPGRADE),
    "a connection at the old path": _get("/ws", _OWN, _COOKIE, *_UPGRADE),
    "a connection with a stolen cookie": _get("/ws/guess", _OWN, _COOKIE, *_UPGRADE),
    "a connection with the token in its path": _get("/ws/{key}?token={token}", _OWN, *_UPGRADE),
    "a connection of another site": _get("/ws/{key}", _EVIL, _COOKIE, *_UPGRADE),
    "a connection of another port": _get("/ws/{key}", "Origin: http://127.0.0.1:1", _COOKIE, *_UPGRADE),
    "a connection of the same port by TLS": _get("/ws/{key}", "Origin: https://{host}", _COOKIE, *_UPGRADE),
    "a page of the same port by TLS": _get("/", "Origin: https://{host}", _COOKIE),
    "a connection of a file": _get("/ws/{key}", "Origin: null", _COOKIE, *_UPGRADE),
    "a connection of nobody": _get("/ws/{key}", _COOKIE, *_UPGRADE),
    "a rebound name": _get("/", _COOKIE, host="evil.example:{port}"),
    "a rebound name for a part": _get(_PART, _COOKIE, host="evil.example"),
    "a rebound name with the token": _get("/?token={token}", host="evil.example:{port}"),
    "two names": _get("/", "Host: evil.example", _COOKIE),
    "no name": "GET / HTTP/1.0\r\nCookie: {cookie}\r\n\r\n",
    "half a name": _get("/", _COOKIE, host="["),
    "an address as the target": _get("http://evil.example/", _COOKIE, host="evil.example"),
    "a page of another site": _get("/", _EVIL, _COOKIE),
    "a proxy's request": "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n",
    "a form": "POST / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nContent-Length: 2\r\n\r\nhi",
    "a body without end": "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999\r\n\r\nhi",
    "a hidden second request": _get("/", "Content-Length: 4", "Transfer-Encoding: chunked") + "0\r\n\r\n" + _get("/"),
    "a header of 100 kB": _get("/", "X-Long: " + "x" * 100_000),
    "a line that is no request": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
}


def _requests(server: Server) -> str:
    """Sends each of :data:`REQUESTS` as a stranger, one after the other."""
    for name, request in REQUESTS.items():
        problem = _leaked(_answer(server.port, server.filled(request).encode("latin-1"))) or _still_serves(server)
        if problem:
            return f"{name}: {problem}"
    return ""


def _junk(server: Server) -> str:
    chance = random.Random(13)
    for _ in range(150):
        with socket.create_connection(("127.0.0.1", server.port), timeout=_SECONDS) as connection, suppress(OSError):
            connection.sendall(chance.randbytes(chance.randrange(1, 3_000)))
    return ""


def _crowd(server: Server) -> str:
    """Opens hundreds of idle connections: the owner can still connect, and the idle ones are closed."""
    with ExitStack() as opened:
        idle = [
            opened.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=_SECONDS))
            for _ in range(700)
        ]
        for connection in idle[::2]:
            with suppress(OSError):
                connection.sendall(b"GET / HTT")
        began = time.monotonic()
        if problem := _still_serves(server):
            return problem
        if time.monotonic() - began > 5:
            return f"the owner waited for {time.monotonic() - began:.1f} s"
        for connection in idle:
            with suppress(ConnectionError):
                connection.settimeout(_SECONDS)
                if connection.recv(1) not in (b"", b"H"):
                    return "an idle connection was answered"
    return ""


def _apps_of(server: Server) -> list[int]:
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return [int(child) for child in children]


def _many_connections(server: Server) -> str:
    """Requests many connections as a stranger, which must not start an app."""
    request = server.filled(_get("/ws/guess", _OWN, *_UPGRADE)).encode()
    for _ in range(100):
        with socket.create_connection(("127.0.0.1", server.port), timeout=_SECONDS) as connection:
            connection.sendall(request)
    return f"{len(_apps_of(server))} apps were started" if _apps_of(server) else ""


def _as_another_user(server: Server) -> str:
    """The response to another user of the machine, with everything in the process list."""
    code = (
        "import encodings.idna, os, socket, sys\n"
        "if os.getuid() == 0: os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))\n"
        "words = []\n"
        "for pid in filter(str.isdigit, os.listdir('/proc')):\n"
        "    for name in ('cmdline', 'environ'):\n"
        "        try: words += open(f'/proc/{pid}/{name}', 'rb').read().replace(b'=', b'\\0').split(b'\\0')\n"
        "        except OSError: pass\n"
        "for word in {b'', *(word for word in words if 20 < len(word) < 60 and b'/' not in word)}:\n"
        "    with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as one:\n"
        "        one.sendall(b'GET /?token=%s HTTP/1.0\\r\\nHost: 127.0.0.1\\r\\n\\r\\n' % word)\n"
        "        answer = one.recv(100)\n"
        "        if b' 200 ' in answer: print('let in by', word)\n"
    )
    command = [sys.executable, "-I", "-c", code, str(server.port), str(_NOBODY)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout.strip() or done.stderr.strip()


def _with_page(attack: Callable[[Server, aiohttp.ClientWebSocketResponse], Awaitable[str]]) -> Callable[[Server], str]:
    """An attack over the connection of one of the owner's pages."""

    async def connect(server: Server) -> str:
        headers = {"Origin": f"http://{server.host}", "Cookie": server.cookie}
        async with (
            aiohttp.ClientSession() as client,
            client.ws_connect(f"http://{server.host}/ws/{server.key}", headers=headers) as connection,
        ):
            return await attack(server, connection)

    return lambda server: asyncio.run(connect(server))


def _message(text: str) -> Callable[[Server], str]:
    async def attack(server: Server, connection: aiohttp.ClientWebSocketResponse) -> str:
        await connection.send_str(text)
        async with asyncio.timeout(_SECONDS):
            while (await connection.receive()).type is aiohttp.WSMsgType.BINARY:
                pass
        return "" if connection.closed else "the connection stayed open"

    return _with_page(attack)


async def _set(connection: aiohttp.ClientWebSocketResponse, name: str, value: str) -> None:
    """Sets ``name`` to ``value`` in the Settings screen by typing."""

    async def read() -> None:
        with suppress(TimeoutError):
            while True:
                await connection.receive(timeout=0.7)

    await read()
    for typed in ("\x1b", ",", "/", name, "\r", "\r", "\x15" + value, "\r"):
        await connection.send_str(json.dumps(["stdin", typed]))
        await read()


def _setting(name: str, value: str, may: bool) -> Callable[[Server], str]:
    async def attack(server: Server, connection: aiohttp.ClientWebSocketResponse) -> str:
        await _set(connection, name, value)
        file = Path(os.readlink(f"/proc/{server.process.pid}/cwd")) / "own" / "config" / "config.toml"
        is_set = file.exists() and name.rpartition(".")[2] in file.read_text()
        if is_set and not may:
            return f"{name} was set"
        return "the keys set nothing: this shows nothing" if may and not is_set else ""

    return _with_page(attack)


def _all() -> Iterator[Probe]:
    yield _served(f"{len(REQUESTS)} requests of strangers", _requests)
    yield _served("150 connections that send junk", _junk)
    yield _served("700 idle connections", _crowd)
    yield _served("100 connections of strangers", _many_connections)
    yield _served("another user who tries what the process list shows", _as_another_user)
    for text in ("{", "[]", '["stdin", 1]', '["resize", {"width": 1e999, "height": {}}]x', "[" * 200_000):
        yield _served(f"the message {text[:40]}", _message(text))
    yield _served("history is set in the page, as it may", _setting("history", "77", True))
    for name, value in (
        ("llm.url", "http://127.0.0.1:9/v1"), ("llm.key_env", "A_SECRET"), ("key_variables", "A_SECRET"),
        ("editor.command", "touch /tmp/x"), ("llm.answer_tokens", "999999999"),
    ):  # fmt: skip
        yield _served(f"{name} is set in the page", _setting(name, value, False))


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
