"""What a file was when it was read, so that a change is noticed."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
from dataclasses import dataclass

from brvtui.tree.reading.regular import open_regular, read_open


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was seen: which one it was, and the SHA-256 of its bytes in hex. Only the bytes decide."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    sha256: str

    def is_state(self, found: os.stat_result) -> bool:
        """Whether a file of this state is, in all likelihood, the one that was seen, unchanged."""
        own = (self.device, self.inode, self.size, self.mtime_ns)
        return own == (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file that was read: its bytes, its state, and whether another program has it open to write."""

    data: bytes
    stat: os.stat_result
    seen: Seen
    busy: bool


def digest(data: bytes) -> str:
    """The SHA-256 of ``data`` in hex."""
    return hashlib.sha256(data).hexdigest()


def seen_as(data_digest: str, found: os.stat_result) -> Seen:
    """What is seen of a file of this state and content."""
    return Seen(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, data_digest)


def look(folder: int, name: str, ask_busy: bool = False) -> FileOnDisk:
    """The regular file ``name`` of the open ``folder``; with ``ask_busy``, nobody has begun to write while it is read.

    Raises OSError.
    """
    descriptor = open_regular(name, folder)
    try:
        busy = ask_busy and _is_written_to(descriptor)
        found = os.fstat(descriptor)
        data = read_open(descriptor, found, name)
    finally:
        os.close(descriptor)
    return FileOnDisk(data, found, seen_as(digest(data), found), busy)


def _is_written_to(descriptor: int) -> bool:
    """Whether any program has the open file open to write; False where the system cannot tell.

    Linux grants a read lease only on a file that nobody can write to, and until the descriptor is closed it holds
    back whoever opens it to write. Network file systems may refuse one without such a reason.
    """
    if sys.platform != "linux":
        return False
    import fcntl
    import signal

    try:
        # The default signal of a lease that somebody waits for ends the process; this one is ignored.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False
