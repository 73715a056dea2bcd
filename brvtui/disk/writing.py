"""Writes files atomically, appends lines, creates folders and removes files.

Files that contain text from notes are *private*: only their owner can read them (0600) and enter their folders (0700).
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from brvtui.disk.locks import NO_LOCKS, is_running, lock_at_once

PRIVATE, ORDINARY = 0o600, 0o666
"""Permissions of new files, before the user's ``umask`` is applied."""
_FOLDER = 0o700
_OTHERS = 0o077
_CLOSE = getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | _CLOSE
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | _CLOSE
_PART = re.compile(r"\.brv-tui-(\d+)-[0-9a-f]{8}\.part")
_JUST_MADE_S = 60.0
"""The maximum number of seconds that a process takes to lock a file that it has created."""


def create(name: str | Path, mode: int, folder: int | None = None) -> int:
    """Creates the empty file ``name`` in the open ``folder``, and returns its descriptor.

    Raises OSError, including when the file already exists.
    """
    return os.open(name, _NEW, mode, dir_fd=folder)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of ``data``. Raises OSError."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def write(path: Path, data: bytes, private: bool = True, folder: int | None = None) -> None:
    """Replaces the file at ``path`` with ``data`` in one step.

    Raises OSError, for example if ``path`` is a device, a pipe or a socket. The old file is then unchanged. Only the
    owner can read a ``private`` file. Any other file keeps its permissions, and a new one gets the user's default
    permissions. ``folder`` is as for :func:`replacing`.
    """
    with replacing(path, private, folder=folder) as file:
        file.write(data)


@contextmanager
def replacing(path: Path, private: bool = True, durable: bool = True, folder: int | None = None) -> Iterator[BinaryIO]:
    """Opens a file for writing. On exit, it replaces the file at ``path``, as :func:`write` does.

    If ``durable`` is False, the file is not synced, and may be lost or damaged in a power failure. ``folder`` is the
    open folder of ``path``, for use if a folder on the path may be replaced by a link at any time.
    """
    if folder is None:
        make_folder(path.parent)
    name, part = (path, path.with_name(part_name())) if folder is None else (path.name, part_name())
    with suppress(FileNotFoundError):
        kind = stat.S_IFMT(os.stat(name, dir_fd=folder).st_mode)  # follows links, so a link to a device is not replaced
        if kind not in (stat.S_IFREG, stat.S_IFDIR):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
    try:
        descriptor = create(part, PRIVATE if private else ORDINARY, folder)
    except OSError as error:
        error.filename = str(path)  # the user does not know the name of the temporary file
        raise
    try:
        with os.fdopen(descriptor, "wb") as file:
            _mark_as_written(descriptor)
            yield file
            file.flush()
            if not private:
                with suppress(FileNotFoundError):
                    os.fchmod(descriptor, stat.S_IMODE(os.stat(name, dir_fd=folder).st_mode))
            if durable:
                os.fsync(descriptor)
            os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
        if isinstance(error, OSError) and error.filename in (None, str(part)):
            error.filename = str(path)  # the error of a failed write contains no file name
        raise


def append_line(path: Path, line: str) -> int:
    """Appends ``line``, which must be ASCII, to the private file at ``path``. Returns the file's new size in bytes.

    Writes the whole line at once. If this raises OSError, the file is unchanged.
    """
    make_folder(path.parent)
    data = f"{line}\n".encode("ascii")
    descriptor = os.open(path, _APPEND, PRIVATE)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if found.st_mode & _OTHERS:
            os.fchmod(descriptor, PRIVATE)
        if os.write(descriptor, data) < len(data):
            os.ftruncate(descriptor, found.st_size)  # half a line would corrupt the next one
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return found.st_size + len(data)
    finally:
        os.close(descriptor)


def open_lock_file(path: Path) -> int:
    """Opens the file at ``path``, which exists only to be locked. Creates it if necessary. Raises OSError."""
    make_folder(path.parent)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | _CLOSE, PRIVATE)


