"""Writes files whole or not at all, and locks files that are read, changed and written again."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_CLOSE = getattr(os, "O_CLOEXEC", 0)
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})


def write(path: Path, text: str) -> None:
    """Replaces the file at ``path`` by ``text`` (UTF-8) in one step. On OSError the old file stays whole."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes, private: bool = True) -> None:
    """Replaces the file at ``path`` by ``data`` in one step. On OSError the old file stays whole.

    An existing file keeps its permissions. A new file is readable by its owner alone if ``private``, else it gets the
    user's default permissions.
    """
    with replacing(path, private) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path, private: bool = True, durable: bool = True) -> Iterator[BinaryIO]:
    """Opens a file to write, which at the end replaces the one at ``path``, as :func:`write_bytes` does.

    Unless ``durable``, it is not synced: it may be lost or torn when the power fails.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSE, 0o600 if private else 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            if durable:
                os.fsync(file.fileno())
        made.replace(path)
    except BaseException as error:
        made.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # a failed write does not name the file
        raise


def append_line(path: Path, line: str) -> int:
    """Appends ``line``, which is ASCII, to the file at ``path`` in one write; returns the file's new size in bytes.

    A new file is readable by its owner alone. Raises OSError, and then the file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    data = f"{line}\n".encode("ascii")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CLOSE, 0o600)
    try:
        before = os.fstat(descriptor).st_size
        if os.write(descriptor, data) < len(data):
            os.ftruncate(descriptor, before)  # half a line would spoil the next one
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return before + len(data)
    finally:
        os.close(descriptor)


def remove_leftovers(path: Path) -> None:
    """Removes temporary files that killed processes left for ``path``. Nobody may be writing that file now."""
    for left in path.parent.glob(f".{path.name}.*"):
        left.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of the folder of ``path``; waits for other processes that hold it.

    Locks the folder itself, so that no lock file is left in it. Does nothing on a file system without locks. Raises
    OSError when the folder cannot be made or opened.
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
