"""Folders of a tree: moved with all that is in them, and removed when nothing is (``docs/editing.md``, "Moving").

Neither the engine nor this tool sees an empty folder, so none counts as something that is there.
"""

from __future__ import annotations

import os
import posixpath
import stat
from pathlib import Path

from brvtui.tree.reading.inside import PathError, folder_place_in
from brvtui.tree.saving.exchange import place
from brvtui.tree.saving.note_files import SaveError, sync_folder, told


def holds_nothing(tree: Path, path: str) -> bool:
    """Whether a folder lies at ``path`` in which, however deep, there is no file."""
    folder = tree / path
    if folder.is_symlink() or not folder.is_dir():
        return False
    return not any(
        names or any(Path(above, name).is_symlink() for name in inner) for above, inner, names in os.walk(folder)
    )


def move_folder(tree: Path, path: str, target: str) -> None:
    """Gives the folder at ``path`` the path ``target``, with all that is in it, in one step.

    Folders above the target are made, those above ``path`` that are empty then are removed. Raises
    :class:`brvtui.tree.saving.note_files.SaveError`, also when the target is taken or inside the folder.
    """
    if f"{target}/".startswith(f"{path}/"):
        raise SaveError(f"{target}: is the folder {path} or inside it; choose another place")
    with told(path), folder_place_in(tree, path) as at:
        if not stat.S_ISDIR(os.lstat(at.name, dir_fd=at.folder).st_mode):
            raise SaveError(f"{path}: is no folder")
        with told(target), folder_place_in(tree, target, make_folders=True) as to:
            if holds_nothing(tree, target):
                _remove(tree, target)
            try:
                place(at.folder, at.name, to.folder, to.name)
            except FileExistsError as error:
                raise SaveError(f"{target}: is taken; choose another name") from error
            sync_folder(to)
            sync_folder(at)
    remove_empty(tree, posixpath.dirname(path))


def remove_empty(tree: Path, path: str) -> None:
    """Removes the folder at ``path``, and those above it, for as long as they are empty; nothing is raised."""
    while path:
        try:
            with folder_place_in(tree, path) as at:
                os.rmdir(at.name, dir_fd=at.folder)
        except (OSError, PathError):
            return
        path = posixpath.dirname(path)


def _remove(tree: Path, path: str) -> None:
    """Removes the folder at ``path``, in which there are only folders. Raises OSError when there is more by now."""
    for above, _, _ in os.walk(tree / path, topdown=False):
        below = Path(above).relative_to(tree).as_posix()
        with folder_place_in(tree, below) as at:
            os.rmdir(at.name, dir_fd=at.folder)
