"""The time of ``brv-tui health`` on the first run, and after one edit of one note.

    python -m benchmarks.health TREE

TREE is a project of notes. A copy of it is checked by the installed program, with an empty cache before each first run.
Times are in seconds, of the whole process: CPU time, with the system's share, and wall time.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.timings import process_seconds, setting

_ROUNDS = 3


def measure(source: Path, program: Path, rounds: int = _ROUNDS) -> dict[str, list[tuple[float, float]]]:
    """The wall and CPU times of the runs of ``program``, of each kind."""
    times: dict[str, list[tuple[float, float]]] = {"first run": [], "after one edit": [], "nothing changed": []}
    with tempfile.TemporaryDirectory() as place:
        project, data = Path(place) / "project", Path(place) / "data"
        os.environ["BRV_TUI_DATA_DIR"] = str(data)
        shutil.copytree(source, project, symlinks=True)
        notes = sorted((project / ".brv" / "context-tree").rglob("*.md"))
        command = (str(program), "health", "--project", str(project))
        process_seconds(*command)  # keeps the bytecode
        for number in range(rounds):
            shutil.rmtree(data)
            times["first run"].append(process_seconds(*command))
            note = notes[len(notes) * (number + 1) // (rounds + 1)]
            note.write_bytes(note.read_bytes() + b"\nOne more sentence about it.\n")
            times["after one edit"].append(process_seconds(*command))
            times["nothing changed"].append(process_seconds(*command))
    return times


def main(source: Path) -> None:
    times = measure(source, Path(sys.executable).with_name("brv-tui"))
    print(f"{setting()}; median of {_ROUNDS}")
    for name, rounds in times.items():
        wall, cpu = (median(values) for values in zip(*rounds, strict=True))
        print(f"  {name:16}{cpu:7.2f} s CPU{wall:8.2f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
