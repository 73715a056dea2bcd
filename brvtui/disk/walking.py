"""Walks everything below a folder, without recursion and up to a maximum depth."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path

from brvtui import faults

MOST_DEPTH = 200
"""The maximum number of folders between an entry and the top folder. Recursive code can handle such paths."""
TOO_DEEP = f"nested more than {MOST_DEPTH} folders deep, so its contents are not read; move it up"


def walk(
    top: str | Path,
    refused: Callable[[str, str], object] = lambda path, why: None,
    enters: Callable[[os.DirEntry[str], str], bool] = lambda folder, path: True,
    with_folders: bool = False,
) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yields every file below ``top`` with its path and, if ``with_folders`` is set, every folder.

    A symlink is yielded but never followed. The entries of a folder come in byte order of their names. They are
    followed by the entries of its subfolders, last subfolder first, for which ``enters`` returns True. Calls
    ``refused`` with the path of each folder that cannot be read or is nested too deeply, and the reason. Raises no
    errors.
    """
    pending = [(str(top), "", 0)]
    while pending:
        folder, prefix, depth = pending.pop()
        if depth > MOST_DEPTH:
            refused(prefix, TOO_DEEP)
            continue
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=attrgetter("name"))
        except OSError as error:
            refused(prefix or ".", f"the folder cannot be read: {faults.reason(error)}")
            continue
        if not all(entry.name.isascii() for entry in entries):
            entries.sort(key=lambda entry: os.fsencode(entry.name))
        for entry in entries:
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            is_folder = leads_to_folder(entry, follow_symlinks=False)
            if with_folders or not is_folder:
                yield entry, path
            if is_folder and enters(entry, path):
                pending.append((entry.path, path, depth + 1))


def leads_to_folder(entry: os.DirEntry[str], follow_symlinks: bool = True) -> bool:
    """True if ``entry`` is a folder, or a symlink to one; False if this cannot be determined."""
    try:
        return entry.is_dir(follow_symlinks=follow_symlinks)
    except OSError:
        return False
