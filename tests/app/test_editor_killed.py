"""Unsaved text of a killed app is offered by the next app."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest

from benchmarks.app_in_pty import Terminal, start
from brvtui.app.editing.questions import DraftDialog
from brvtui.app.editing.screen import EditorScreen
from tests.app.driving import WIDE, MakeApp, ask, on, settled, until
from tests.app.editing import NOTE, area, drafted, looked
from tests.app.looking import brv, shown, toast_text
from tests.support.trees import Tree

_SECONDS = 40.0


def _wait(terminal: Terminal, happened: Callable[[str], object]) -> None:
    """Reads the app's output until ``happened`` is true for all of it so far. Fails after a while."""
    painted, end = b"", time.monotonic() + _SECONDS
    while not happened(painted.decode("utf-8", "replace")):
        assert time.monotonic() < end, painted[-2000:]
        painted += terminal.read(0.1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
async def test_killed_editor_leaves_a_draft(garden: Tree, make_app: MakeApp) -> None:
    before = (garden.tree / NOTE).read_bytes()
    terminal = start(garden.root, *WIDE)
    try:
        _wait(terminal, lambda text: "READY" in text)
        terminal.key("rollback")
        _wait(terminal, lambda text: "TIER" in text)
        terminal.key("\x1b")
        _wait(terminal, lambda text: "edit" in text)
        terminal.key("e")
        _wait(terminal, lambda text: "with old time" in text)
        terminal.key("never saved ")
        _wait(terminal, lambda _: b"never saved" in (drafted(garden.root) or b""))
    finally:
        terminal.end()  # sends SIGKILL
    assert (garden.tree / NOTE).read_bytes() == before

    async with make_app(garden.root, now_ms=None).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await until(pilot, lambda: f"1 draft of unsaved text: {NOTE}" in toast_text(pilot))
        await ask(pilot, "rollback")
        brv(pilot).selection.select(NOTE)
        await on(pilot, DraftDialog, "escape", "e")
        await settled(pilot)
        assert "+ never saved # Rollback" in shown(pilot)
        await on(pilot, EditorScreen, "m")
        await looked(pilot)
        assert area(pilot).text.startswith("never saved # Rollback")
