"""``brv-tui serve``: output, access and shutdown."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import aiohttp
import pytest
from textual_serve.download_manager import DownloadManager

from brvtui.cli import serving
from brvtui.cli.failure import Failure, check_trace
from brvtui.installation import install_command
from brvtui.store.drafts import DraftStore
from brvtui.web import guard, server
from brvtui.web.server import is_loopback, listen
from tests.support.trees import Tree

NOW = "2026-11-20T12:00:00Z"
LIMIT_S = 30
_DOWN = "\x1b[B"
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


@dataclass(frozen=True)
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    line: str

    @property
    def printed(self) -> str:
        """The address that the server printed, with the token."""
        return self.line.split(" is at ")[1].split()[0]

    @property
    def url(self) -> str:
        """The address without the token."""
        return self.printed.partition("?")[0]

    @property
    def port(self) -> int:
        """The server's port."""
        return int(self.url.rstrip("/").rpartition(":")[2])

    async def enter(self) -> tuple[str, str]:
        """Opens the printed address; returns the header with the cookie, and the key."""
        async with aiohttp.ClientSession() as client, client.get(self.printed) as answer:
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
            found = re.search(r'data-key="([^"]+)"', await answer.text())
            assert found
            return cookie, found[1]


def start(*arguments: str) -> subprocess.Popen[str]:
    """A server in its own process group; :func:`end` ends it."""
    command = [sys.executable, "-m", "brvtui", "serve", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def line_of(process: subprocess.Popen[str]) -> str:
    """The first line that the server prints. Fails if there is none in time."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], LIMIT_S)
    if not ready:
        end(process)
        pytest.fail("the server printed nothing")
    return process.stdout.readline()


def end(process: subprocess.Popen[str]) -> str:
    """Ends the server, by force if necessary, and returns its standard error."""
    process.terminate()
    try:
        return process.communicate(timeout=LIMIT_S)[1]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def refused(*arguments: str) -> tuple[int, str]:
    """The exit code and the message of a server that does not start."""
    process = start(*arguments)
    try:
        _, error = process.communicate(timeout=LIMIT_S)
    finally:
        end(process)
    return process.returncode, error


@pytest.fixture
def served(tree: Tree) -> Iterator[Served]:
    """The app on a small project, served on a free port of this machine."""
    tree.note("x/n.md", "Quokka", "all about the quokka")
    process = start(str(tree.root), "--port", "0", "--now", NOW)
    try:
        yield Served(process, line_of(process))
    finally:
        end(process)


async def get(url: str, **headers: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as client, client.get(url, headers=headers) as answer:
        return answer.status, await answer.text()


async def connected(served: Served, origin: str, host: str = "", cookie: str = "", key: str = "") -> bool:
    """True if the server accepts a connection from a page with this ``origin``, by default its owner's."""
    own_cookie, own_key = await served.enter()
    headers = {"Origin": origin, "Cookie": cookie or own_cookie, **({"Host": host} if host else {})}
    async with aiohttp.ClientSession() as client:
        try:
            async with client.ws_connect(f"{served.url}ws/{key or own_key}", headers=headers) as connection:
                message = await connection.receive(timeout=LIMIT_S)
                return message.type is aiohttp.WSMsgType.BINARY
        except aiohttp.WSServerHandshakeError as error:
            return error.status != HTTPStatus.FORBIDDEN


async def test_serve_prints_its_address_and_serves_the_page(served: Served, tree: Tree) -> None:
    assert re.fullmatch(
        rf"{tree.root.name} is at http://127\.0\.0\.1:{served.port}/\?token=[\w-]{{43}} \(Ctrl\+C stops it\)\n",
        served.line,
    )
    status, page = await get(served.printed)
    assert status == 200
    assert "googleapis" not in page


@pytest.mark.long
async def test_repository_can_be_served(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    process = start("--repo", str(tmp_path / "shop"), "--port", "0")
    try:
        assert line_of(process).startswith("shop is at http://127.0.0.1:")
    finally:
        end(process)
    assert refused(str(tmp_path), "--repo", str(tmp_path)) == (2, "brv-tui: use either a project or --repo\n")
    assert refused("--repo", str(tmp_path / "gone"))[0] == 3
    (tmp_path / "x.json").write_text("{}")
    code, error = refused(str(tmp_path / "x.json"), "--port", "0")
    assert (code, "not a saved trace" in error) == (2, True)
    (tmp_path / ".brv" / "context-tree").mkdir(parents=True)
    code, error = refused(str(tmp_path), "--port", "0", "--engine", "soleri", "--profile", "nonesuch")
    assert (code, "no profile nonesuch: use soleri, soleri-code" in error) == (2, True)


async def test_every_path_needs_the_cookie_given_for_the_token(served: Served) -> None:
    cookie, key = await served.enter()
    paths = ("", "page.js", "static/js/textual.js", "static/", "download/x", "nothing", f"ws/{key}")
    for path in paths:
        assert (await get(f"{served.url}{path}"))[0] == 403
        assert (await get(f"{served.url}{path}", Cookie=cookie.partition("=")[0] + "=guessed"))[0] == 403
    for path in ("page.js", "static/js/textual.js"):
        assert (await get(f"{served.url}{path}?{served.printed.partition('?')[2]}"))[0] == 403
        assert (await get(f"{served.url}{path}", Cookie=cookie))[0] == 200
    assert (await get(f"{served.printed}x"))[0] == 403
    status, page = await get(served.url, Cookie=cookie)
    assert (status, 'data-key=""' in page) == (200, True)
    assert (await get(f"{served.url}static/", Cookie=cookie))[0] == 403
    for path in ("download/x", "static/" + "a/" * 4000, "static/" + "a" * 300, "download/" + "x" * 300):
        assert (await get(f"{served.url}{path}", Cookie=cookie))[0] == 404


async def test_cookie_and_page_headers_restrict_access(served: Served) -> None:
    async with aiohttp.ClientSession() as client, client.get(served.printed) as answer:
        assert "; HttpOnly; " in answer.headers["Set-Cookie"]
        assert answer.headers["Set-Cookie"].endswith("SameSite=Strict")
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cache-Control"] == "no-store"


async def test_connection_needs_the_cookie_and_the_key(served: Served) -> None:
    own = served.url.rstrip("/")
    cookie, _ = await served.enter()
    assert not await connected(served, own, cookie=f"{cookie}x")
    assert not await connected(served, own, key="guessed")


async def test_malformed_messages_close_the_connection_quietly(served: Served) -> None:
    cookie, key = await served.enter()
    headers = {"Origin": served.url.rstrip("/"), "Cookie": cookie}
    messages = ("{", "[]", "7", '["resize", 1]', '["stdin", 1]', "[" * 100_000)
    async with aiohttp.ClientSession() as client:
        for message in messages:
            async with client.ws_connect(f"{served.url}ws/{key}", headers=headers) as connection:
                await connection.send_str(message)
                async with asyncio.timeout(LIMIT_S):
                    while (await connection.receive()).type is aiohttp.WSMsgType.BINARY:
                        pass
                assert connection.close_code == aiohttp.WSCloseCode.UNSUPPORTED_DATA
    assert end(served.process) == ""


async def test_number_of_open_pages_is_limited(served: Served) -> None:
    cookie, key = await served.enter()
    headers = {"Origin": served.url.rstrip("/"), "Cookie": cookie}
    async with aiohttp.ClientSession() as client, AsyncExitStack() as opened:
        for _ in range(server._MOST_APPS):
            await opened.enter_async_context(client.ws_connect(f"{served.url}ws/{key}", headers=headers))
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            await client.ws_connect(f"{served.url}ws/{key}", headers=headers)
        assert refusal.value.status == HTTPStatus.SERVICE_UNAVAILABLE


async def test_page_has_the_theme_background(served: Served) -> None:
    cookie, key = await served.enter()
    headers = {"Origin": served.url.rstrip("/"), "Cookie": cookie}
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(f"{served.url}ws/{key}", headers=headers) as connection,
        asyncio.timeout(LIMIT_S),
    ):
        shown = b""
        while b"\x1b]11;#11141a\x1b\\" not in shown:
            shown += (await connection.receive()).data
        while "○1".encode() not in shown:
            shown += (await connection.receive()).data
        shown = b""
        for typed in ("\x1b", "t"):  # switches to the next theme
            await connection.send_str(json.dumps(["stdin", typed]))
            await asyncio.sleep(0.5)
        while not (found := re.search(rb"\x1b\]11;(#[0-9a-f]{6})\x1b", shown)):
            shown += (await connection.receive()).data
        assert found[1] != b"#11141a"


@pytest.mark.long
async def test_saved_trace_is_downloaded_only_by_the_owners_browser(served: Served) -> None:
    cookie, key = await served.enter()
    headers = {"Origin": served.url.rstrip("/"), "Cookie": cookie}
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(f"{served.url}ws/{key}", headers=headers) as connection,
        asyncio.timeout(LIMIT_S),
    ):
        shown = b""
        while "○1".encode() not in shown:
            shown += (await connection.receive()).data
        for typed, has_it, result in (
            (("quokka", "\x1b", "x", "\r"), lambda text: json.loads(text)["trace"]["query"] == "quokka", b"downloads"),
            # the browser receives only this file
            (("s",), lambda text: text.startswith("<svg") and "quokka" in text, b"svg"),
        ):
            for key in typed:
                await connection.send_str(json.dumps(["stdin", key]))
                await asyncio.sleep(0.5)
            while (message := await connection.receive()).type is aiohttp.WSMsgType.BINARY:
                pass
            kind, delivery = json.loads(message.data)
            assert kind == "deliver_file_start"
            address = f"{served.url}download/{delivery}"
            assert (await get(address))[0] == HTTPStatus.FORBIDDEN
            async with client.get(address, headers={"Cookie": cookie}) as answer:
                assert answer.status == HTTPStatus.OK
                assert answer.headers["Content-Disposition"].startswith("attachment; ")
                assert has_it(await answer.text())
            shown = b""
            while result not in _ESCAPES.sub(b"", shown):
                shown += (await connection.receive()).data


