"""Copies text out of the app: by a program, through tmux, through the terminal (OSC 52), or into a file.

A terminal never confirms OSC 52, so the text is also written to a file whose path is shown.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults, programs
from brvtui.disk import writing
from brvtui.wording import counted

LARGEST_BASE64 = 74_994
"""The maximum number of base64 characters in one OSC 52 sequence: the limit of xterm and hterm."""
TIMEOUT_S = 2.0
_REMOTE = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The parts of the app's environment that affect copying."""

    environ: Mapping[str, str]
    is_web: bool = False
    platform: str = sys.platform
    projects: tuple[Path, ...] = ()
    """Programs inside these folders are never run."""

    @property
    def is_remote(self) -> bool:
        """True if the user works from another machine."""
        return self.is_web or any(self.environ.get(name) for name in _REMOTE)

    @property
    def in_tmux(self) -> bool:
        """True if the app runs inside tmux, either on this machine or on the user's machine."""
        return bool(self.environ.get("TMUX")) or self.environ.get("TERM", "").startswith("tmux")


@dataclass(frozen=True, slots=True)
class Copied:
    """The result of copying. The caller writes ``escape`` to the terminal; ``failed`` is True if nothing was copied."""

    message: str
    escape: str = ""
    failed: bool = False


def copy(text: str, named: str, where: Surroundings, kept: Path) -> Copied:
    """Copies ``text`` in the first way that works, and writes it to the file ``kept`` if the result is uncertain.

    ``named`` is the name of the text in messages, such as "the path". Blocks for at most :data:`TIMEOUT_S` per program.
    """
    it = f"{named} ({counted(len(text), 'character', 'characters')})"
    for command, how in _programs(where):
        if _run_with_input(command, text, where):
            return Copied(f"copied {it} {how}")
    escape = osc52(text, where.in_tmux)
    through = "your browser" if where.is_web else "the terminal (OSC 52)"
    file = f"{kept}{', on the machine that runs brv-tui' if where.is_web else ''}"
    try:
        writing.write(kept, _encoded(text))
    except OSError as error:
        if escape:
            return Copied(f"copied {it} through {through}, if it allows this", escape)
        problem = f"{kept} cannot be written ({faults.reason(error)})"
        return Copied(f"not copied: {it} is too long, and {problem}", failed=True)
    if escape:
        return Copied(f"copied {it} through {through}; if the clipboard stays empty, see {file}", escape)
    return Copied(f"{it} is too long to be copied through {through}; it was saved to {file}")


def osc52(text: str, in_tmux: bool) -> str:
    """Returns the escape sequence that copies ``text`` to the terminal's clipboard; empty if it is too long.

    tmux accepts the plain sequence if ``set-clipboard`` is ``on``, and passes on the wrapped one if
    ``allow-passthrough`` is. Both are sent, and tmux ignores the one that is not allowed.
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
    """Yields commands that read the text from standard input, each with a phrase for the message."""
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
        yield ["tmux", "load-buffer", "-w", "-"], ("through tmux, to the terminal's clipboard; prefix ] pastes it")
        yield ["tmux", "load-buffer", "-"], "into tmux: prefix ] pastes it"


def _run_with_input(command: list[str], text: str, where: Surroundings) -> bool:
    variables = programs.environment(*where.projects, of=where.environ)
    program = programs.find_program(command[0], variables)
    if program is None:
        return False
    nowhere = programs.DEVNULL  # some programs keep running to serve the text, so a pipe from them would never end
    try:
        process = programs.start(
            [program, *command[1:]], variables, stdin=programs.PIPE, stdout=nowhere, stderr=nowhere,
            start_new_session=True,
        )  # fmt: skip
    except OSError:
        return False
    try:
        process.communicate(_encoded(text), TIMEOUT_S)
    except programs.TimeoutExpired:
        process.kill()
        process.communicate()
        return False
    except OSError:  # the program ended without reading
        process.wait()
        return False
    return process.returncode == 0


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
