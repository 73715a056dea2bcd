"""Walks everything below a folder, without recursion and up to a maximum depth."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from brvtui import faults

MOST_DEPTH = 200
"""The maximum number of folders between an entry and the top. Recursive code can handle paths of this depth."""
TOO_DEEP = f"nested more than {MOST_DEPTH} folders deep, so its contents are not read; move it up"


def walk(
    top: str | Path,
    refused: Callable[[str, str], object] = lambda path, why: None,
    enters: Callable[[os.DirEntry[str], str], bool] = lambda folder, path: True,
    with_folders: bool = False,
) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yields every entry below ``top`` with its path; includes folders if ``with_folders``. Symlinks are never folders.

    Entries of a folder come in byte order of their names. Entries of its subfolders follow, last subfolder first, if
    ``enters`` returns True for the subfolder. Calls ``refused`` with the path of a folder that cannot be read or is
    nested too deeply, and the reason. Raises no errors.
    """
    pending = [(str(top), "", 0)]
    while pending:
        folder, prefix, depth = pending.pop()
        if depth > MOST_DEPTH:
            refused(prefix, TOO_DEEP)
            continue
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            refused(prefix or ".", f"the folder cannot be read: {faults.reason(error)}")
            continue
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
