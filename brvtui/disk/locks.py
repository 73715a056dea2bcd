"""Locks between processes: ``flock`` on a folder itself, so that no lock file is left and a killed holder frees it."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 10.0
"""How long to wait for a lock. What is done under one takes milliseconds: who cannot have it by then waits in vain."""
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EBADF})
"""What systems say that cannot lock a folder. NFS cannot: it locks only files that are open for writing."""
_FIRST_S, _LONGEST_S = 0.0005, 0.002
"""The pauses between two attempts: ``flock`` itself knows no time limit, and wakes those who wait in no fair order."""

_own = threading.local()


@contextmanager
def locked(folder: Path, patience_s: float | None = None) -> Iterator[bool]:
    """Holds the lock of ``folder`` against other threads and processes; a thread may take it again while it has it.

    Gives False on a file system without locks, where it holds nothing. Raises BlockingIOError when another process
    holds it for more than ``patience_s`` seconds (PATIENCE_S unless told), and OSError when the folder cannot be
    opened. Blocks: call it in a worker thread.
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
    """Locks the open file for as long as it is open; False when another one has it. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take(descriptor: int, folder: Path, patience_s: float) -> bool:
    """Waits for the lock; False where there are none. Raises BlockingIOError."""
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
        time.sleep(pause * random.uniform(0.5, 1.5))  # so that waiting processes do not keep in step
        pause = min(2 * pause, _LONGEST_S)
