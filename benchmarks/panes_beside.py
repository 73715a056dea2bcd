"""Measures the time from a key, or from an edit on disk, to the painted panes, in this checkout and another one in
turn.

    python -m benchmarks.panes_beside OTHER [--rounds 10] [--keys 8] [--size 120x36]

OTHER is a checkout with its own .venv. In each round, both open a fresh copy of their sample tree in a pseudo-terminal.
*Key* is the time from a letter of a query to the last byte painted for it (painting counts as finished after 150 ms of
silence), as the median of the round's keys. *Edit* is the time from a new title in a note's file until the panes show
it. Ratios are computed within each round.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.app_in_pty import Terminal, start
from benchmarks.first_paint import Screen
from benchmarks.timings import setting

_TREE = "sample-tree"
_NOTE = ".brv/context-tree/auth/tokens/refresh_token_rotation.md"
_TITLE, _NEW_TITLE = "Refresh token rotation", "Zebra of the round"
_QUERY = "refresh token rotation"
_LONGEST_SECONDS = 30.0


def until(terminal: Terminal, screen: Screen, text: str) -> float:
    """Reads until ``text`` is on the screen; returns the time of that on the performance counter."""
    end = time.perf_counter() + _LONGEST_SECONDS
    while time.perf_counter() < end:
        screen.write(terminal.read(0.05))
        if text in "\n".join(screen.lines):
            return time.perf_counter()
    raise SystemExit("\n".join([*screen.lines, f"no {text!r}"]))


def one_round(python: Path, source: Path, keys: int, columns: int, rows: int) -> tuple[float, float]:
    """The milliseconds from a key and from an edit to the panes, in the checkout ``source``."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(source / _TREE, tree)
        terminal = start(tree, columns, rows, python=python, source=source)
        until(terminal, Screen(columns, rows), "≈ watching")
        terminal.settle()
        taken = []
        for letter in _QUERY:
            pressed = time.perf_counter()
            terminal.key(letter)
            last, _ = terminal.listen(first=1.0)
            taken.append((last - pressed) * 1000)
        note = tree / _NOTE
        text = note.read_text().replace(_TITLE, _NEW_TITLE)
        edited = time.perf_counter()
        note.write_text(text)
        shown = (until(terminal, Screen(columns, rows), _NEW_TITLE) - edited) * 1000
        terminal.end()
        return median(taken[-keys:]), shown


def main() -> None:
    """Prints medians with their ranges, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--keys", type=int, default=8, help="how many letters at the end of the query count")
    parser.add_argument("--size", default="120x36")
    args = parser.parse_args()
    columns, rows = (int(part) for part in args.size.split("x"))
    print(f"{setting()}; {args.rounds} rounds beside {args.other}")
    checkouts = {"other": args.other.absolute(), "this": Path.cwd()}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in checkouts}
    for number in range(args.rounds + 1):
        for name, checkout in checkouts.items():
            one = one_round(checkout / ".venv/bin/python", checkout, args.keys, columns, rows)
            if number:  # the first round only compiles and warms up
                found[name].append(one)
    for place, kind in enumerate(("key", "edit")):
        print(f"{kind} to painted panes: median (lowest-highest)")
        for name, rounds in found.items():
            times = [one[place] for one in rounds]
            print(f"  {name:<6} {median(times):6.1f} ms ({min(times):.1f}-{max(times):.1f})")
        ratios = [new[place] / old[place] for new, old in zip(found["this"], found["other"], strict=True)]
        print(f"  ratio  {median(ratios):6.2f} ({min(ratios):.2f}-{max(ratios):.2f})")


if __name__ == "__main__":
    main()
