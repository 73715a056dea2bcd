"""Apps in tmux terminals, driven by keys and read from the screen."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from os import kill
from pathlib import Path

HAS_TERMINALS = shutil.which("tmux") is not None
COLUMNS, ROWS = 120, 36
_LOOK_S = 0.1
_AFTER_ESCAPE_S = 0.7


class Late(AssertionError):
    """The expected text did not appear on the screen in time."""


class Terminal:
    """A command in a terminal of 120 columns and 36 rows."""

    def __init__(self, socket: str, name: str, command: list[str], env: Mapping[str, str], folder: Path) -> None:
        """Starts ``command`` in ``folder``. Terminals with the same ``socket`` share a server until :func:`end_all`."""
        self._socket, self._name = socket, name
        self._tmux("kill-session", "-t", name)
        variables = [f"{key}={value}" for key, value in env.items()]
        line = shlex.join(["env", *variables, *command])
        size = ("-x", str(COLUMNS), "-y", str(ROWS))
        self._tmux("new-session", "-d", "-s", name, *size, "-c", str(folder), f"exec {line}")
        self._tmux("set-option", "-t", name, "remain-on-exit", "on")
        pid = self._tmux("display-message", "-p", "-t", name, "#{pane_pid}").strip()
        self.pid = int(pid) if pid else 0

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, "-f", "/dev/null", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def keys(self, *names: str) -> None:
        """Presses keys by tmux's names, such as ``C-s``. Pauses after ``Escape``, which would otherwise act as Alt."""
        for name in names:
            self._tmux("send-keys", "-t", self._name, name)
            if name == "Escape":
                time.sleep(_AFTER_ESCAPE_S)

    def type(self, text: str) -> None:
        """Types ``text``."""
        self._tmux("send-keys", "-t", self._name, "-l", text)

    def screen(self) -> str:
        """The current screen."""
        return self._tmux("capture-pane", "-p", "-t", self._name)

    def until(self, shown: Callable[[str], object], what: str, seconds: float = 300.0) -> float:
        """Waits until ``shown`` is true of the screen; returns the seconds that this took. Raises :class:`Late`."""
        began = time.monotonic()
        while not shown(screen := self.screen()):
            if time.monotonic() - began > seconds:
                raise Late(f"{self._name}: {what} did not come within {seconds:g} s:\n{screen}")
            time.sleep(_LOOK_S)
        return time.monotonic() - began

    @property
    def is_running(self) -> bool:
        """True while the command is running."""
        return self._tmux("display-message", "-p", "-t", self._name, "#{pane_dead}").strip() == "0"

    @property
    def resident_mb(self) -> float:
        """The command's resident memory in MB; 0 if it has ended."""
        with suppress(OSError):
            found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text())
            return int(found[1]) * 1024 / 1e6 if found else 0.0
        return 0.0

    def kill(self) -> None:
        """Ends the command by SIGKILL."""
        with suppress(ProcessLookupError):
            kill(self.pid, signal.SIGKILL)


def end_all(socket: str) -> None:
    """Kills every terminal on ``socket``."""
    subprocess.run(["tmux", "-L", socket, "kill-server"], capture_output=True, check=False)
