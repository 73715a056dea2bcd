"""The Notes and Maturity screens in a pseudo-terminal: opening, scrolling, filtering, the forecast.

    python -m benchmarks.screens_in_pty TREE [--rounds 3] [--size 120x36]

``benchmarks.many_terms`` makes a tree. Every figure is from a key to the last byte that it makes the app write (a quiet
of 150 ms ends it), so the event loop was busy for less. *Bytes* are what one page of scrolling writes.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median

from benchmarks.app_in_pty import Terminal, start
from benchmarks.timings import setting

_READY_SECONDS = 60.0
_PAGES = 12
_FILTER = "domain"


def timed(terminal: Terminal, keys: str) -> tuple[float, int]:
    """Milliseconds until ``keys`` are answered, and the bytes of the answer."""
    pressed = time.perf_counter()
    terminal.key(keys)
    last, written = terminal.listen()
    return (last - pressed) * 1000, written


def ready(terminal: Terminal, notes: int) -> None:
    """Waits until the tree is read."""
    seen, end = b"", time.perf_counter() + _READY_SECONDS
    while f"{notes} notes".encode() not in seen and time.perf_counter() < end:
        seen += terminal.read(0.1)
    terminal.settle()


def one_screen(terminal: Terminal, digit: str, forecast: bool) -> dict[str, list[float]]:
    """Milliseconds by what was done, and bytes."""
    found = {"open": [timed(terminal, digit)[0]]}
    pages = [timed(terminal, " ") for _ in range(_PAGES)]
    found["page"], found["page, bytes"] = [ms for ms, _ in pages], [float(size) for _, size in pages]
    found["line"] = [timed(terminal, "j")[0] for _ in range(_PAGES)]
    timed(terminal, "/")
    found["filter, a letter"] = [timed(terminal, letter)[0] for letter in _FILTER]
    timed(terminal, "\x1b")
    if forecast:
        found["forecast, a day"] = [timed(terminal, "]")[0] for _ in range(_PAGES)]
        found["order"] = [timed(terminal, "S")[0] for _ in range(8)]
    timed(terminal, "1")
    found["open again"] = [timed(terminal, digit)[0]]
    return found


def main() -> None:
    """Prints medians and maxima."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", default="120x36")
    args = parser.parse_args()
    columns, rows = (int(part) for part in args.size.split("x"))
    notes = sum(1 for _ in (args.tree / ".brv" / "context-tree").rglob("*.md"))
    print(f"{setting()}; {notes} notes at {args.size}")
    all_found: dict[str, list[float]] = {}
    for _ in range(args.rounds):
        terminal = start(args.tree, columns, rows)
        ready(terminal, notes)
        timed(terminal, "\x1b")
        for name, digit in (("Notes", "2"), ("Maturity", "3")):
            for what, values in one_screen(terminal, digit, digit == "3").items():
                all_found.setdefault(f"{name}: {what}", []).extend(values)
        terminal.end()
    for what, values in all_found.items():
        unit = "bytes" if what.endswith("bytes") else "ms"
        print(f"{what:28} median {median(values):8.0f} {unit}, most {max(values):8.0f}")


if __name__ == "__main__":
    main()