async def test_idle_connections_do_not_block_others(served: Served) -> None:
    with ExitStack() as opened:
        first = opened.enter_context(socket.create_connection(("127.0.0.1", served.port)))
        for _ in range(guard.MOST_STRANGERS + 50):
            opened.enter_context(socket.create_connection(("127.0.0.1", served.port)))
        assert (await get(served.printed))[0] == 200
        first.settimeout(LIMIT_S)
        assert first.recv(1) == b"", "the oldest is closed"


async def test_foreign_pages_may_not_connect(served: Served) -> None:
    own = served.url.rstrip("/")
    assert await connected(served, own)
    assert await connected(served, f"http://localhost:{served.port}", f"localhost:{served.port}")
    foreign = ("http://evil.example", f"http://evil.example:{served.port}", "null", "", f"{own}0", f"{own}/")
    near = (f"https://127.0.0.1:{served.port}", "http://127.0.0.1", f"http://localhost:{served.port}", own.upper())
    for other in (*foreign, *near):
        assert not await connected(served, other)


async def test_foreign_host_name_is_refused(served: Served) -> None:
    host = f"evil.example:{served.port}"
    cookie, _ = await served.enter()
    for path in ("", "static/js/textual.js"):
        status, text = await get(f"{served.url}{path}", Host=host, Cookie=cookie)
        assert (status, "token" in text) == (403, False)
        assert f"open the address that brv-tui serve printed, {served.url}?…" in text
    assert not await connected(served, f"http://{host}", host)
    assert (await get(served.url, Host=f"localhost:{served.port}", Cookie=cookie))[0] == 200


