"""Copying by each method, with real programs on PATH, real escape sequences in a pty, and a real tmux."""

from __future__ import annotations

import base64
import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.exporting import clipboard
from brvtui.app.exporting.clipboard import LARGEST_BASE64, Surroundings, copy, osc52

TEXT = "auth/jwt/é 😀\n\x1b[31m"
TAKES = '#!/bin/sh\nprintf "%s" "$*" > "{folder}/{name}.args"\nexec cat > "{folder}/{name}.got"\n'
FAILS = "#!/bin/sh\nexit 1\n"
LEAVES = "#!/bin/sh\nexec < /dev/null\nexit 3\n"
HANGS = "#!/bin/sh\nexec sleep 60\n"
STAYS = '#!/bin/sh\ncat > "{folder}/{name}.got"\nsleep 60 &\necho $! > "{folder}/{name}.pid"\n'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder of fake programs, each of which writes its input to a file beside it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "sleep", "sh"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


def put(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(script.format(folder=folder, name=name))
    file.chmod(0o755)


def here(folder: Path, platform: str = "linux", is_web: bool = False, **environ: str) -> Surroundings:
    return Surroundings({"PATH": str(folder), **environ}, is_web, platform)


def offered(escape: str) -> str:
    """The text in a plain OSC 52 sequence."""
    assert escape.startswith("\x1b]52;c;")
    assert escape.endswith("\a")
    return base64.b64decode(escape[7:-1]).decode()


@pytest.mark.parametrize(
    ("name", "arguments", "surroundings"),
    [
        ("pbcopy", "", {"platform": "darwin"}),
        ("wl-copy", "", {"WAYLAND_DISPLAY": "wayland-0"}),
        ("xclip", "-selection clipboard -in", {"DISPLAY": ":0"}),
        ("xsel", "--clipboard --input", {"DISPLAY": ":0"}),
        ("tmux", "load-buffer -w -", {"TMUX": "/tmp/x,1,0"}),
    ],
)
def test_clipboard_program_receives_the_text(
    programs: Path, name: str, arguments: str, surroundings: dict[str, str]
) -> None:
    put(programs, name, TAKES)
    done = copy(TEXT, "the path", here(programs, **surroundings), programs / "kept")
    assert (done.escape, done.failed) == ("", False)
    assert f"copied the path ({len(TEXT)} characters)" in done.message
    assert name in done.message
    assert (programs / f"{name}.got").read_text() == TEXT
    assert (programs / f"{name}.args").read_text() == arguments
    assert not (programs / "kept").exists()


@pytest.mark.parametrize("script", [FAILS, LEAVES, "not a program"])
def test_next_program_is_tried_if_one_fails(programs: Path, script: str) -> None:
    put(programs, "wl-copy", script)
    put(programs, "xclip", script)
    put(programs, "xsel", TAKES)
    long = "x" * 1_000_000
    done = copy(long, "it", here(programs, WAYLAND_DISPLAY="w", DISPLAY=":0"), programs / "kept")
    assert "with xsel" in done.message
    assert (programs / "xsel.got").read_text() == long


def test_hanging_program_is_abandoned(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TIMEOUT_S", 0.3)
    put(programs, "wl-copy", HANGS)
    put(programs, "xclip", TAKES)
    began = time.monotonic()
    assert (
        "with xclip"
        in copy(TEXT, "the path", here(programs, WAYLAND_DISPLAY="w", DISPLAY=":0"), programs / "kept").message
    )
    assert time.monotonic() - began < 10


def test_program_that_keeps_serving_the_text_is_not_awaited(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TIMEOUT_S", 20)
    put(programs, "xclip", STAYS)
    began = time.monotonic()
    assert "with xclip" in copy(TEXT, "the path", here(programs, DISPLAY=":0"), programs / "kept").message
    assert time.monotonic() - began < clipboard.TIMEOUT_S
    os.kill(int((programs / "xclip.pid").read_text()), 9)


def test_older_tmux_versions_store_the_text_in_the_buffer(programs: Path) -> None:
    put(programs, "tmux", '#!/bin/sh\n[ "$2" = "-w" ] && exit 1\nexec cat > "{folder}/{name}.got"\n')
    done = copy(TEXT, "the path", here(programs, TMUX="x"), programs / "kept")
    assert done.message == f"copied the path ({len(TEXT)} characters) into tmux: prefix ] pastes it"


@pytest.mark.parametrize("surroundings", [{"SSH_CONNECTION": "1"}, {"SSH_TTY": "1"}, {"is_web": True}])
def test_remote_session_copies_through_the_terminal(programs: Path, surroundings: dict[str, str]) -> None:
    for name in ("wl-copy", "xclip", "xsel", "pbcopy"):
        put(programs, name, TAKES)
    kept = programs / "kept"
    done = copy(TEXT, "the path", here(programs, DISPLAY=":0", WAYLAND_DISPLAY="w", **surroundings), kept)
    assert offered(done.escape) == TEXT
    through, machine = "the terminal (OSC 52)", ""
    if "is_web" in surroundings:
        through, machine = "your browser", ", on the machine that runs brv-tui"
    expected = (
        f"copied the path ({len(TEXT)} characters) through {through}; if the clipboard stays empty, see {kept}{machine}"
    )
    assert done.message == expected
    assert kept.read_text() == TEXT
    assert kept.stat().st_mode & 0o077 == 0
    assert list(programs.glob("*.got")) == []


def test_browser_session_does_not_copy_through_tmux(programs: Path) -> None:
    put(programs, "tmux", TAKES)
    assert copy(TEXT, "the path", here(programs, is_web=True, TMUX="x"), programs / "kept").escape


def test_text_too_long_for_a_terminal_goes_into_a_file(programs: Path) -> None:
    fits = "x" * (LARGEST_BASE64 // 4 * 3)
    assert len(base64.b64encode(fits.encode())) <= LARGEST_BASE64
    assert copy(fits, "it", here(programs), programs / "kept").escape
    done = copy(fits + "xxx", "it", here(programs), programs / "kept")
    assert (done.escape, done.failed) == ("", False)
    assert "too long to be copied through the terminal" in done.message
    assert str(programs / "kept") in done.message
    assert (programs / "kept").read_text() == fits + "xxx"


def test_text_that_cannot_be_copied_is_reported(programs: Path) -> None:
    blocked = programs / "cat" / "kept"
    assert "if it allows this" in copy("short", "it", here(programs), blocked).message
    done = copy("x" * 100_000, "the trace", here(programs), blocked)
    assert done.failed
    assert done.message.startswith("not copied: the trace (100000 characters) is too long")


def test_tmux_gets_wrapped_and_plain_escape_sequences() -> None:
    escape = osc52("a", in_tmux=True)
    assert escape == "\x1bPtmux;\x1b\x1b]52;c;YQ==\a\x1b\\\x1b]52;c;YQ==\a"
    assert Surroundings({"TERM": "tmux-256color", "SSH_TTY": "1"}).in_tmux
    assert not Surroundings({"TERM": "xterm-256color"}).in_tmux


@given(st.text())
def test_escape_sequence_contains_only_the_text(text: str) -> None:
    escape = osc52(text, in_tmux=False)
    assert offered(escape) == text
    assert escape[7:-1].isascii()
    assert escape[7:-1].replace("=", "").replace("+", "").replace("/", "").isalnum() or not text


def test_undecodable_characters_are_copied_as_question_marks(programs: Path) -> None:
    assert offered(copy("a\udcff", "it", here(programs), programs / "kept").escape) == "a?"


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux here")
@pytest.mark.parametrize("by_program", [True, False])
def test_real_tmux_receives_the_text(tmp_path: Path, by_program: bool) -> None:
    server = ["tmux", "-L", f"brv-tui-test-{os.getpid()}-{by_program}", "-f", "/dev/null"]
    script = tmp_path / "copying.py"
    script.write_text(
        "import os, sys\nfrom pathlib import Path\nfrom brvtui.app.exporting.sharing import *\n"
        f"done = copy({TEXT!r}, 'it', Surroundings(os.environ), Path({str(tmp_path / 'kept')!r}))\n"
        "sys.stdout.write(done.escape or done.message)\nsys.stdout.flush()\n"
        f"Path({str(tmp_path / 'done')!r}).write_text(done.message)\n"
    )
    path = os.environ["PATH"] if by_program else str(tmp_path)
    inner = f"env PATH='{path}' PYTHONPATH='{os.getcwd()}' '{sys.executable}' '{script}'; sleep 60"
    options = ["set-option", "-g", "set-clipboard", "on", ";"]
    try:
        subprocess.run([*server, "start-server", ";", *options, "new-session", "-d", inner], check=True, timeout=20)
        assert wait(lambda: (tmp_path / "done").exists() and show(server) == TEXT.encode())
        assert ("through tmux" in (tmp_path / "done").read_text()) == by_program
    finally:
        subprocess.run([*server, "kill-server"], check=False, timeout=20)


def show(server: list[str]) -> bytes:
    return subprocess.run([*server, "show-buffer"], capture_output=True, check=False, timeout=20).stdout


def wait(happened: object, seconds: float = 20.0) -> bool:
    assert callable(happened)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if happened():
            return True
        time.sleep(0.02)
    return False


def test_terminal_receives_the_text(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom brvtui.app.exporting.sharing import *\n"
        f"sys.stdout.write(copy({TEXT!r}, 'it', Surroundings({{}}), Path({str(tmp_path / 'kept')!r})).escape)\n"
    )
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", code])
    received = b""
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        received += data
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert offered(received.decode()) == TEXT
