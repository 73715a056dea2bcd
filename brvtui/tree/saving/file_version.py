"""Versions of files, which detect changes since a file was read."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from brvtui.regular_files import LARGEST, open_regular, read_open

# Copies owner, permissions and extended attributes from a file to the one that replaces it.


Lost = Literal["owner", "permissions", "extended attributes"]


def copy_attributes(source: int, found: os.stat_result, target: int) -> tuple[Lost, ...]:
    """Copies the attributes of the open file ``source``, whose state is ``found``, to ``target``.

    Returns the attributes that could not be copied.
    """
    lost: list[Lost] = []
    if not _copy_owner(found, target):
        lost.append("owner")
    try:
        os.fchmod(target, stat.S_IMODE(found.st_mode))
    except OSError:
        lost.append("permissions")
    if not _copy_extended(source, target):
        lost.append("extended attributes")
    return tuple(lost)


def _copy_owner(found: os.stat_result, target: int) -> bool:
    now = os.fstat(target)
    if (now.st_uid, now.st_gid) == (found.st_uid, found.st_gid):
        return True
    try:
        os.fchown(target, found.st_uid, found.st_gid)
    except OSError:
        with suppress(OSError):
            os.fchown(target, -1, found.st_gid)
        return False
    return True


def _copy_extended(source: int, target: int) -> bool:
    """Copies extended attributes, including access control lists. Returns False if one of them could not be copied.

    Python supports extended attributes only on Linux.
    """
    if sys.platform != "linux":
        return True
    try:
        names = os.listxattr(source)
    except OSError:
        return True
    complete = True
    for name in names:
        try:
            value = os.getxattr(source, name)
            with suppress(OSError):
                if os.getxattr(target, name) == value:
                    continue
            os.setxattr(target, name, value)
        except OSError:
            complete = False
    return complete


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as it was when it was read, with the SHA-256 of its bytes in hex. Versions with equal bytes are equal."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    sha256: str

    def has_state(self, found: os.stat_result) -> bool:
        """True if ``found`` very probably describes the same file, unchanged."""
        own = (self.device, self.inode, self.size, self.mtime_ns)
        return own == (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file that was read: its bytes and state. ``busy`` is True if another program has the file open for writing."""

    data: bytes
    stat: os.stat_result
    version: FileVersion
    busy: bool


def digest(data: bytes) -> str:
    """Returns the SHA-256 of ``data`` in hex."""
    return hashlib.sha256(data).hexdigest()


def version_of(data_digest: str, found: os.stat_result) -> FileVersion:
    """Returns the version of a file with the given digest and state."""
    return FileVersion(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, data_digest)


def read_version(folder: int, name: str, ask_busy: bool = False) -> FileOnDisk:
    """Reads the regular file ``name`` in the open ``folder``. Raises OSError.

    With ``ask_busy``, also checks whether another program has the file open for writing, and makes new writers wait
    until the file is read.
    """
    descriptor = open_regular(name, folder)
    try:
        busy = ask_busy and _is_written_to(descriptor)
        found = os.fstat(descriptor)
        data = read_open(descriptor, found, name, LARGEST)
    finally:
        os.close(descriptor)
    return FileOnDisk(data, found, version_of(digest(data), found), busy)


def _is_written_to(descriptor: int) -> bool:
    """True if another program has the file open for writing; False if none has, or if the system cannot tell.

    Linux grants a read lease only if no program has the file open for writing. Until the descriptor is closed, the
    lease makes new writers wait. Network file systems may refuse a lease for other reasons.
    """
    if sys.platform != "linux":
        return False
    import fcntl
    import signal

    try:
        # The default signal, sent when a program waits for the lease, would end the process. The process ignores
        # SIGURG.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False