def test_unknown_host_name_gets_the_address_to_open() -> None:
    message = guard.Guard("0.0.0.0", 80)._unknown_name
    assert "with this machine's own name or IP address in place of 0.0.0.0" in message
    assert "in place of" not in guard.Guard("127.0.0.1", 80)._unknown_name


def test_file_without_a_trace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.md").write_text("x")
    with pytest.raises(Failure, match="neither a project's folder nor a saved trace"):
        check_trace(tmp_path / "r.md")


@pytest.mark.long
async def test_ctrl_c_ends_the_server_and_open_apps(served: Served) -> None:
    cookie, key = await served.enter()
    async with aiohttp.ClientSession() as client:
        headers = {"Origin": served.url.rstrip("/"), "Cookie": cookie}
        async with client.ws_connect(f"{served.url}ws/{key}", headers=headers) as connection:
            await connection.receive(timeout=LIMIT_S)
            served.process.send_signal(signal.SIGINT)
            async with asyncio.timeout(LIMIT_S):
                while (await connection.receive()).type is aiohttp.WSMsgType.BINARY:
                    pass
    _, error = await asyncio.to_thread(served.process.communicate, timeout=LIMIT_S)
    assert (served.process.returncode, error) == (0, "")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up in /proc")
async def test_closing_a_page_ends_its_app(served: Served) -> None:
    assert await connected(served, served.url.rstrip("/"))
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children")
    async with asyncio.timeout(LIMIT_S):
        while children.read_text().strip():
            await asyncio.sleep(0.05)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up in /proc")
