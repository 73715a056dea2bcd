"""Opens files in a tree folder by folder, so that no symlink can lead out of the tree."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from brvtui.disk.writing import make_tree_folder
from brvtui.regular_files import open_regular, read_open

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
_BEHIND_LINK = "the tree is now behind a symlink"
_known: dict[str, tuple[int, int]] = {}
"""The device and inode of each tree folder that was opened, and whose path contained no links at that time."""
TOPIC_ENDING = ".html"
_LONGEST_NAME, _LONGEST_PATH = 255, 2_000
"""The maximum lengths, in bytes, of a name and of a path inside the tree.

File systems allow at most 255 bytes for a name, and 4,096 for a whole path, which includes the path of the tree.
"""


class PathError(Exception):
    """Raised if a path cannot belong to a note in the tree. The message contains the path and the reason."""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A name in an open folder of the tree. ``path`` is its path relative to the tree."""

    folder: int
    name: str
    path: str


def parts_of(path: str) -> tuple[str, ...]:
    """Splits the path of a Markdown file below a tree. Raises :class:`PathError` if no such file can have the path."""
    parts = folder_parts_of(path)
    if not path.endswith(".md"):
        raise PathError(f"{path}: a note's name must end in .md")
    return parts


def folder_parts_of(path: str) -> tuple[str, ...]:
    """Splits the path of a folder below a tree. Raises :class:`PathError` if no such folder can have the path."""
    parts = _parts_inside(path)
    hidden = next((part for part in parts if part.startswith(".")), None)
    if hidden is not None:
        raise PathError(f"{path}: {hidden} begins with a dot, so the engine does not see it; choose another name")
    return parts


def _file_parts_of(path: str) -> tuple[str, ...]:
    """Splits the path of a note or topic. The parts of a topic's path may begin with a dot."""
    return _parts_inside(path) if path.endswith(TOPIC_ENDING) else parts_of(path)


def _parts_inside(path: str) -> tuple[str, ...]:
    parts = tuple(path.split("/"))
    if path.startswith("/") or ".." in parts:
        raise PathError(f"{path}: points outside the tree; choose a note in it, such as domain/topic/note.md")
    if "" in parts or "\0" in path:
        raise PathError(f"{path!r}: not the path of a note; choose one in the tree, such as domain/topic/note.md")
    if len(os.fsencode(path)) > _LONGEST_PATH or any(len(os.fsencode(part)) > _LONGEST_NAME for part in parts):
        raise PathError(
            f"{path:.60}…: the name is too long; a name may have {_LONGEST_NAME} bytes, a path {_LONGEST_PATH:,}"
        )
    return parts


def is_in_place(tree: Path) -> bool:
    """True if the path of ``tree`` still contains no links, as when the tree was opened."""
    return os.path.realpath(tree) == os.fspath(tree)


def _open_tree(tree: Path) -> int:
    """Opens the folder ``tree``. Raises OSError, including when part of its path has become a link."""
    place = os.fspath(tree)
    try:
        folder = os.open(place, _FOLDER)
    except OSError as error:
        raise error if is_in_place(tree) else OSError(errno.EXDEV, _BEHIND_LINK, place) from error
    found = os.fstat(folder)
    if _known.get(place) != (found.st_dev, found.st_ino):  # usually it is the same folder as before
        if not is_in_place(tree):
            os.close(folder)
            raise OSError(errno.EXDEV, _BEHIND_LINK, place)
        _known[place] = (found.st_dev, found.st_ino)
    return folder


def read_inside(tree: Path, path: str, most: int) -> bytes:
    """Returns the bytes of the regular file at ``path`` below ``tree``. Follows no symlinks below the tree.

    Raises OSError, including when the path points outside the tree, is not a regular file, or has more than ``most``
    bytes.
    """
    *folders, name = path.split("/")
    if path.startswith("/") or ".." in folders or name in ("", "..") or "\0" in path:
        raise OSError(errno.EACCES, "points outside the tree", path)
    folder = _open_tree(tree)
    try:
        for part in folders:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        descriptor = open_regular(name, folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR) and _has_link(tree, path):
            raise OSError(errno.EACCES, "behind a symlink, which may lead out of the tree", path) from error
        raise
    finally:
        os.close(folder)
    try:
        return read_open(descriptor, os.fstat(descriptor), path, most)
    finally:
        os.close(descriptor)


def _has_link(tree: Path, path: str) -> bool:
    place = tree
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            return True
    return False


@contextmanager
def entry_in(tree: Path, path: str, make_folders: bool = False) -> Iterator[FolderEntry]:
    """Yields the entry of the note or topic at ``path`` below ``tree``. Its folder is open within the context.

    If the path is a symlink to another file in the tree, yields the entry of that file. ``make_folders`` creates
    missing folders. Raises :class:`PathError`, FileNotFoundError if a folder is missing, and OSError.
    """
    parts = _file_parts_of(path)
    folder = _open_folder(tree, parts[:-1], make_folders)
    try:
        target = _target(tree, path, folder, parts[-1])
        if target != path:
            os.close(folder)
            folder = -1
            parts = _file_parts_of(target)
            folder = _open_folder(tree, parts[:-1], False)
        yield FolderEntry(folder, parts[-1], target)
    finally:
        if folder >= 0:
            os.close(folder)


@contextmanager
def folder_entry_in(tree: Path, path: str, make_folders: bool = False) -> Iterator[FolderEntry]:
    """Yields the entry of the folder at ``path`` below ``tree``. Like :func:`entry_in`, but follows no symlinks."""
    parts = folder_parts_of(path)
    folder = _open_folder(tree, parts[:-1], make_folders)
    try:
        yield FolderEntry(folder, parts[-1], path)
    finally:
        os.close(folder)


@contextmanager
def open_folder(tree: Path, name: str) -> Iterator[int]:
    """Yields the open folder ``name`` of ``tree``. Follows no symlinks. Raises :class:`PathError` and OSError."""
    folder = _open_folder(tree, (name,), False)
    try:
        yield folder
    finally:
        os.close(folder)


def _open_folder(tree: Path, parts: tuple[str, ...], make: bool) -> int:
    folder = _open_tree(tree)
    for number, part in enumerate(parts):
        try:
            inner = _open_below(folder, part, make)
        except OSError as error:
            above = "/".join(parts[: number + 1])
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise PathError(f"{above}: not a folder of the tree (it is a file or a symlink)") from error
            raise
        finally:
            os.close(folder)
        folder = inner
    return folder


def _open_below(folder: int, name: str, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    make_tree_folder(name, folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def _target(tree: Path, path: str, folder: int, name: str) -> str:
    """Returns ``path`` or, if it is a symlink, the path to which it links.

    Raises :class:`PathError` if the link points outside the tree or nowhere.
    """
    try:
        found = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return path
    if not stat.S_ISLNK(found.st_mode):
        return path
    try:
        root = tree.resolve(strict=True)
        target = (root / path).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise PathError(f"{path}: a symlink that leads nowhere; fix or remove it") from error
    if not target.is_relative_to(root):
        raise PathError(f"{path}: a symlink that points outside the tree; edit {target} itself")
    return target.relative_to(root).as_posix()
