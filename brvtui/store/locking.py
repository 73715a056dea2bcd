"""One process at a time where a file is read, changed and written."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps others that ask for it from changing files beside ``path`` meanwhile; waits for them.

    The folder itself is locked, so that nothing is left in it. A file system without locks does not keep anybody.
    Raises OSError when the folder cannot be made or opened.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield
    finally:
        os.close(descriptor)
