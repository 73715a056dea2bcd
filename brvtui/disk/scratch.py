"""Copies of folders in a temporary folder, for what must not touch the originals."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder for its owner alone, removed with all that is in it at the end. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix="brv-tui-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def copy_folder(source: Path, target: Path) -> None:
    """Copies the regular files and symlinks below ``source`` to ``target``, with their times to the nanosecond.

    A symlink to something below ``source`` leads to its copy. A file that cannot be read is left out. Raises OSError
    where ``target`` cannot be written.
    """
    for above, folders, names in os.walk(source):
        inside = target / os.path.relpath(above, source)
        inside.mkdir(parents=True, exist_ok=True)
        for name in (*folders, *names):
            place = Path(above) / name
            if place.is_symlink():
                leads_to = place.readlink()
                within = leads_to.is_absolute() and leads_to.is_relative_to(source)
                (inside / name).symlink_to(target / leads_to.relative_to(source) if within else leads_to)
            elif place.is_file() and os.access(place, os.R_OK):
                shutil.copy2(place, inside / name)


def remove_copy(folder: Path) -> None:
    """Removes the copy at ``folder``; nothing happens when there is none. Raises OSError."""
    if folder.is_dir():
        shutil.rmtree(folder)


def write_scratch(path: Path, text: str) -> None:
    """Writes ``text`` to a file of a scratch folder, whose folder is made. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def set_modified(path: Path, mtime_ns: int) -> None:
    """Sets when the file at ``path`` of a scratch folder was modified. Raises OSError."""
    os.utime(path, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
