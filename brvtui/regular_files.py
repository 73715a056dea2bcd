"""Reads files of unknown origin: only regular files, and never more bytes than a limit.

All files of projects, and all of the tool's own, are read through this module. A pipe, a device or an endless file,
even behind a symlink, raises OSError at once, so that no read blocks or is unlimited.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 64 * 1_048_576
"""The default size limit in bytes."""
MISSING = (FileNotFoundError, NotADirectoryError)
"""The errors for a path at which there is no file, including a path in which a folder is really a file."""
LINK_OUT = "a symlink points outside the project; replace it with a file"
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def read_regular(path: Path, most: int, follow_links: bool = False) -> bytes:
    """Returns the bytes of the regular file at ``path``.

    Set ``follow_links`` only for paths from the user; otherwise, a symlink in place of the file is refused. Raises
    OSError if the file cannot be read, is not a regular file, or is larger than ``most`` bytes.
    """
    descriptor = open_regular(path, follow_links=follow_links)
    try:
        return read_open(descriptor, os.fstat(descriptor), str(path), most)
    finally:
        os.close(descriptor)


def read_within(folder: Path, path: Path, most: int) -> bytes:
    """Returns the bytes of the regular file at ``path`` below ``folder``. A symlink may lead to another file in it.

    Raises the same OSError as :func:`read_regular`, and OSError for a symlink that points outside ``folder``.
    """
    real = os.path.realpath(path)
    if os.path.lexists(path) and leads_out(folder, path):
        raise OSError(errno.EACCES, LINK_OUT, str(path))
    return read_regular(Path(real), most)


def leads_out(folder: Path, path: Path) -> bool:
    """True if a symlink leads from ``path``, which is below ``folder``, to a place outside the folder."""
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def read_end(path: Path, most: int) -> bytes:
    """Returns the last ``most`` bytes of the regular file at ``path``, without an incomplete first line.

    Raises OSError if the file cannot be read, or is not a regular file.
    """
    descriptor = open_regular(path)
    try:
        size = os.fstat(descriptor).st_size
        begin = max(size - most, 0)
        ending = os.pread(descriptor, min(size, most), begin)
    finally:
        os.close(descriptor)
    return ending if begin == 0 else ending.partition(b"\n")[2]


def open_regular(path: str | Path, folder: int | None = None, follow_links: bool = False) -> int:
    """Opens the regular file at ``path`` below the open ``folder``, and returns its descriptor.

    Raises the same errors as :func:`read_regular`.
    """
    descriptor = os.open(path, _FLAGS if follow_links else _FLAGS | os.O_NOFOLLOW, dir_fd=folder)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file", str(path))


def read_open(descriptor: int, found: os.stat_result, name: str, most: int) -> bytes:
    """Returns the bytes of an open regular file with the state ``found``.

    Raises the same errors as :func:`read_regular`, with the file's ``name``.
    """
    pieces: list[bytes] = []
    size = 0
    while size <= most and found.st_size <= most:  # a file may grow, and files in /proc have the size 0
        piece = os.read(descriptor, min(max(found.st_size - size, 0), most - size) + 1)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
    raise OSError(errno.EFBIG, f"larger than {most} bytes", name)
