"""Quitting never waits long, and typed text is kept."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchmarks.app_in_pty import Terminal, start
from brvtui import programs
from brvtui.app.editing import external_editor
from tests.app.driving import WIDE
from tests.app.editing import NOTE, drafted
from tests.app.test_editor_killed import _wait
from tests.app.test_signals import _LEFT, _ended
from tests.attacks.services import service, settings
from tests.support.hung_files import NAME
from tests.support.trees import Tree

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")]
_QUIT = "\x11"
_LIMIT_S = 4.0
"""The limit in seconds. On a quiet machine, quitting takes at most one second: `-s` prints the times."""


def _quits(terminal: Terminal, how: str | int = _QUIT) -> int:
    """Ends the app with a key or a signal, and returns its exit code. Fails if this takes too long or the terminal is
    not restored.
    """
    began = time.perf_counter()
    if isinstance(how, str):
        terminal.key(how)
    else:
        os.kill(terminal.pid, how)
    code, written = _ended(terminal)
    took = time.perf_counter() - began
    os.close(terminal.descriptor)
    print(f"{took:.2f} s")
    assert (_LEFT in written, b"Traceback" in written) == (True, False), written[-2_000:]
    assert took < _LIMIT_S
    return code


def _painted(text: str) -> bool:
    return len(text) > 10_000


def _hung(garden: Tree) -> Terminal:
    """The app on a tree with one file that never finishes reading."""
    return start(garden.root, *WIDE, module="tests.support.hung_files")


def _ready(terminal: Terminal, query: str = "rollback") -> None:
    """Waits until a query is answered, and leaves its field."""
    _wait(terminal, lambda text: "READY" in text)
    terminal.key(query)
    _wait(terminal, lambda text: "TIER" in text)
    terminal.key("\x1b")
    _wait(terminal, lambda text: "edit" in text)


@pytest.mark.parametrize(
    "how", [pytest.param(_QUIT, id="by a key"), pytest.param(signal.SIGTERM, id="by a signal", marks=pytest.mark.long)]
)
def test_quit_while_a_file_is_never_read(garden: Tree, how: str | int) -> None:
    garden.file(f"auth/{NAME}", "# Never\n")
    terminal = _hung(garden)
    _wait(terminal, _painted)
    time.sleep(1)  # time to start reading the tree
    assert _quits(terminal, how) == (0 if how == _QUIT else 128 + signal.SIGTERM)


@pytest.mark.long
def test_quit_while_a_changed_file_is_not_read_and_a_draft_is_unsaved(garden: Tree) -> None:
    terminal = _hung(garden)
    _ready(terminal)
    terminal.key("e")
    _wait(terminal, lambda text: "with old time" in text)
    garden.file(f"auth/{NAME}", "# Never\n")
    terminal.key("never saved ")
    _wait(terminal, lambda text: "never saved" in text)
    time.sleep(1)  # time for the watcher to notice the file
    assert _quits(terminal, signal.SIGTERM) == 128 + signal.SIGTERM
    assert b"never saved" in (drafted(garden.root) or b"")


@pytest.mark.long
def test_quit_while_a_large_tree_is_read(garden: Tree) -> None:
    for number in range(4_000):
        garden.note(f"many/n{number}.md", f"Note {number}", " ".join(f"word{number}x{word}" for word in range(60)))
    terminal = start(garden.root, *WIDE)
    _wait(terminal, _painted)
    assert _quits(terminal) == 0


@pytest.mark.long
def test_quit_while_a_slow_note_is_rendered(garden: Tree) -> None:
    for number in range(40):
        garden.file(f"aaa/n{number}.md", f"# Rollback {number}\n\n" + "- > a\n" * 39_000)
    terminal = start(garden.root, *WIDE)
    _ready(terminal)
    terminal.key("2")
    _wait(terminal, lambda text: "frontmatter" in text or "Rollback" in text)
    for _ in range(20):
        terminal.key("j")
    assert _quits(terminal) == 0


def _never(connection: object, _: bytes) -> None:
    time.sleep(600)


@pytest.mark.long
@pytest.mark.parametrize("key", ["[llm]", "[services.embedder]"])
def test_quit_while_a_service_does_not_answer(
    garden: Tree, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []

    def answer(connection: object, request: bytes) -> None:
        asked.append(request)
        _never(connection, request)

    allowed, engine = ("allowed = true\n", "") if key == "[llm]" else ("", 'engine = "jeffs_brain"\n')
    settings(tmp_path, f'{engine}{key}\nmodel = "mini"\nurl = "{service(answer)}"\n{allowed}')
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(tmp_path / "own"))
    terminal = start(garden.root, *WIDE)
    _wait(terminal, lambda text: "READY" in text)
    terminal.key("how do sessions and tokens and invoices end\r")
    _wait(terminal, lambda _: asked)
    assert _quits(terminal) == 0


@pytest.mark.long
def test_quit_while_a_clipboard_program_hangs(garden: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = tmp_path / "started"
    for name in ("wl-copy", "xclip"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho $$ >> {started}\nexec sleep 20\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("WAYLAND_DISPLAY", "none")
    monkeypatch.setenv("DISPLAY", ":99")
    terminal = start(garden.root, *WIDE)
    _ready(terminal)
    terminal.key("y")
    _wait(terminal, lambda _: started.exists())
    try:
        assert _quits(terminal) == 0
    finally:
        _kill(started)


@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)])
def test_quit_while_the_users_editor_is_open(
    garden: Tree, how: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, editor = tmp_path / "started", tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\ntrap '' TERM HUP\necho 'half a thought' >> $1\necho $$ > {started}\nsleep 20\n")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    terminal = start(garden.root, *WIDE)
    _ready(terminal)
    terminal.key("E")
    _wait(terminal, lambda _: started.exists())
    assert _quits(terminal, how) == 128 + how
    held = (garden.tree / NOTE).read_bytes() + (drafted(garden.root) or b"")
    assert b"half a thought" in held, "what the editor wrote is saved"


@pytest.mark.long
def test_hanging_save_is_reported_once(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANGS_ON_SAVING", NOTE)
    terminal = _hung(garden)
    _ready(terminal)
    terminal.key("e")
    _wait(terminal, lambda text: "with old time" in text)
    terminal.key("never saved ")
    _wait(terminal, lambda _: b"never saved" in (drafted(garden.root) or b""))
    terminal.key("\x13")
    time.sleep(0.5)
    terminal.key(_QUIT)
    _wait(terminal, lambda text: "discard" in text)
    terminal.key("d")
    _wait(terminal, lambda text: "still being written" in text)
    assert _quits(terminal) == 0


@pytest.mark.long
def test_hanging_save_leaves_a_draft_when_a_signal_ends_the_app(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANGS_ON_SAVING", NOTE)
    terminal = _hung(garden)
    _ready(terminal)
    terminal.key("e")
    _wait(terminal, lambda text: "with old time" in text)
    terminal.key("never saved ")
    _wait(terminal, lambda text: "never saved" in text)
    terminal.key("\x13")
    time.sleep(0.3)
    assert _quits(terminal, signal.SIGTERM) == 128 + signal.SIGTERM
    assert b"never saved" in (drafted(garden.root) or b"")


FLOODS = {
    "an answer": b"\x1b[?" + b"1;" * 50_000 + b"c",
    "a colour": b"\x1b]11;rgb:" + b"f" * 200_000 + b"\x07",
    "a string without an end": b"\x1bP1$r" + b"A" * 100_000,
    "bytes that are no text": b"\xff\xfe\xc0\x80" * 5_000,
    "letters": b"a" * 100_000,
    "keys": b"\x1b[A\x1bx" * 5_000,
    "a paste without an end": b"\x1b[200~x",
}


def _idle(terminal: Terminal) -> None:
    """Waits until the app uses hardly any CPU time."""
    used, end = float("inf"), time.monotonic() + 15
    while used > 0.1:
        assert time.monotonic() < end
        used, until = terminal.cpu_seconds(), time.monotonic() + 1.1
        while time.monotonic() < until:
            terminal.read(0.05)
        used = terminal.cpu_seconds() - used


@pytest.mark.long
@pytest.mark.parametrize("how", [_QUIT, signal.SIGTERM], ids=["by a key", "by a signal"])
@pytest.mark.parametrize("sent", FLOODS.values(), ids=list(FLOODS))
def test_quit_after_excessive_input(garden: Tree, sent: bytes, how: str | int) -> None:
    terminal = start(garden.root, *WIDE)
    _wait(terminal, lambda text: "READY" in text)
    os.set_blocking(terminal.descriptor, False)
    while sent:
        with suppress(BlockingIOError):
            sent = sent[os.write(terminal.descriptor, sent[:4_000]) :]
        terminal.read(0.01)
    os.set_blocking(terminal.descriptor, True)
    if how == _QUIT:
        _idle(terminal)  # a key that follows immediately would count as part of the flood
    assert _quits(terminal, how) == (0 if how == _QUIT else 128 + signal.SIGTERM)


@pytest.mark.long
def test_signal_ends_a_busy_app(garden: Tree) -> None:
    terminal = start(garden.root, *WIDE, module="tests.support.busy_loop")
    _wait(terminal, lambda text: "READY" in text)
    terminal.key("x")
    time.sleep(0.5)
    assert _quits(terminal, signal.SIGTERM) == 128 + signal.SIGTERM


def _kill(started: Path) -> None:
    for number in started.read_text().split():
        try:
            os.kill(int(number), signal.SIGKILL)
        except ProcessLookupError:
            continue


def test_signal_during_editor_start_ends_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    start_program = programs.start

    def start_and_signal(words: Sequence[str], *given: Any, **options: Any) -> programs.Process:
        process = start_program(words, *given, **options)
        os.kill(os.getpid(), signal.SIGTERM)
        return process

    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    monkeypatch.setattr(programs, "start", start_and_signal)
    try:
        assert external_editor._run(["/bin/sleep", "20"], programs.environment(), Path("/")) == -signal.SIGTERM
        os.kill(os.getpid(), signal.SIGTERM)
        assert heard == [signal.SIGTERM], "the handler from before is back"
    finally:
        signal.signal(signal.SIGTERM, before)
