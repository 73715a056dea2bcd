"""Reading files that somebody else may have put there: never a pipe, a device or a link, never more than a limit."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
LARGEST = 64 * 1_048_576
"""Bytes that no file of a project's own settings reaches."""


def read_regular(path: Path, most: int = LARGEST) -> bytes:
    """The bytes of the regular file at ``path``.

    Raises OSError when it cannot be read, is no regular file, or holds more than ``most`` bytes.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        return read_open(descriptor, os.fstat(descriptor), str(path), most)
    finally:
        os.close(descriptor)


def open_regular(name: str, folder: int) -> int:
    """A descriptor to read the file ``name`` in the open ``folder``. Raises OSError, also for a link."""
    return os.open(name, _FLAGS, dir_fd=folder)


def read_open(descriptor: int, found: os.stat_result, name: str, most: int = LARGEST) -> bytes:
    """The bytes of the open file whose state is ``found``; raises as :func:`read_regular`, with ``name``."""
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", name)
    pieces: list[bytes] = []
    held = 0
    while held <= most:
        piece = os.read(descriptor, min(max(found.st_size - held, 0), most - held) + 1)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        held += len(piece)
    raise OSError(errno.EFBIG, f"larger than {most} bytes", name)
