"""Starts all other processes. Makes sure that no program inside a project runs or is found on the PATH."""

from __future__ import annotations

import os
import pwd
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NewType

if TYPE_CHECKING:
    from asyncio.subprocess import Process as AppProcess
    from multiprocessing.connection import Connection

Variables = Mapping[str, str] | None
Environment = NewType("Environment", dict[str, str])
"""The environment of a child process. Only :func:`environment` creates one, so all of its variables are checked."""
Process = subprocess.Popen[bytes]
TimeoutExpired = subprocess.TimeoutExpired
PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
BASIC = ("HOME", "LANG", "LOGNAME", "TMPDIR", "USER", "XDG_CONFIG_HOME")
"""The variables that every program may receive, in addition to PATH."""
_PYTHON = "PYTHON"
_MARKS = (".brv", ".git")
_ENDS_WITHIN_S = 2.0


def environment(
    *projects: Path, keep: Collection[str] | None = None, of: Variables = None, more: Variables = None
) -> Environment:
    """Returns the environment for a child process: the variables in ``of`` that are named in ``keep``, and ``more``.

    ``of`` is by default the environment of this process. If ``keep`` is None, all variables except Python's are kept.
    PATH entries are removed if they are relative, or inside the working folder or one of ``projects``. PATH is never
    empty, because an empty PATH means the working folder.
    """
    own = os.environ if of is None else of
    variables = {name: value for name, value in own.items() if (keep is None or name in keep) and name[:6] != _PYTHON}
    places = own.get("PATH", os.defpath).split(os.pathsep)
    roots = [root for folder in (Path(), *projects) if (root := _root(folder)) is not None]
    path = [
        place for place in places if Path(place).is_absolute() and not any(is_inside(place, root) for root in roots)
    ]
    return Environment(
        {**variables, "PATH": os.pathsep.join(path) or os.devnull, "PYTHONSAFEPATH": "1", **(more or {})}
    )


def is_inside(place: str | Path, folder: Path) -> bool:
    """True if ``place``, or a link on the path to it, is ``folder`` or is inside it."""
    root, path = os.path.realpath(folder), Path(place)
    return any(Path(os.path.realpath(each)).is_relative_to(root) for each in (path, *path.parents))


def _root(folder: Path) -> Path | None:
    """Returns the outermost project that contains ``folder``, or ``folder`` itself if there is none.

    Returns None for the user's home and folders above it. Programs in a home folder are the user's own, even if the
    home folder itself is a git repository.
    """
    outermost = home = None
    with suppress(KeyError):  # the system does not know the user, as in some containers
        home = Path(os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir))
    with suppress(OSError):  # the working folder was removed
        own = Path(os.path.realpath(folder))
        for each in (own, *own.parents):
            if home is not None and home.is_relative_to(each):
                break
            if outermost is None or any((each / mark).exists() for mark in _MARKS):
                outermost = each
    return outermost


def find_program(name: str, environ: Environment) -> str | None:
    """Returns the absolute path of the program ``name`` on the PATH of ``environ``; None if it is not found.

    An absolute path is returned unchanged. A relative path is never found.
    """
    if Path(name).is_absolute():
        return name
    return None if os.sep in name else shutil.which(name, path=environ["PATH"])


def python(module: str, *arguments: str, utf8: bool = bool(sys.flags.utf8_mode)) -> list[str]:
    """Returns the command that runs ``module`` with this Python and imports nothing from the working folder."""
    return [sys.executable, "-P", *(("-X", "utf8") if utf8 else ()), "-m", module, *arguments]


def start(command: Sequence[str], environ: Environment, **options: Any) -> Process:
    """Starts ``command``, whose program must be an absolute path. Passes ``options`` to Popen. Raises OSError."""
    return Process(_checked(command), env=environ, **options)


async def start_app(command: Sequence[str], environ: Environment) -> AppProcess:
    """Starts ``command``, whose program must be an absolute path, in the running event loop. Raises OSError."""
    import asyncio

    return await asyncio.create_subprocess_exec(*_checked(command), env=environ, stdin=PIPE, stdout=PIPE, stderr=PIPE)


def _checked(command: Sequence[str]) -> Sequence[str]:
    if not Path(command[0]).is_absolute():
        raise FileNotFoundError(f"{command[0]}: not an absolute path")
    return command


def output(command: Sequence[str], environ: Environment, folder: Path | None, seconds: float) -> bytes:
    """Returns the output of ``command``; empty if it cannot be started, fails, or takes more than ``seconds``."""
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(
            _checked(command), env=environ, cwd=folder, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, timeout=seconds,
            check=True,
        ).stdout  # fmt: skip
    return b""


class Worker:
    """A Python process in its own session, and a connection to it. It ends when this process ends."""

    def __init__(self, module: str) -> None:
        """Starts ``module``, which connects to this end with :func:`connect_to_parent`. Raises OSError."""
        from multiprocessing.connection import Connection

        here, there = socket.socketpair()
        with there:
            number = there.fileno()
            nothing = dict.fromkeys(("stdin", "stdout", "stderr"), DEVNULL)
            command = python(module, str(number))
            self.process = start(command, environment(), pass_fds=(number,), start_new_session=True, **nothing)
        self.connection: Connection = Connection(here.detach())

    def kill(self) -> None:
        """Kills the process and all its children."""
        self.connection.close()
        _kill_group(self.process.pid)
        with suppress(TimeoutExpired):
            self.process.wait(_ENDS_WITHIN_S)


def connect_to_parent() -> Connection:
    """Returns a worker's end of the connection.

    If the other end is closed, the worker and its children end immediately.
    """
    from multiprocessing.connection import Connection

    connection, watched = Connection(int(sys.argv[1])), select.poll()
    watched.register(connection, 0)  # even without flags, it reports when the other end closes
    Thread(target=_end_after, args=(watched,), daemon=True).start()
    return connection


def _end_after(watched: Any) -> None:
    watched.poll()
    _kill_group(0)


def wait_for(connections: Sequence[Connection], seconds: float) -> list[Any]:
    """Waits up to ``seconds`` until one of ``connections`` is readable. Returns the readable ones."""
    from multiprocessing.connection import wait

    return wait(connections, seconds)


def end(process: Process) -> None:
    """Kills ``process``, which must be a session leader, and all its children. Does nothing if it has already ended."""
    if process.poll() is None:
        _kill_group(process.pid)


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
