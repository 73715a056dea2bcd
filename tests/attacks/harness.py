"""Runs the program against hostile input, each time in a process of its own with limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 4.0
"""Two for the input, and two for starting Python with everything imported."""
WALL_SECONDS = 60.0
"""Beyond this, a process hangs, however busy the machine is."""
MEMORY_MB = 400
"""256 for the input, and what the program takes for anything."""
_CODES = range(5)
_LAUNCHER = """
import os, resource, sys
report = int(sys.argv[1])
os.set_inheritable(report, False)
child = os.fork()
if not child:
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    os.execv(sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(child, 0)
code = os.waitstatus_to_exitcode(status)
os.write(report, f"{code} {used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}".encode())
"""
"""Runs a program, and reports its exit code, its seconds of processor time and its peak of memory in MB.

The kernel counts the memory of who starts a process as that process's own: this one has next to none.
"""


@dataclass(frozen=True)
class Attack:
    """Prepares a folder, and gives the arguments of ``brv-tui`` for it, or of ``program`` in its place."""

    name: str
    prepare: Callable[[Path], Sequence[str | Path]]
    program: tuple[str, ...] = ("-m", "brvtui")
    check: Callable[[], str] = str
    """What got through beside the program's own behaviour; empty for nothing."""


@dataclass(frozen=True)
class Probe:
    """An attack that runs what it needs in an empty folder, and returns what got through; empty for nothing."""

    name: str
    run: Callable[[Path], str]


def got_through(attack: Attack | Probe, folder: Path) -> str:
    """What went wrong when the program met ``attack`` in an empty ``folder``; empty when nothing did."""
    if isinstance(attack, Probe):
        return attack.run(folder)
    arguments = [*map(str, attack.prepare(folder))]
    own = {name: str(folder / "own") for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR")}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as report:
        launched = [sys.executable, *attack.program, *arguments]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(report.fileno()), *launched],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder, env={**os.environ, **own},
            pass_fds=[report.fileno()], start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(WALL_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"hung for {WALL_SECONDS:g} s"
        output.seek(0)
        report.seek(0)
        said = output.read().decode("utf-8", "replace")
        code, cpu_seconds, memory_mb = (float(number) for number in report.read().split())
    problems = []
    if code not in _CODES:
        problems.append(f"ended with {code:g}")
    if "Traceback" in said or "a report is in" in said:
        problems.append(f"broke: {said.strip().splitlines()[-1]}")
    if cpu_seconds > CPU_SECONDS:
        problems.append(f"took {cpu_seconds:.1f} s")
    if memory_mb > MEMORY_MB:
        problems.append(f"took {memory_mb:.0f} MB")
    if beside := attack.check():
        problems.append(beside)
    return ", ".join(problems)


def report(attacks: Sequence[Attack | Probe]) -> int:
    """Runs ``attacks``, prints what was tried and what got through; the number of those that did."""
    through = 0
    for attack in attacks:
        with tempfile.TemporaryDirectory() as folder:
            problem = got_through(attack, Path(folder))
        through += bool(problem)
        print(f"{attack.name}: {problem or 'held'}", flush=True)
    print(f"tried: {len(attacks)}, got through: {through}")
    return through
