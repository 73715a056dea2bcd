"""Locks between processes. They use ``flock`` on the folder itself, so no lock files remain after a crash."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from brvtui.regular_files import read_regular

# Checks whether the process that wrote a file is still running.


_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MOST = 4096
_STARTED = 19
"""The index of the start time among the fields after the program name in ``/proc/<pid>/stat``."""


def is_running(process: int, identity: str = "") -> bool:
    """True if a process with this id is running.

    If ``identity`` is given, the process must have this identity, unless the system cannot tell.
    """
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    if _state(process)[:1] in ([b"Z"], [b"X"]):  # a zombie has ended, but its parent has not yet waited for it
        return False
    return not identity or identity_of(process) in ("", identity)


def own_identity() -> str:
    """Returns the identity of this process; see :func:`identity_of`."""
    return identity_of(os.getpid())


def identity_of(process: int) -> str:
    """Returns a value that distinguishes a process from later ones with the same id.

    It contains the process's start time and the system's boot id. It is empty if the process is not running, or if the
    system has no ``/proc``.
    """
    try:
        boot = read_regular(_BOOT, _MOST).decode("ascii").strip()
        return f"{boot}:{int(_state(process)[_STARTED])}"
    except (OSError, ValueError, IndexError):
        return ""


def _state(process: int) -> list[bytes]:
    """Returns the fields of ``/proc/<pid>/stat`` after the program name, beginning with the state letter.

    Empty if the process is not running, or if the system has no ``/proc``.
    """
    try:
        stat = read_regular(Path(f"/proc/{process}/stat"), _MOST)
    except OSError:
        return []
    return re.sub(rb".*\)", b"", stat, flags=re.DOTALL).split()


PATIENCE_S = 10.0
"""The time limit for acquiring a lock, in seconds.

A lock is held for milliseconds, so waiting longer would not help.
"""
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EBADF})
"""The errors of file systems that cannot lock folders. One of them is NFS, which locks only files open for writing."""
_FIRST_S, _LONGEST_S = 0.0005, 0.002
"""The first and the longest pause, in seconds, between attempts to acquire a lock.

``flock`` itself has no time limit.
"""

_own = threading.local()


@contextmanager
def locked(folder: Path, patience_s: float | None = None) -> Iterator[bool]:
    """Holds the lock of ``folder`` against other threads and processes. The same thread may acquire it again.

    Yields False on a file system without locks. Raises BlockingIOError if another process holds the lock for more than
    ``patience_s`` seconds (default: PATIENCE_S), and OSError if the folder cannot be opened. Blocks, so it must be
    called in a worker thread.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        identity = (found.st_dev, found.st_ino)
        held: set[tuple[int, int]] = _own.__dict__.setdefault("held", set())
        if identity in held:
            yield True
        elif _take(descriptor, folder, PATIENCE_S if patience_s is None else patience_s):
            held.add(identity)
            try:
                yield True
            finally:
                held.discard(identity)
        else:
            yield False
    finally:
        os.close(descriptor)


def lock_at_once(descriptor: int) -> bool:
    """Locks the open file until it is closed. Returns False if another process holds the lock. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take(descriptor: int, folder: Path, patience_s: float) -> bool:
    """Waits for the lock. Returns False if the file system has no locks. Raises BlockingIOError on a timeout."""
    end, pause = time.monotonic() + patience_s, _FIRST_S
    while True:
        try:
            if lock_at_once(descriptor):
                return True
        except OSError as error:
            if error.errno in NO_LOCKS:
                return False
            raise
        if time.monotonic() >= end:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(folder))
        time.sleep(pause * random.uniform(0.5, 1.5))  # so that waiting processes do not retry at the same time
        pause = min(2 * pause, _LONGEST_S)
