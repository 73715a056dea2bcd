"""Measures the app in a pseudo-terminal: first paint, readiness for typing, the paint of a preview, and idle CPU time.

    python -m benchmarks.app_in_pty [PROJECT] [--rounds 5] [--size 120x36] [--idle 8]

Times count from the start of the process. *First paint* is the first screen that contains text. *Ready* is the moment
when a key typed at the start appears in the input field. *Preview* is the time from a key to the last byte of the panes
that react to it (the output counts as finished after 150 ms of silence). *Idle* is the process's user and system time
divided by wall time.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.timings import setting

ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_]|P[^\x1b]*\x1b\\)")
_QUIET_SECONDS = 0.15
_LONGEST_SECONDS = 20.0
_KEYS = "refresh token"


@dataclass
class Terminal:
    """A process in a pseudo-terminal, and its output."""

    pid: int
    descriptor: int
    began: float
    written: int = 0
    """The bytes of output read so far."""

    def read(self, seconds: float) -> bytes:
        """The output that arrives within ``seconds``; may be empty."""
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if not ready:
            return b""
        try:
            data = os.read(self.descriptor, 65_536)
        except OSError:
            return b""
        self.written += len(data)
        return data

    def key(self, text: str) -> None:
        """Types ``text``."""
        os.write(self.descriptor, text.encode())

    def settle(self) -> float:
        """Reads until the output pauses; returns the time of the last byte on the performance counter."""
        return self.listen()[0]

    def listen(self, first: float = _QUIET_SECONDS) -> tuple[float, int]:
        """Reads until the output pauses; returns the time of the last byte on the performance counter, and the number
        of bytes. Waits up to ``first`` seconds for the first byte.
        """
        last, written = time.perf_counter(), 0
        end = last + _LONGEST_SECONDS
        while time.perf_counter() < end:
            data = self.read(_QUIET_SECONDS if written else first)
            if not data:
                break
            last, written = time.perf_counter(), written + len(data)
        return last, written

    def cpu_seconds(self) -> float:
        """The user and system time of the process so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """Ends the process."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)


def start(
    project: Path,
    columns: int,
    rows: int,
    module: str = "brvtui",
    options: Sequence[str] = (),
    python: Path = Path(sys.executable),
    source: Path = Path(),
) -> Terminal:
    """Starts the app on ``project`` in a terminal of this size.

    For another checkout, ``python`` and ``source`` are its own.
    """
    began = time.perf_counter()
    pid, descriptor = pty.fork()
    if pid == 0:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ.setdefault("COLORTERM", "truecolor")
        os.environ.update(TERM="xterm-256color", COLUMNS=str(columns), LINES=str(rows))
        os.chdir(source)
        os.execv(python, [str(python), "-m", module, str(project), *options])
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return Terminal(pid, descriptor, began)


def one_round(project: Path, columns: int, rows: int, idle_seconds: float) -> dict[str, float]:
    """The times in milliseconds, and the share of a core in per cent, of one start."""
    terminal = start(project, columns, rows)
    terminal.key("z")
    seen, figures = b"", {}
    end = terminal.began + _LONGEST_SECONDS
    while time.perf_counter() < end and "ready" not in figures:
        seen += terminal.read(0.05)
        text = ESCAPES.sub(b"", seen)
        if "first_paint" not in figures and len(text.strip()) > columns:
            figures["first_paint"] = (time.perf_counter() - terminal.began) * 1000
            seen = b""
        elif "first_paint" in figures and b"z" in text:
            figures["ready"] = (time.perf_counter() - terminal.began) * 1000
    terminal.settle()
    terminal.key("\x7f")
    terminal.settle()
    previews = []
    for key in _KEYS:
        pressed = time.perf_counter()
        terminal.key(key)
        previews.append((terminal.settle() - pressed) * 1000)
    figures["preview_median"], figures["preview_max"] = median(previews), max(previews)
    time.sleep(1)
    terminal.settle()
    before, since = terminal.cpu_seconds(), time.perf_counter()
    while time.perf_counter() - since < idle_seconds:
        terminal.read(0.5)
    figures["idle_percent"] = 100 * (terminal.cpu_seconds() - before) / (time.perf_counter() - since)
    status = Path(f"/proc/{terminal.pid}/status").read_text()
    figures["rss_mb"] = int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) * 1024 / 1e6
    terminal.end()
    return figures


def main() -> None:
    """Prints each round and the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path, nargs="?", default=Path("sample-tree"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", default="120x36")
    parser.add_argument("--idle", type=float, default=8.0)
    args = parser.parse_args()
    columns, rows = (int(part) for part in args.size.split("x"))
    print(f"{setting()}; {args.project.name} at {args.size}")
    rounds = []
    for number in range(1, args.rounds + 1):
        rounds.append(one_round(args.project, columns, rows, args.idle))
        print(f"round {number}: {_line(rounds[-1])}")
    print(f"median:  {_line({key: median(one[key] for one in rounds) for key in rounds[0]})}")


def _line(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in figures.items())


if __name__ == "__main__":
    main()
