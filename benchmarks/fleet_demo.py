"""Starts a Dask scheduler and three workers on this machine for 300 generated trees, and runs some queries.

    python -m benchmarks.fleet_demo [FOLDER] [--members 300] [--notes 20]

FOLDER keeps the trees for the next run. Without it, they are removed at the end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fleet_processes import FleetProcesses
from benchmarks.fleet_trees import make_fleet, some_queries


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("folder", nargs="?", type=Path)
    read.add_argument("--members", type=int, default=300)
    read.add_argument("--notes", type=int, default=20)
    given = read.parse_args()
    with tempfile.TemporaryDirectory() as made:
        _show(given.folder or Path(made), given.members, given.notes)


def _show(folder: Path, members: int, notes: int) -> None:
    print(f"making {members} trees of {notes} notes in {folder}", flush=True)
    make_fleet(folder / "trees", members, notes)
    file = folder / "fleet.toml"
    file.write_text('name = "demo"\n\n[[member]]\npath = "trees/*"\n')
    os.environ["BRV_TUI_DATA_DIR"] = str(folder / "own")
    with FleetProcesses(folder, 3) as cluster:
        own = ["--merge", "one", "--limit", "3", "--fleet", str(file), "--scheduler", cluster.address]
        for text in some_queries(3)[1:]:
            _run("fleet", "query", text, *own)
        print("\nkill -9 of one worker", flush=True)
        cluster.kill(0)
        _run("fleet", "query", text, *own)


def _run(*arguments: str) -> None:
    print(f"\n$ brv-tui {' '.join(arguments)}", flush=True)
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "brvtui", *arguments], check=False)
    print(f"({time.perf_counter() - begun:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
