"""Runs the program against hostile input, each time in a process of its own with limits."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 4.0
"""Two for the input, and as many again because other processes share the cores."""
WALL_SECONDS = 60.0
"""Beyond this, a process hangs, however busy the machine is."""
MEMORY_MB = 400
"""256 for the input, and what the program takes for anything."""
_CODES = range(5)
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    ["brvtui.app.notes.reading", "brvtui.cli.ask", "brvtui.cli.query", "brvtui.report.query", "brvtui.report.query",
     "brvtui.session.session", "brvtui.tree.editing.merging"]
)  # fmt: skip
"""Each attacked process is a copy of one that has imported the program, which takes longer than most inputs."""


@dataclass(frozen=True)
class Attack:
    """Prepares a folder, and gives the arguments of ``brv-tui`` for it, or of the Python text ``program``."""

    name: str
    prepare: Callable[[Path], Sequence[str | Path]]
    program: str = "from brvtui.cli import main; main()"
    check: Callable[[], str] = str
    """The effects of an attack that got through; empty if there were none."""
    cpu_seconds: float = CPU_SECONDS
    memory_mb: float = MEMORY_MB


@dataclass(frozen=True)
class Probe:
    """An attack that runs what it needs in an empty folder, and returns what got through; empty for nothing."""

    name: str
    run: Callable[[Path], str]


def got_through(attack: Attack | Probe, folder: Path) -> str:
    """The problems when the program met ``attack`` in an empty ``folder``; empty if there are none."""
    if isinstance(attack, Probe):
        return attack.run(folder)
    arguments = [*map(str, attack.prepare(folder))]
    environ = {**os.environ, **{name: str(folder / "own") for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR")}}
    with tempfile.TemporaryDirectory() as beside:
        said_in, used_in = Path(beside, "said"), Path(beside, "used")
        process = _SERVER.Process(target=_run, args=(attack.program, arguments, folder, environ, said_in, used_in))
        process.start()
        process.join(WALL_SECONDS)
        if process.is_alive():
            os.killpg(process.pid or 0, signal.SIGKILL)
            process.join()
            return f"hung for {WALL_SECONDS:g} s"
        said = said_in.read_text("utf-8", "replace")
        used = used_in.read_text().split() if used_in.exists() else ["0", "0"]
        code, cpu_seconds, memory_mb = process.exitcode, float(used[0]), float(used[1])
    problems = []
    if code not in _CODES:
        problems.append(f"ended with {code:g}")
    if "Traceback" in said or "a report is in" in said:
        problems.append(f"broke: {said.strip().splitlines()[-1]}")
    if cpu_seconds > attack.cpu_seconds:
        problems.append(f"took {cpu_seconds:.1f} s")
    if memory_mb > attack.memory_mb:
        problems.append(f"took {memory_mb:.0f} MB")
    if beside := attack.check():
        problems.append(beside)
    return ", ".join(problems)


def _run(program: str, arguments: list[str], folder: Path, environ: dict[str, str], said: Path, used: Path) -> None:
    """Runs ``program``, what it says in the file ``said``; leaves in ``used`` the seconds of processor time of it and
    of the processes that it started, and the highest peak of memory of one of them in MB."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["brv-tui", *arguments]
    try:
        exec(compile(program, "attacked", "exec"), {"__name__": "__main__"})
    finally:
        taken = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu_seconds = sum(one.ru_utime + one.ru_stime for one in taken)
        used.write_text(f"{cpu_seconds} {max(one.ru_maxrss for one in taken) / 1024}")


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
