"""Measures the app's memory while its tree changes a hundred times a second.

    python -m benchmarks.app_memory [--seconds 3600] [--rate 100] [--notes 1000] [--every 60] [--query "refresh token"]

Runs the app in a pseudo-terminal over a generated tree, types a query, lets another process change notes
(``tests.soak.changes``), and prints the app's resident memory every ``--every`` seconds. The tree's size stays the
same, so memory that keeps growing is a leak. A profile lifts the limit of 10,000 files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.app_in_pty import Terminal, start
from benchmarks.timings import setting


def resident_mb(pid: int) -> float:
    """The resident memory of a process in MB (10^6 bytes; Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmRSS:"))


def watch(terminal: Terminal, seconds: float, every: float) -> list[float]:
    """Prints and returns the resident memory at the end of each interval of ``every`` seconds."""
    began, rows = time.monotonic(), []
    while time.monotonic() - began < seconds:
        end = time.monotonic() + every
        while time.monotonic() < end:
            terminal.read(0.2)
        rows.append(resident_mb(terminal.pid))
        print(f"{time.monotonic() - began:7.0f} s {rows[-1]:8.1f} MB", flush=True)
    return rows


def main() -> None:
    """Prints the setting, a row for each interval, and the last quarter's growth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--every", type=float, default=60)
    parser.add_argument("--query", default="refresh token")
    options = parser.parse_args()
    print(setting())
    print(f"{options.notes} notes, {options.rate:g} changes a second, query {options.query!r}")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / ".brv" / "context-tree").mkdir(parents=True)
        (root / ".brv" / "config.json").write_text("{}")
        profile = root / "unlimited.toml"
        profile.write_text("[limits]\nmax_files = 0\n", encoding="utf-8")
        given = [f"--notes={options.notes}", f"--rate={options.rate}"]
        command = [sys.executable, "-m", "tests.soak.changes", str(root), *given]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as changing:
            assert changing.stdin is not None
            assert changing.stdout is not None
            changing.stdin.write("0\n")
            changing.stdin.flush()
            changing.stdout.readline()
            terminal = start(root, 120, 36, options=["--profile", str(profile)])
            terminal.settle()
            terminal.key(options.query)
            terminal.settle()
            changing.stdin.write(f"{options.seconds}\n")
            changing.stdin.flush()
            try:
                rows = watch(terminal, options.seconds, options.every)
            finally:
                terminal.end()
            changing.stdin.close()
            print(f"changes: {sum(json.loads(changing.stdout.readline()).values())}")
    quarter = rows[-max(1, len(rows) // 4) :]
    print(f"first {rows[0]:.1f} MB, highest {max(rows):.1f} MB, last {rows[-1]:.1f} MB")
    print(f"growth over the last quarter: {quarter[-1] - quarter[0]:+.1f} MB")


if __name__ == "__main__":
    main()
