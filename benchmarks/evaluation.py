"""Measures ``brv-tui eval`` in a separate process: the first run, a second run, and a run after an edit of one note.

    python -m benchmarks.evaluation FOLDER [--notes 10000] [--queries 1000]

If FOLDER does not exist, it is created: a project from ``benchmarks.notes`` with judgments, each of which queries three
words of one note. Prints the wall and processor seconds of each run. Set ``BRV_TUI_DATA_DIR`` to a writable folder.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path

from benchmarks.notes import make, path_of
from benchmarks.timings import process_seconds, setting
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.tree.reading.project import find_project


def judge(root: Path, notes: int, queries: int) -> None:
    """Writes judgments for ``queries`` notes, always the same ones."""
    rng = random.Random(5)
    made = []
    for number in range(queries):
        path = path_of(place := rng.randrange(notes))
        body = (root / ".brv" / "context-tree" / path).read_text(encoding="utf-8").split("\n\n")[1].split()
        words = " ".join(rng.sample(body, 3))
        made.append(Judgment(f"q{number}", words, documents=(JudgedDocument(path, 3, f"Note {place}"),)))
    JudgmentsFile.of(find_project(root)).change(lambda _: tuple(made))


def run(root: Path, *more: str) -> str:
    """The wall and processor seconds of ``brv-tui eval`` on ``root``."""
    wall, processor = process_seconds(sys.executable, "-m", "brvtui", "eval", "--project", str(root), *more)
    return f"{wall:.2f} s, processor {processor:.2f} s"


def main() -> None:
    """Prints the setting, then a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=1_000)
    given = parser.parse_args()
    if not given.folder.exists():
        make(given.folder, given.notes)
        judge(given.folder, given.notes, given.queries)
    print(setting(), f"{given.notes} notes, {given.queries} queries", sep="\n")
    print("asked every query:   ", run(given.folder, "--fresh"))
    for _ in range(3):
        print("again:               ", run(given.folder))
    os.utime(given.folder / ".brv" / "context-tree" / path_of(7))
    print("after a note changed:", run(given.folder))


if __name__ == "__main__":
    main()
