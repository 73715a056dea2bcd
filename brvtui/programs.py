"""Starts all other processes. Makes sure that no program inside a project runs or is found on the PATH."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from brvtui.environment import BASIC, Environment, environment, is_inside

if TYPE_CHECKING:
    from asyncio.subprocess import Process as AppProcess
    from multiprocessing.connection import Connection

__all__ = ["BASIC", "Environment", "environment", "is_inside"]

Process = subprocess.Popen[bytes]
TimeoutExpired = subprocess.TimeoutExpired
PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
_ENDS_WITHIN_S = 2.0


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
