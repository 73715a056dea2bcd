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
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes", str(path))
    return data
