"""From the start of the process to the first whole frame: the app beside an empty Textual app, in turns.

    python -m benchmarks.first_paint [PROJECT] [--beside OTHER] [--rounds 10] [--size 120x36] [--show] [--save FILE]

With ``--beside``, the app of OTHER, a checkout with a .venv of its own, takes the place of the empty app.
Both are started in a pseudo-terminal, one after the other in each round, so that other work of the machine slows both.
A frame is *whole* when every cell of the screen was written and, for the app, its chrome stands there: tabs in the
first row, the titles and outer corners of its panes, and keys in the last row. The contents of panes do not count while
the tree is being read. *Processor* is the user and system time of the process, which is killed at that frame. Bytecode
is kept, as in an installed program, even where ``PYTHONDONTWRITEBYTECODE`` is set: the first round, which does not
count, compiles what changed. ``--show`` prints the app's first whole frame.
"""

from __future__ import annotations

import argparse
import codecs
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.timings import setting

_EMPTY_APP = "from textual.app import App\n\nApp().run()\n"
_LONGEST_SECONDS = 20.0
_TOKEN = re.compile(
    r"\x1b\[(?P<numbers>[0-9;]*)H"  # a place of the cursor
    r"|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-OQ-Z\\^_=>]"  # other escapes
    r"|[^\x1b]"
)


class Screen:
    """The cells of a terminal, as far as something was written to them."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self._cells: list[list[str]] = [[""] * columns for _ in range(rows)]
        self._missing = columns * rows
        self._row = self._column = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._unread = ""

    def write(self, data: bytes) -> None:
        """Writes what a process sent: text, new lines and places of the cursor; other escapes change no cell."""
        text = self._unread + self._decoder.decode(data)
        end = 0
        while token := _TOKEN.match(text, end):  # an escape that is not complete yet ends this
            self._take(token)
            end = token.end()
        self._unread = text[end:]

    def _take(self, token: re.Match[str]) -> None:
        found = token[0]
        if token["numbers"] is not None:
            row, _, column = token["numbers"].partition(";")
            self._row, self._column = int(row or 1) - 1, int(column or 1) - 1
        elif found == "\n":
            self._row += 1
        elif found == "\r":
            self._column = 0
        elif len(found) == 1 and found >= " ":
            if self._row < len(self._cells) and self._column < self.columns:
                self._missing -= not self._cells[self._row][self._column]
                self._cells[self._row][self._column] = found
            self._column += 1

    @property
    def covered(self) -> bool:
        """True if every cell was written."""
        return not self._missing

    @property
    def lines(self) -> list[str]:
        """The text of each row."""
        return ["".join(cell or " " for cell in row) for row in self._cells]


def has_chrome(screen: Screen) -> bool:
    """True if tabs, corners of panes and keys are in their places on the app's first screen."""
    first, *panes, last = screen.lines
    text = "".join(panes)
    return (
        first.lstrip().startswith("1 Query")
        and panes[0][0] in "╭┏"
        and panes[0][-1] in "╮┓"
        and panes[-1][-1] in "╯┛"
        and all(title in text for title in ("Query", "Results", "Score"))
        and len(last.split()) > 4
    )


@dataclass(frozen=True)
class Start:
    """One start: milliseconds until the first whole frame, on the clock and on the processor."""

    wall: float
    processor: float
    lines: list[str]


def start(command: Sequence[str], source: Path, columns: int, rows: int, whole: Callable[[Screen], bool]) -> Start:
    """Starts ``command`` in the folder ``source`` and ends it with its first whole frame."""
    began = time.perf_counter()
    pid, descriptor = pty.fork()
    if pid == 0:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", COLUMNS=str(columns), LINES=str(rows))
        os.chdir(source)
        os.execv(command[0], command)
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    screen, wall = Screen(columns, rows), 0.0
    while not wall and time.perf_counter() - began < _LONGEST_SECONDS:
        if select.select([descriptor], [], [], 1.0)[0]:
            try:
                screen.write(os.read(descriptor, 65_536))
            except OSError:  # the process has ended
                break
        if screen.covered and whole(screen):
            wall = time.perf_counter() - began
    os.kill(pid, signal.SIGKILL)
    _, _, used = os.wait4(pid, 0)
    os.close(descriptor)
    if not wall:
        raise SystemExit("\n".join([*screen.lines, f"no whole frame of {' '.join(command)}"]))
    return Start(wall * 1000, (used.ru_utime + used.ru_stime) * 1000, screen.lines)


def _row(name: str, values: Sequence[float], unit: str) -> str:
    digits = 2 if not unit else 0
    return f"  {name:<10} {median(values):6.{digits}f}{unit} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def main() -> None:
    """Prints each round, and medians with their ranges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path, nargs="?", default=Path("sample-tree"))
    parser.add_argument("--beside", type=Path, metavar="OTHER", help="a checkout whose app is the other program")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--size", default="120x36")
    parser.add_argument("--show", action="store_true", help="print the first whole frame")
    parser.add_argument("--save", type=Path, help="write the figures of all rounds as JSON")
    args = parser.parse_args()
    columns, rows = (int(part) for part in args.size.split("x"))
    print(f"{setting()}; {args.project.name} at {args.size}, {args.rounds} rounds")
    ours: list[Start] = []
    others: list[Start] = []
    app = ("-m", "brvtui", str(args.project.resolve()))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty_app.py"
        script.write_text(_EMPTY_APP)
        for number in range(args.rounds + 1):
            if args.beside:
                python = str(args.beside.resolve() / ".venv/bin/python")
                other = start([python, *app], args.beside, columns, rows, has_chrome)
            else:
                other = start([sys.executable, str(script)], Path.cwd(), columns, rows, lambda _: True)
            one = start([sys.executable, *app], Path.cwd(), columns, rows, has_chrome)
            if number:  # the first warms up what the system keeps of files
                others.append(other)
                ours.append(one)
    if args.show:
        print("\n".join(ours[-1].lines))
    figures = {}
    for kind in ("wall", "processor"):
        mine, base = [getattr(one, kind) for one in ours], [getattr(one, kind) for one in others]
        ratios = [a / b for a, b in zip(mine, base, strict=True)]
        print(f"{kind}, until the first whole frame: median (lowest–highest)")
        print(
            _row("other" if args.beside else "empty", base, " ms"),
            _row("app", mine, " ms"),
            _row("ratio", ratios, ""),
            sep="\n",
        )
        figures[kind] = {"app": mine, "other": base}
    if args.save:
        args.save.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
