"""Runs the program on hostile input, each time in a separate process with limits."""

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
"""The limit on CPU time: 2 s for the input, and 2 s more because other processes share the cores."""
WALL_SECONDS = 60.0
"""A process that runs longer has hung, however busy the machine is."""
MEMORY_MB = 400
"""The memory limit: 256 MB for the input, and the memory that the program needs for any input."""
_CODES = range(5)
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    ["brvtui.app.notes.reading", "brvtui.cli.ask", "brvtui.cli.query", "brvtui.report.query", "brvtui.report.query",
     "brvtui.session.session", "brvtui.tree.editing.merging"]
)  # fmt: skip
"""Each attacked process is a fork of one that has imported the program, because importing takes most of the time."""


@dataclass(frozen=True)
class Attack:
    """Prepares a folder, and returns the arguments of ``brv-tui`` for it, or of the Python code ``program``."""

    name: str
    prepare: Callable[[Path], Sequence[str | Path]]
    program: str = "from brvtui.cli import main; main()"
    check: Callable[[], str] = str
    """Returns the effects of a successful attack; empty if there are none."""
    cpu_seconds: float = CPU_SECONDS
    memory_mb: float = MEMORY_MB


@dataclass(frozen=True)
class Probe:
    """An attack that runs by itself in an empty folder, and returns its effects; empty if it failed."""

    name: str
    run: Callable[[Path], str]


def got_through(attack: Attack | Probe, folder: Path) -> str:
    """The problems that ``attack`` causes in an empty ``folder``; empty if there are none."""
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
    """Runs ``program`` with its output in the file ``said``. Writes to ``used`` the processor time in seconds of the
    program and the processes that it started, and the highest peak memory of any of them in MB."""
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
    """Runs ``attacks``, prints the number of attacks and the successful ones, and returns the number of these."""
    through = 0
    for attack in attacks:
        with tempfile.TemporaryDirectory() as folder:
            problem = got_through(attack, Path(folder))
        through += bool(problem)
        print(f"{attack.name}: {problem or 'held'}", flush=True)
    print(f"tried: {len(attacks)}, got through: {through}")
    return through
