"""Copying text out of the app: with a program, through tmux, through the terminal, or at last into a file.

A terminal never says whether it took what OSC 52 offers, so the text is then kept in a file too, and its path told.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults
from brvtui.store import atomic
from brvtui.wording import counted

LARGEST_BASE64 = 74_994
"""Characters of base64 that terminals take in one OSC 52: xterm's limit, and hterm's."""
TIMEOUT_S = 2.0
_REMOTE = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the app runs, as far as copying goes."""

    environ: Mapping[str, str]
    is_web: bool = False
    platform: str = sys.platform

    @property
    def is_remote(self) -> bool:
        """Whether the user sits at another machine."""
        return self.is_web or any(self.environ.get(name) for name in _REMOTE)

    @property
    def in_tmux(self) -> bool:
        """Whether tmux stands between the app and the terminal, on this machine or on the user's."""
        return bool(self.environ.get("TMUX")) or self.environ.get("TERM", "").startswith("tmux")


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of a text. ``escape`` must still be written to the terminal; ``failed`` when it is nowhere."""

    message: str
    escape: str = ""
    failed: bool = False


def copy(text: str, named: str, where: Surroundings, kept: Path) -> Copied:
    """Copies ``text`` by the first way that works; ``kept`` is the file for when that is not certain.

    ``named`` is what the user is told that it is ("the path").

    It blocks, for at most :data:`TIMEOUT_S` with each program.
    """
    it = f"{named} ({counted(len(text), 'character', 'characters')})"
    for command, how in _programs(where):
        if _fed(command, text, where.environ):
            return Copied(f"copied {it} {how}")
    escape = osc52(text, where.in_tmux)
    try:
        atomic.write_bytes(kept, _encoded(text))
    except OSError as error:
        if escape:
            return Copied(f"copied {it} through the terminal (OSC 52), if it allows that", escape)
        problem = f"{kept} cannot be written ({faults.reason(error)})"
        return Copied(f"not copied: {it} is too long for the terminal, and {problem}", failed=True)
    if escape:
        return Copied(f"copied {it} through the terminal (OSC 52); if nothing arrives, it is in {kept}", escape)
    return Copied(f"{it} is too long for the terminal: it is in {kept}")


def osc52(text: str, in_tmux: bool) -> str:
    """The escape sequence that puts ``text`` on the terminal's clipboard; empty when it would be too long.

    tmux takes the plain sequence where ``set-clipboard`` is ``on``, and hands on the wrapped one where
    ``allow-passthrough`` is: both are sent, and it drops what it may not take.
    """
    encoded = base64.b64encode(_encoded(text)).decode("ascii")
    if len(encoded) > LARGEST_BASE64:
        return ""
    plain = f"\x1b]52;c;{encoded}\a"
    if not in_tmux:
        return plain
    inner = plain.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{inner}\x1b\\{plain}"


def _programs(where: Surroundings) -> Iterator[tuple[list[str], str]]:
    """Commands that take the text on their standard input, and what is said when one did."""
    environ = where.environ
    if not where.is_remote:
        if where.platform == "darwin":
            yield ["pbcopy"], "with pbcopy"
        if environ.get("WAYLAND_DISPLAY"):
            yield ["wl-copy"], "with wl-copy"
        if environ.get("DISPLAY"):
            yield ["xclip", "-selection", "clipboard", "-in"], "with xclip"
            yield ["xsel", "--clipboard", "--input"], "with xsel"
    if environ.get("TMUX") and not where.is_web:
        yield ["tmux", "load-buffer", "-w", "-"], "through tmux: to the terminal's clipboard, and prefix ] pastes it"
        yield ["tmux", "load-buffer", "-"], "into tmux: prefix ] pastes it"


def _fed(command: list[str], text: str, environ: Mapping[str, str]) -> bool:
    program = shutil.which(command[0], path=environ.get("PATH", os.defpath))
    if program is None:
        return False
    nowhere = subprocess.DEVNULL  # some stay to hand the text out: a pipe of theirs would never end
    try:
        process = subprocess.Popen(
            [program, *command[1:]], stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, env=dict(environ),
            start_new_session=True,
        )  # fmt: skip
    except OSError:
        return False
    try:
        process.communicate(_encoded(text), TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False
    except OSError:  # it ended without reading
        process.wait()
        return False
    return process.returncode == 0


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
