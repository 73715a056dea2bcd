"""Writing a file whole or not at all, and by one process at a time where it is read, changed and written."""

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
    """Replaces the file at ``path`` by ``text`` (UTF-8) in one step. Raises OSError; the old file is whole then."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes, private: bool = True) -> None:
    """Replaces the file at ``path`` by ``data`` in one step. Raises OSError; the old file is whole then.

    A file that was there keeps its permissions. A new one that is ``private`` is for its owner alone; any other has
    the permissions that a new file of the user has.
    """
    with replacing(path, private) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path, private: bool = True, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write into, which replaces the one at ``path`` in one step, as :func:`write_bytes` does.

    One that is not ``durable`` may be lost or torn when the power fails.
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
            error.filename = str(path)  # a write that fails does not say of which file
        raise


def remove_leftovers(path: Path) -> None:
    """Removes what killed processes left while they wrote the file at ``path``; nobody may be writing it now."""
    for left in path.parent.glob(f".{path.name}.*"):
        left.unlink(missing_ok=True)


@contextlib.contextmanager
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
