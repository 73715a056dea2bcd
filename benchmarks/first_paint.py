"""From the start of the process to the first whole frame: the app beside an empty Textual app, in turns.

    python -m benchmarks.first_paint [PROJECT] [--python PYTHON] [--beside OTHER] [--rounds 15] [--size 120x36]

PYTHON is the interpreter of an environment in which brv-tui is installed, by default this one; its ``brv-tui`` runs,
and its Textual is that of the empty app. With ``--beside``, the ``brv-tui`` of OTHER, another such interpreter, takes
the place of the empty app. Both are started in a pseudo-terminal, one after the other in each round, so that other work
of the machine slows both. They run in an empty folder with an empty home, in UTF-8 and without settings.

The output goes to the cells of a small terminal. A frame ends with a synchronized update, which the terminal says it
supports, or where the output pauses. It is *whole* if every cell was written since the alternate screen was opened and,
for the app, its chrome is there: tabs in the first row, the titles and outer corners of its panes, and keys in the last
row. The contents of panes do not count while the tree is being read. *Processor* is the user and system time of the
process, which is killed at that frame. Bytecode is kept, as in an installed program: the first round, which does not
count, compiles what changed. ``--show`` prints the app's first whole frame, ``--save FILE`` writes all figures.
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.timings import setting

_EMPTY_APP = "from textual.app import App\n\nApp().run()\n"
_SAMPLE = Path(__file__).parent.parent / "sample-tree"
_LONGEST_SECONDS = 60.0
_FRAME_ENDS, _NEW_SCREEN = "\x1b[?2026l", "\x1b[?1049h"
_ASKS_FOR_FRAMES, _HAS_FRAMES = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_TOKEN = re.compile(
    r"\x1b\[(?P<numbers>[0-9;]*)[Hf]"  # a cursor position
    r"|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"  # others
    r"|[\x00-\x1a\x1c-\x1f\x7f]"
    r"|[^\x00-\x1f\x7f]+"
)


class Screen:
    """The cells of a terminal, as far as something was written to them."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unread = ""
        self._rows = rows
        self._clear()

    def _clear(self) -> None:
        self._cells: list[list[str]] = [[""] * self.columns for _ in range(self._rows)]
        self._row = self._column = 0

    def write(self, data: bytes) -> None:
        """Writes what a process sent: text, new lines and places of the cursor; other escapes change no cell."""
        for _ in self.frames(data):
            pass

    def frames(self, data: bytes) -> Iterator[None]:
        """Writes ``data``, and stops at the end of each synchronized update in it and at its own end."""
        text = self._unread + self._decoder.decode(data)
        end = 0
        while token := _TOKEN.match(text, end):  # stops at an incomplete escape sequence
            self._take(token)
            end = token.end()
            if token[0] == _FRAME_ENDS:
                yield
        self._unread = text[end:]
        yield

    def _take(self, token: re.Match[str]) -> None:
        found = token[0]
        if token["numbers"] is not None:
            row, _, column = token["numbers"].partition(";")
            self._row, self._column = int(row or 1) - 1, int(column or 1) - 1
        elif found == "\n":
            self._row += 1
        elif found == "\r":
            self._column = 0
        elif found == _NEW_SCREEN:
            self._clear()
        elif found >= " ":
            for char in found if self._row < self._rows else "":
                if self._column < self.columns:
                    self._cells[self._row][self._column] = char
                self._column += 1

    @property
    def covered(self) -> bool:
        """True if every cell was written."""
        return all(map(all, self._cells))

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


def start(command: list[str], folder: Path, columns: int, rows: int, whole: Callable[[Screen], bool]) -> Start:
    """Starts ``command`` in the empty ``folder``, which is also its home, and ends it with its first whole frame."""
    place = {"HOME": str(folder), "LC_ALL": "C.UTF-8", "PATH": os.defpath, "COLUMNS": str(columns), "LINES": str(rows)}
    began = time.perf_counter()
    pid, descriptor = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(command[0], command, {**place, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    screen, wall, output = Screen(columns, rows), 0.0, b""
    while not wall and time.perf_counter() - began < _LONGEST_SECONDS:
        if not select.select([descriptor], [], [], 1.0)[0]:
            continue
        try:
            data = os.read(descriptor, 65_536)
        except OSError:  # the process has ended
            break
        read = time.perf_counter() - began
        if _ASKS_FOR_FRAMES in data:
            os.write(descriptor, _HAS_FRAMES)
        output += data
        if any(screen.covered and whole(screen) for _ in screen.frames(data)):
            wall = read
    os.kill(pid, signal.SIGKILL)
    _, _, used = os.wait4(pid, 0)
    os.close(descriptor)
    if not wall:
        last = output[-2000:]
        raise SystemExit(
            "\n".join([*screen.lines, f"no whole frame of {' '.join(command)}; its last output: {last!r}"])
        )
    return Start(wall * 1000, (used.ru_utime + used.ru_stime) * 1000, screen.lines)


def _row(name: str, values: Sequence[float], unit: str) -> str:
    digits = 2 if not unit else 0
    return f"  {name:<10} {median(values):6.{digits}f}{unit} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def _app(python: Path, project: Path) -> list[str]:
    """The installed program of the environment of ``python``, on ``project``."""
    return [str(python.absolute()), str(python.absolute().with_name("brv-tui")), str(project.resolve())]


def measure(
    python: Path, project: Path, rounds: int, beside: Path | None = None, size: tuple[int, int] = (120, 36)
) -> tuple[list[Start], list[Start]]:
    """The starts of the app, and of the app of ``beside`` or an empty Textual app, in turns."""
    ours: list[Start] = []
    others: list[Start] = []
    with tempfile.TemporaryDirectory() as made:
        folder, script = Path(made) / "home", Path(made) / "empty_app.py"
        folder.mkdir()
        script.write_text(_EMPTY_APP)
        app, empty = _app(python, project), [str(python.absolute()), str(script)]
        other = _app(beside, project) if beside else empty
        for number in range(rounds + 1):
            base = start(other, folder, *size, has_chrome if beside else lambda _: True)
            one = start(app, folder, *size, has_chrome)
            if number:  # the first warms up what the system keeps of files
                others.append(base)
                ours.append(one)
    return ours, others


def main() -> None:
    """Prints each round, and medians with their ranges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path, nargs="?", default=_SAMPLE)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--beside", type=Path, metavar="OTHER")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--size", default="120x36")
    parser.add_argument("--show", action="store_true", help="print the first whole frame")
    parser.add_argument("--save", type=Path, help="write the figures of all rounds as JSON")
    args = parser.parse_args()
    columns, rows = (int(part) for part in args.size.split("x"))
    if not args.project.exists():
        parser.error(f"no project {args.project}")
    print(f"{setting()}; {args.project.name} at {args.size}, {args.rounds} rounds")
    ours, others = measure(args.python, args.project, args.rounds, args.beside, (columns, rows))
    if args.show:
        print("\n".join(ours[-1].lines))
    figures = {}
    for kind in ("wall", "processor"):
        mine, beside = [getattr(one, kind) for one in ours], [getattr(one, kind) for one in others]
        ratios = [a / b for a, b in zip(mine, beside, strict=True)]
        print(f"{kind}, until the first whole frame: median (lowest–highest)")
        print(
            _row("other" if args.beside else "empty", beside, " ms"),
            _row("app", mine, " ms"),
            _row("ratio", ratios, ""),
            sep="\n",
        )
        figures[kind] = {"app": mine, "other": beside}
    if args.save:
        args.save.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
