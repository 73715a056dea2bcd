"""Signals end the app with the terminal restored and the editor's text saved as a draft."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
import time

import pytest

from benchmarks.app_in_pty import Terminal, start
from tests.app.driving import WIDE
from tests.app.editing import NOTE, drafted
from tests.app.test_editor_killed import _wait
from tests.support.trees import Tree

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")]
_SECONDS = 20.0
_LEFT = b"\x1b[?1049l"
"""The sequence that leaves the terminal's alternate screen."""


def _typing(garden: Tree) -> Terminal:
    """The app with a few letters just typed into its editor."""
    terminal = start(garden.root, *WIDE)
    _wait(terminal, lambda text: "READY" in text)
    terminal.key("rollback")
    _wait(terminal, lambda text: "TIER" in text)
    terminal.key("\x1b")
    _wait(terminal, lambda text: "edit" in text)
    terminal.key("e")
    _wait(terminal, lambda text: "with old time" in text)
    terminal.key("never saved ")
    _wait(terminal, lambda text: "never saved" in text)
    return terminal


def _ended(terminal: Terminal) -> tuple[int, bytes]:
    """Reads until the process ends; returns its exit code and output."""
    written, end = b"", time.monotonic() + _SECONDS
    while time.monotonic() < end:
        written += terminal.read(0.05)
        pid, status = os.waitpid(terminal.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), written + terminal.read(0.1)
    terminal.end()
    raise AssertionError(f"it went on: {written[-500:]!r}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
def test_signal_saves_the_draft_and_restores_the_terminal(garden: Tree, number: int) -> None:
    before = (garden.tree / NOTE).read_bytes()
    terminal = _typing(garden)
    os.kill(terminal.pid, number)
    code, written = _ended(terminal)
    assert (code, _LEFT in written, b"Traceback" in written) == (128 + number, True, False)
    assert b"never saved" in (drafted(garden.root) or b"")
    assert (garden.tree / NOTE).read_bytes() == before
    os.close(terminal.descriptor)


def test_interrupt_after_a_stop_restores_the_terminal(garden: Tree) -> None:
    terminal = start(garden.root, *WIDE)
    modes = termios.tcgetattr(terminal.descriptor)
    _wait(terminal, lambda text: "READY" in text)
    assert termios.tcgetattr(terminal.descriptor) != modes
    os.kill(terminal.pid, signal.SIGSTOP)
    os.waitpid(terminal.pid, os.WUNTRACED)
    os.kill(terminal.pid, signal.SIGCONT)
    _wait(terminal, lambda text: "READY" in text)
    os.kill(terminal.pid, signal.SIGINT)
    code, written = _ended(terminal)
    assert (code, _LEFT in written) == (128 + signal.SIGINT, True)
    assert termios.tcgetattr(terminal.descriptor) == modes
    os.close(terminal.descriptor)


def test_disappearing_terminal_ends_the_app_with_its_draft(garden: Tree) -> None:
    terminal = _typing(garden)
    os.close(terminal.descriptor)  # makes the system send SIGHUP
    end = time.monotonic() + _SECONDS
    while not os.waitpid(terminal.pid, os.WNOHANG)[0]:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert b"never saved" in (drafted(garden.root) or b"")


def test_app_ends_without_the_signal_if_its_terminal_disappears(garden: Tree) -> None:
    ours, its = os.openpty()
    command = [sys.executable, "-m", "brvtui", str(garden.root)]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, start_new_session=True) as app:
        os.close(its)
        written = b""
        while b"READY" not in written:
            written += os.read(ours, 65536)
        os.close(ours)  # the terminal belongs to another session, so the system sends no signal
        assert app.wait(_SECONDS) == 128 + signal.SIGHUP


def test_hanging_cleanup_does_not_delay_a_forced_exit(garden: Tree) -> None:
    ours, its = os.openpty()
    hanging = """if True:
        import sys, time
        from pathlib import Path
        from brvtui.app import run
        from brvtui.app.project.opening import Opening
        run(Opening(Path(sys.argv[1])), at_end=lambda: time.sleep(60))
    """
    command = [sys.executable, "-c", hanging, str(garden.root)]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, start_new_session=True) as app:
        os.close(its)
        written = b""
        while b"READY" not in written:
            written += os.read(ours, 65536)
        app.terminate()
        written = b"ended"
        while written:
            try:
                written = os.read(ours, 65536)
            except OSError:  # the other end of the terminal is closed
                break
        assert app.wait(_SECONDS) == 128 + signal.SIGTERM
    os.close(ours)
