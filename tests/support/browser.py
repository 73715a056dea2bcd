"""A headless Chromium, driven over its own protocol, to read the terminal in a page."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 40
_END_S = 10
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-dev-shm-usage", "--mute-audio", "--hide-scrollbars", "--remote-debugging-port=0",
)  # fmt: skip
# The page does not expose its terminal, so this captures the terminal when it is created.
_HOLD_TERMINAL = """
Object.defineProperty(Object.prototype, "terminal", {
    configurable: true,
    set(made) {
        Object.defineProperty(this, "terminal", {value: made, writable: true, configurable: true});
        if (made && made.buffer) window.heldTerminal = made;
    },
});
"""
_READ_TERMINAL = """
(() => {
    const held = window.heldTerminal;
    if (!held) return "";
    const buffer = held.buffer.active, lines = [];
    for (let row = 0; row < held.rows; row++) lines.push(buffer.getLine(row).translateToString(true));
    return lines.join("\\n");
})()
"""
_KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "F3": (114, ""), "F8": (119, "")}


class Page:
    """One page of the browser."""

    def __init__(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        """The page behind ``connection``."""
        self._connection = connection
        self._number = 0
        self.requested: list[str] = []
        """The addresses that the page requested."""

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Returns the result of the protocol's ``method``."""
        self._number += 1
        await self._connection.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            answer = json.loads(await asyncio.wait_for(self._connection.receive_str(), SECONDS))
            if answer.get("method") == "Network.requestWillBeSent":
                self.requested.append(answer["params"]["request"]["url"])
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    async def evaluate(self, script: str) -> Any:
        """The result of a script that runs in the page."""
        return (await self.call("Runtime.evaluate", expression=script, returnByValue=True))["result"].get("value")

    async def open(self, address: str) -> None:
        """Opens ``address``, and waits until the page's terminal can be read."""
        await self.call("Network.enable")
        await self.call("Page.enable")
        await self.call("Page.addScriptToEvaluateOnNewDocument", source=_HOLD_TERMINAL)
        await self.call("Page.navigate", url=address)

    async def text(self) -> str:
        """The rows of the terminal."""
        return str(await self.evaluate(_READ_TERMINAL))

    async def until(self, shown: Callable[[str], object]) -> str:
        """The terminal's rows, as soon as ``shown`` is true of them. Fails if this takes too long."""
        async with asyncio.timeout(SECONDS):
            while not shown(text := await self.text()):
                await asyncio.sleep(0.05)
        return text

    async def type(self, text: str) -> None:
        """Types ``text``, key by key."""
        for character in text:
            await self.call("Input.dispatchKeyEvent", type="keyDown", text=character, key=character)
            await self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    async def press(self, key: str) -> None:
        """Presses a key by its name."""
        code, text = _KEYS[key]
        named = {"key": key, "code": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
        await self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **named)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    async def picture(self, file: Path) -> None:
        """Writes the page as a PNG."""
        result = await self.call("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(result["data"]))


@asynccontextmanager
async def opened(folder: Path, width: int = 1200, height: int = 800) -> AsyncIterator[Page]:
    """A page in a browser that stores all its data in ``folder``, which must be empty."""
    assert PROGRAM is not None
    command = [PROGRAM, *_FLAGS, f"--user-data-dir={folder}", f"--window-size={width},{height}", "about:blank"]
    quiet = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    nowhere = subprocess.DEVNULL
    browser = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=quiet, start_new_session=True)
    try:
        port = await _port(folder / "DevToolsActivePort", browser)
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(SECONDS)) as client:
            async with client.get(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = [page for page in await answer.json() if page["type"] == "page"]
            async with client.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as connection:
                yield Page(connection)
    finally:
        browser.terminate()
        with suppress(subprocess.TimeoutExpired):
            browser.wait(_END_S)
        with suppress(ProcessLookupError):
            os.killpg(browser.pid, signal.SIGKILL)
        browser.wait(_END_S)


async def _port(file: Path, browser: subprocess.Popen[bytes]) -> int:
    async with asyncio.timeout(SECONDS):
        while True:
            assert browser.poll() is None, f"the browser ended with {browser.returncode}"
            text = file.read_text() if file.exists() else ""
            if "\n" in text:
                return int(text.splitlines()[0])
            await asyncio.sleep(0.05)
