"""Moves folders with their contents, and removes empty ones (``docs/explanation/safe-saving.md``, "Moving").

Neither the engine nor this tool sees a folder without files, so a move may replace such a folder.
"""

from __future__ import annotations

import os
import posixpath
import stat
from pathlib import Path

from brvtui.disk.locks import locked
from brvtui.disk.walking import walk
from brvtui.tree.reading.inside import PathError, folder_entry_in
from brvtui.tree.saving.exchange import rename_to_free
from brvtui.tree.saving.note_files import SaveError, as_save_error, sync_folder, taken


def is_empty_folder(tree: Path, path: str) -> bool:
    """True if ``path`` is a folder that contains no files at any depth."""
    folder = tree / path
    if folder.is_symlink() or not folder.is_dir():
        return False
    refused: list[str] = []
    return next(walk(folder, lambda path, _: refused.append(path)), None) is None and not refused


def move_folder(tree: Path, path: str, target: str) -> None:
    """Moves the folder at ``path``, with its contents, to ``target`` in one step.

    Creates missing folders above the target, and removes folders above ``path`` that become empty. Raises
    :class:`brvtui.tree.saving.note_files.SaveError`, including when the target is taken or inside the folder.
    """
    if f"{target}/".startswith(f"{path}/"):
        raise SaveError(f"{target}: this is the folder {path} or a place inside it; choose another place")
    with as_save_error(path), locked(tree), folder_entry_in(tree, path) as at:
        if not stat.S_ISDIR(os.lstat(at.name, dir_fd=at.folder).st_mode):
            raise SaveError(f"{path}: not a folder")
        with as_save_error(target), folder_entry_in(tree, target, make_folders=True) as to:
            if is_empty_folder(tree, target):
                _remove(tree, target)
            try:
                rename_to_free(at.folder, at.name, to.folder, to.name)
            except FileExistsError as error:
                raise taken(target) from error
            sync_folder(to)
            sync_folder(at)
    remove_empty(tree, posixpath.dirname(path))


def remove_empty(tree: Path, path: str) -> None:
    """Removes the folder at ``path``, and the folders above it, as long as they are empty. Raises no errors."""
    while path:
        try:
            with folder_entry_in(tree, path) as at:
                os.rmdir(at.name, dir_fd=at.folder)
        except (OSError, PathError):
            return
        path = posixpath.dirname(path)


def _remove(tree: Path, path: str) -> None:
    """Removes the folder at ``path`` and its subfolders. Raises OSError if one of them contains a file."""
    folders = [path, *(f"{path}/{below}" for _, below in walk(tree / path, with_folders=True))]
    for folder in reversed(folders):
        with folder_entry_in(tree, folder) as at:
            os.rmdir(at.name, dir_fd=at.folder)
