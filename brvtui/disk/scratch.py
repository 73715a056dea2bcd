"""Copies folders to a temporary folder, for work that must not change the originals."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from brvtui.disk.walking import walk


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yields an empty folder that only its owner can enter, and removes it at the end. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix="brv-tui-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def copy_folder(source: Path, target: Path) -> None:
    """Copies the regular files and symlinks below ``source`` to ``target``. They keep their times to the nanosecond.

    A symlink to a file below ``source`` is changed to lead to the copy of that file. Files that cannot be read, or are
    nested too deeply, are left out. Raises OSError if ``target`` cannot be written.
    """
    target.mkdir(parents=True, exist_ok=True)
    for entry, path in walk(source, with_folders=True):
        place = Path(entry.path)
        if entry.is_symlink():
            leads_to = place.readlink()
            within = leads_to.is_absolute() and leads_to.is_relative_to(source)
            (target / path).symlink_to(target / leads_to.relative_to(source) if within else leads_to)
        elif entry.is_dir():
            (target / path).mkdir(exist_ok=True)
        elif entry.is_file() and os.access(place, os.R_OK):
            shutil.copy2(place, target / path)


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
