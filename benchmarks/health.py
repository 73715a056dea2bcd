"""The time of ``brv-tui health`` on the first run, and after one edit of one note.

    python -m benchmarks.health TREE

TREE is a project of notes. A copy of it is checked by the installed program, with an empty cache before each first run.
Times are in seconds, of the whole process: CPU time, with the system's share, and wall time.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.timings import setting

_ROUNDS = 3


def seconds(*command: str) -> tuple[float, float]:
    """The CPU time and the wall time of a ``command``."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


def main(source: Path) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    times: dict[str, list[tuple[float, float]]] = {"first run": [], "after one edit": [], "nothing changed": []}
    with tempfile.TemporaryDirectory() as place:
        project, data = Path(place) / "project", Path(place) / "data"
        os.environ["BRV_TUI_DATA_DIR"] = str(data)
        shutil.copytree(source, project, symlinks=True)
        notes = sorted((project / ".brv" / "context-tree").rglob("*.md"))
        command = (str(Path(sys.executable).with_name("brv-tui")), "health", "--project", str(project))
        seconds(*command)  # keeps the bytecode
        for number in range(_ROUNDS):
            shutil.rmtree(data)
            times["first run"].append(seconds(*command))
            note = notes[len(notes) * (number + 1) // (_ROUNDS + 1)]
            note.write_bytes(note.read_bytes() + b"\nOne more sentence about it.\n")
            times["after one edit"].append(seconds(*command))
            times["nothing changed"].append(seconds(*command))
    print(f"{setting()}; {len(notes)} files, median of {_ROUNDS}")
    for name, rounds in times.items():
        cpu, wall = (median(values) for values in zip(*rounds, strict=True))
        print(f"  {name:16}{cpu:7.2f} s CPU{wall:8.2f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
