"""Measures Notes and Maturity in a pseudo-terminal: opening, filtering, scrolling, a long note, idling, and delays.

    python -m benchmarks.screens_in_pty PROJECT [--size 120x36] [--idle 8]

*Opens* is the time from the key to the last byte of the screen (which counts as finished after 150 ms of silence). A
*stall* is the delay of a task that was due in the event loop. For each step, the longest stall is printed, with the
event loop's own working time in brackets (the rest is time spent waiting for the app's workers and for other work on
the machine), and the number of bytes sent to the terminal for each key. The long note has 200 KB of Markdown, in a
separate project. As over ssh, nothing is animated, and there are 256 colours.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.app_in_pty import Terminal, start
from benchmarks.timings import setting

_DOWN, _PAGE_DOWN, _ESCAPE, _F3 = "\x1b[B", "\x1b[6~", "\x1b", "\x1bOR"
_LONG = 200_000
_READY_SECONDS = 60.0
_ANSWER_SECONDS = 1.0
_PART = (
    "## Part {0}\n\nSome **bold** text, `code` and [a link](part_{0}.md) in a sentence that goes on for a while.\n\n"
    "- an item\n- another\n\n```\ncode {0}\n```\n\n| a | b |\n|---|---|\n| {0} | x |\n\n"
)


@dataclass
class Step:
    """A step of the session: its beginning and end, and the number of bytes written."""

    name: str
    began: float
    ended: float
    written: int
    keys: int = 1


@dataclass
class Session:
    """The app in a terminal, and the steps so far."""

    terminal: Terminal
    beats: Path
    steps: list[Step] = field(default_factory=list)

    def press(self, name: str, *keys: str) -> Step:
        """Presses ``keys``, and waits for a pause in the output after each."""
        began, written, ended = time.perf_counter(), self.terminal.written, 0.0
        for key in keys:
            self.terminal.key(key)
            ended, _ = self.terminal.listen(first=_ANSWER_SECONDS)
        step = Step(name, began, ended, self.terminal.written - written, len(keys))
        self.steps.append(step)
        return step

    def hold(self, name: str, key: str, times: int, seconds: float = 0.03) -> None:
        """Presses ``key`` repeatedly, like a key that is held down."""
        began, written = time.perf_counter(), self.terminal.written
        for _ in range(times):
            self.terminal.key(key)
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                self.terminal.read(max(0.0, end - time.perf_counter()))
        ended = self.terminal.settle()
        self.steps.append(Step(name, began, ended, self.terminal.written - written, times))

    def end(self) -> None:
        """Leaves the app and prints every step."""
        self.terminal.key("\x11")
        self.terminal.settle()
        os.waitpid(self.terminal.pid, 0)
        late = json.loads(self.beats.read_text())
        for step in self.steps:
            within = [(gap, own) for when, gap, own in late if step.began <= when <= step.ended]
            gap = max((gap for gap, _ in within), default=0.0) * 1000
            own = max((own for _, own in within), default=0.0) * 1000
            took = (step.ended - step.began) * 1000 / step.keys
            written = f"{step.written / step.keys:7.0f} bytes" + (" a key" if step.keys > 1 else "")
            print(f"  {step.name:<30} {took:6.0f} ms, longest stall {gap:5.1f} ms ({own:5.1f} ms its own), {written}")


def open_app(project: Path, size: tuple[int, int], beats: Path | None) -> Terminal:
    """The app on ``project``, ready for keys. If ``beats`` is given, delays of the event loop are written to it."""
    os.environ.update(SSH_CONNECTION="benchmark", COLORTERM="")
    if beats is not None:
        os.environ["HEARTBEAT"] = str(beats)
    terminal = start(project, *size, module="benchmarks.heartbeat" if beats is not None else "brvtui")
    end = time.perf_counter() + _READY_SECONDS
    seen = b""
    while b"watching" not in seen and time.perf_counter() < end:
        seen += terminal.read(0.1)
    time.sleep(1)
    terminal.settle()
    return terminal


def long_project(folder: Path) -> Path:
    """A project whose one note has 200 KB of markdown."""
    place = folder / "long" / ".brv" / "context-tree" / "a"
    place.mkdir(parents=True)
    (folder / "long" / ".brv" / "config.json").write_text("{}")
    text = "# Long\n\n"
    number = 0
    while len(text) < _LONG:
        number += 1
        text += _PART.format(number)
    (place / "long.md").write_text(text)
    (place / "short.md").write_text("# Short\n\nA few words.\n")
    return folder / "long"


def main() -> None:
    """Prints the time of each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--size", default="120x36")
    parser.add_argument("--idle", type=float, default=8.0)
    args = parser.parse_args()
    columns, rows = (int(part) for part in args.size.split("x"))
    print(f"{setting()}; {args.project.name} at {args.size}")
    with tempfile.TemporaryDirectory() as folder:
        beats = Path(folder) / "beats.json"
        session = Session(open_app(args.project, (columns, rows), beats), beats)
        session.press("leave the field", _ESCAPE)
        session.press("opens", "2")
        session.press("filter, a key", "/", *"error")
        session.press("filter, back to one letter", *("\x7f" * 4))
        session.press("10,000 rows: keep the filter", "\r")
        session.hold("scroll rows, key held", _DOWN, 60)
        session.press("scroll a page of the tree", *[_PAGE_DOWN] * 5)
        session.press("clear the filter", _ESCAPE)
        session.press("read a note", "j", "\r")
        session.press("scroll a page of the note", *[_PAGE_DOWN] * 3)
        session.press("find similar notes", "\x1bOS", "f")
        session.press("Maturity opens", "3")
        session.press("scroll a page of a column", *[_PAGE_DOWN] * 5)
        session.hold("scroll a column, key held", _DOWN, 60)
        session.press("filter the columns, a key", "/", *"error")
        session.press("clear their filter", _ESCAPE)
        session.press("a day on", *"]]]]]]")
        session.press("another order", *"SSSS")
        session.end()

        print("a note of 200 KB")
        session = Session(open_app(long_project(Path(folder)), (columns, rows), beats), beats)
        session.press("opens", _ESCAPE, "2")
        session.press("select it", "j", _F3)
        time.sleep(2)
        session.press("scroll a page", *[_PAGE_DOWN] * 5)
        session.hold("scroll pages, key held", _PAGE_DOWN, 40)
        session.press("find in it", "/", *"part 19")
        session.press("raw", _ESCAPE, "r")
        session.end()

        terminal = open_app(args.project, (columns, rows), None)
        terminal.key(_ESCAPE)
        terminal.settle()
        terminal.key("2")
        terminal.settle()
        time.sleep(3)
        terminal.settle()
        before, since = terminal.cpu_seconds(), time.perf_counter()
        while time.perf_counter() - since < args.idle:
            terminal.read(0.5)
        share = 100 * (terminal.cpu_seconds() - before) / (time.perf_counter() - since)
        terminal.end()
        print(f"idle: {share:.2f} % of a core")


if __name__ == "__main__":
    main()
