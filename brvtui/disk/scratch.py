"""Copies folders to a temporary folder, for work that must not change the originals."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from brvtui.disk.locks import lock_at_once
from brvtui.disk.walking import walk
from brvtui.regular_files import read_regular

_PREFIX = "brv-tui-copy-"
_YOUNG_S = 60.0
_LARGEST, _MOST_BYTES = 10 * 1_048_576, 1_073_741_824
_SPARSE = 1 << 40
"""The maximum size, in bytes, of a copy without text; file systems refuse much larger ones."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yields an empty folder that only its owner can enter, and removes it at the end. Raises OSError.

    SIGTERM and SIGHUP end the program only after that. Folders of programs that were killed are removed first.
    """
    _remove_abandoned(Path(tempfile.gettempdir()))
    with _ended_by_signals(), tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with suppress(OSError):  # a file system without locks
                lock_at_once(descriptor)
            yield Path(name).resolve()
        finally:
            os.close(descriptor)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Turns SIGTERM and SIGHUP into :class:`SystemExit`. Changes nothing outside of the main thread."""
    numbers = (signal.SIGTERM, signal.SIGHUP) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _remove_abandoned(parent: Path) -> None:
    """Removes the user's scratch folders in ``parent`` that no running program has locked. Raises no errors."""
    with suppress(OSError):
        for place in list(parent.glob(f"{_PREFIX}*")):
            with suppress(OSError):
                descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    found = os.fstat(descriptor)
                    is_old = time.time() - found.st_mtime > _YOUNG_S  # a younger one may not be locked yet
                    if is_old and found.st_uid == os.getuid() and lock_at_once(descriptor):
                        shutil.rmtree(place)
                finally:
                    os.close(descriptor)


def copy_folder(source: Path, target: Path) -> list[str]:
    """Copies the regular files and symlinks below ``source`` to ``target``. They keep their times to the nanosecond.

    A symlink to a file below ``source`` is changed to lead to the copy of that file. Files that cannot be read, or are
    nested too deeply, are left out. The copy of a file larger than 10 MB has its size, but no text and no space on the
    disk. Returns the paths of these files. Raises OSError if ``target`` cannot be written, or if the other files are
    larger than 1 GB in total.
    """
    large, left = list[str](), _MOST_BYTES
    target.mkdir(parents=True, exist_ok=True)
    for entry, path in walk(source, with_folders=True):
        place = Path(entry.path)
        if entry.is_symlink():
            leads_to = place.readlink()
            within = leads_to.is_absolute() and leads_to.is_relative_to(source)
            (target / path).symlink_to(target / leads_to.relative_to(source) if within else leads_to)
        elif entry.is_dir():
            (target / path).mkdir(exist_ok=True)
        elif entry.is_file():
            try:
                found = entry.stat(follow_symlinks=False)
                data = read_regular(place, _LARGEST) if found.st_size <= _LARGEST else b""
            except OSError:
                continue
            left -= len(data)
            if left < 0:
                raise OSError(errno.EOVERFLOW, "the files to copy are larger than 1 GB in total", str(source))
            (target / path).write_bytes(data)
            if found.st_size > _LARGEST:
                os.truncate(target / path, min(found.st_size, _SPARSE))
                large.append(path)
            set_modified(target / path, found.st_mtime_ns)
    return large


def remove_copy(folder: Path) -> None:
    """Removes the copy at ``folder`` if there is one. Raises OSError."""
    if folder.is_dir():
        shutil.rmtree(folder)


def write_scratch(path: Path, text: str) -> None:
    """Writes ``text`` to a file in a scratch folder, and creates its parent folders. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def set_modified(path: Path, mtime_ns: int) -> None:
    """Sets the modification time of the file at ``path`` in a scratch folder. Raises OSError."""
    os.utime(path, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