def make_folder(folder: Path) -> None:
    """Creates ``folder`` and its missing parents, each accessible only to its owner. Raises OSError."""
    try:
        folder.mkdir(_FOLDER, exist_ok=True)
    except FileNotFoundError:
        if folder.parent == folder:
            raise
        make_folder(folder.parent)
        folder.mkdir(_FOLDER, exist_ok=True)


def make_ordinary_folder(folder: Path) -> None:
    """Creates ``folder``, if it is missing, with default permissions. Its parent must exist. Raises OSError."""
    folder.mkdir(exist_ok=True)


def make_tree_folder(name: str, folder: int) -> None:
    """Creates the folder ``name``, if it is missing, in the open ``folder`` of a tree, with default permissions.

    Raises OSError.
    """
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
        os.fsync(folder)


def rename(path: Path, target: Path) -> None:
    """Renames a file, and replaces any file at ``target``. Raises OSError."""
    path.replace(target)


def remove(path: Path) -> None:
    """Removes the file at ``path`` if it exists. Raises OSError."""
    path.unlink(missing_ok=True)


def remove_folder(folder: Path) -> None:
    """Removes ``folder`` with its contents. Raises OSError, which contains the folder's path."""
    import shutil

    try:
        shutil.rmtree(folder)
    except OSError as error:  # the error itself contains only the name in the folder
        error.filename = str(folder)
        raise


def remove_unless_file(path: Path) -> None:
    """Removes a folder, pipe, socket or link at ``path`` that is in the way of the tool's own file. Raises OSError."""
    with suppress(FileNotFoundError):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            remove_folder(path)
        elif not stat.S_ISREG(mode):
            remove(path)


@contextmanager
def private_copy(name: str, data: bytes) -> Iterator[Path]:
    """Yields a file called ``name`` with ``data``, in a folder that only the user can enter. Removes both afterwards.

    Raises OSError.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="brv-tui-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / name
        write(copy, data)
        yield copy


def part_name() -> str:
    """Returns a new name for a file that this process is writing."""
    return f".brv-tui-{os.getpid()}-{secrets.token_hex(4)}.part"


def abandoned_parts(folder: Path) -> Iterator[Path]:
    """Yields the unfinished files in ``folder`` that ended processes left behind. Raises no errors."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return
    for name in names:
        found = _PART.fullmatch(name)
        with suppress(OSError):
            if found and _is_abandoned(folder / name, int(found[1])):
                yield folder / name


def close_to_others(folder: Path) -> None:
    """Removes other users' permissions from ``folder`` and everything below. Follows no symlinks, raises no errors."""
    with suppress(OSError, RecursionError):  # on Python 3.11, os.fwalk is recursive
        for _, _, names, descriptor in os.fwalk(folder):
            _close(descriptor, _FOLDER)
            for name in names:
                with suppress(OSError):
                    if os.lstat(name, dir_fd=descriptor).st_mode & _OTHERS:
                        _close_file(name, descriptor)


def close_folder(folder: Path) -> None:
    """Removes other users' permissions from ``folder`` itself. Raises no errors."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | _CLOSE)
        try:
            _close(descriptor, _FOLDER)
        finally:
            os.close(descriptor)


def _close_file(name: str, folder: int) -> None:
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | _CLOSE, dir_fd=folder)
    try:
        _close(descriptor, PRIVATE)
    finally:
        os.close(descriptor)


def _close(descriptor: int, mode: int) -> None:
    found = os.fstat(descriptor)
    if found.st_mode & _OTHERS and found.st_uid == os.geteuid():
        with suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(found.st_mode) & mode)


def _mark_as_written(descriptor: int) -> None:
    """Locks a file until it is closed, so that it is not mistaken for an abandoned one."""
    try:
        lock_at_once(descriptor)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise


def _is_abandoned(file: Path, process: int) -> bool:
    """True if no process is writing ``file``: it is not locked, and its process has ended or the file is old.

    Raises OSError.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | _CLOSE)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            return False
        is_old = time.time() - found.st_ctime > _JUST_MADE_S
        try:
            return lock_at_once(descriptor) and (is_old or not is_running(process))
        except OSError as error:
            return error.errno in NO_LOCKS and not is_running(process)
    finally:
        os.close(descriptor)