async def test_apps_of_a_killed_server_end_and_keep_unsaved_text(served: Served, tree: Tree) -> None:
    cookie, key = await served.enter()
    shown = b""
    async with aiohttp.ClientSession() as client, asyncio.timeout(LIMIT_S), AsyncExitStack() as pages:
        headers = {"Origin": served.url.rstrip("/"), "Cookie": cookie}
        address = f"{served.url}ws/{key}?width=120&height=36"
        await pages.enter_async_context(client.ws_connect(address, headers=headers))  # a page that shows only the start
        page = await pages.enter_async_context(client.ws_connect(address, headers=headers))

        async def until(expected: bytes) -> None:
            nonlocal shown
            while expected not in shown:
                shown += _ESCAPES.sub(b"", (await page.receive()).data)

        await until(b"1 note")
        for typed in ("\x1b", "2", _DOWN, _DOWN, "e", "UNSAVED"):
            await page.send_str(json.dumps(["stdin", typed]))
            await asyncio.sleep(0.7)
        await until(b"UNSAVED")
        apps = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children").read_text().split()
        assert len(apps) == 2
        served.process.kill()
        while any(Path(f"/proc/{app}").exists() for app in apps):
            await asyncio.sleep(0.05)
    [draft] = DraftStore(tree.tree).all()
    assert (draft.path, b"UNSAVED" in draft.data, draft.is_being_edited) == ("x/n.md", True, False)


async def test_app_that_does_not_exit_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*said: object) -> None:
        pass

    monkeypatch.setattr(server, "_APP_PATIENCE_S", 0.2)
    app = server.PageApp(
        "/bin/sleep 1000", write_bytes=nothing, write_str=nothing, close=nothing, download_manager=DownloadManager()
    )
    await app.start(80, 24)
    async with asyncio.timeout(LIMIT_S):
        await app.stop()
        await app.stop()
    assert app._process.returncode == -signal.SIGKILL


def test_taken_port_is_reported(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, error = refused(str(tree.root), "--port", str(port))
    assert code == 4
    assert error == (
        f"brv-tui: port {port} on 127.0.0.1 is in use: stop the program using it, or choose another with --port"
        " (0: any)\n"
    )


def test_host_of_another_machine_is_reported(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    code, error = refused(str(tree.root), "--host", "192.0.2.1", "--port", "0")
    assert code == 2
    assert error.startswith("brv-tui: 192.0.2.1 is not an address of this machine: leave out --host, or give one")


@pytest.mark.parametrize(
    ("option", "message"),
    [("--signals", "nosuch.json: cannot be read as signals (there is no such file)"), ("--profile", "no profile")],
)
def test_options_that_no_page_can_open_are_refused_at_once(
    tree: Tree, tmp_path: Path, option: str, message: str
) -> None:
    tree.note("x/n.md", "Quokka")
    code, error = refused(str(tree.root), "--port", "0", option, str(tmp_path / "nosuch.json"))
    assert (code, error.count("\n")) == (2, 1)
    assert message in error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(socket.EAI_NONAME, "Name or service not known"),
            "h.example is not an address of this machine: leave out",
        ),
        (
            socket.gaierror(socket.EAI_AGAIN, "Temporary failure"),
            "h.example is not an address of this machine: leave out",
        ),
        (UnicodeError("label too long"), "h.example is not an address of this machine: leave out"),
        (
            OSError(errno.EACCES, "Permission denied"),
            "you lack permission for port 80: choose one above 1023 with --port",
        ),
        (OSError(errno.EADDRINUSE, "in use"), "port 80 on h.example is in use: stop the program using it"),
        (OSError(errno.ENOBUFS, "No buffer space"), "cannot listen on h.example, port 80 (No buffer space): choose"),
    ],
)
def test_failure_to_listen_is_explained(error: OSError | UnicodeError, message: str) -> None:
    assert serving._cannot_listen("h.example", 80, error).startswith(message)


def test_missing_project_is_reported(tmp_path: Path) -> None:
    code, error = refused(str(tmp_path / "nowhere"))
    assert (code, error.count("\n")) == (3, 1)


def test_serving_to_other_machines_shows_a_warning(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    process = start(str(tree.root), "--host", "0.0.0.0", "--port", "0")
    line = line_of(process)
    error = end(process)
    assert "http://0.0.0.0:" in line
    assert "nothing is encrypted" in error


def test_missing_web_extra_is_reported(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    code = "import sys; sys.modules['textual_serve.app_service'] = None; from brvtui.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", str(tree.root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 4
    assert done.stderr.endswith(f": {install_command('web')}\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("a.b", False)],
)
def test_loopback_hosts_are_recognised(host: str, here: bool) -> None:
    assert is_loopback(host) == here


def test_server_listens_on_ipv4_and_ipv6() -> None:
    for host in ("127.0.0.1", *(["::1"] if socket.has_dualstack_ipv6() else [])):
        with listen(host, 0) as result:
            assert result.getsockname()[1] > 0
