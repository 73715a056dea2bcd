"""Files of a tree by their path below it: opened folder by folder, so that no link leads out."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from brvtui.tree.reading.regular import open_regular, read_open

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
_LONGEST_NAME, _LONGEST_PATH = 255, 2_000
"""Bytes. File systems take no longer names; the whole path, with the tree's own before it, must stay below 4,096."""


class PathError(Exception):
    """A path that is not taken for a note of the tree; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A name in an open folder of the tree; ``path`` is both, below the tree, with ``/``."""

    folder: int
    name: str
    path: str


def parts_of(path: str) -> tuple[str, ...]:
    """The names of ``path``, a markdown file below a tree. Raises :class:`PathError` for anything else."""
    parts = folder_parts_of(path)
    if not path.endswith(".md"):
        raise PathError(f"{path}: a note's name ends in .md; add it")
    return parts


def folder_parts_of(path: str) -> tuple[str, ...]:
    """The names of ``path``, a folder below a tree. Raises :class:`PathError` for anything else."""
    parts = tuple(path.split("/"))
    if path.startswith("/") or ".." in parts:
        raise PathError(f"{path}: leads out of the tree; name a note below it, as in domain/topic/note.md")
    if "" in parts or "\0" in path:
        raise PathError(f"{path!r}: no path of a note; name one below the tree, as in domain/topic/note.md")
    if len(os.fsencode(path)) > _LONGEST_PATH or any(len(os.fsencode(part)) > _LONGEST_NAME for part in parts):
        raise PathError(
            f"{path:.60}…: the name is too long; one may have {_LONGEST_NAME} bytes, a path {_LONGEST_PATH:,}"
        )
    hidden = next((part for part in parts if part.startswith(".")), None)
    if hidden is not None:
        raise PathError(f"{path}: {hidden} begins with a dot, which the engine does not see; choose another name")
    return parts


def read_inside(tree: Path, path: str, most: int) -> bytes:
    """The bytes of the regular file at ``path`` below ``tree``. No link below the tree is followed.

    Raises OSError, also for a path that leads out of the tree, for what is no regular file and for more than ``most``
    bytes.
    """
    *folders, name = path.split("/")
    if path.startswith("/") or ".." in folders or name in ("", "..") or "\0" in path:
        raise OSError(errno.EACCES, "leads out of the tree", path)
    folder = os.open(tree, _FOLDER & ~os.O_NOFOLLOW)
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
def place_in(tree: Path, path: str, make_folders: bool = False) -> Iterator[FolderEntry]:
    """The place of ``path`` below ``tree``, its folder open for as long as the context lasts.

    A note that is a symlink to another file of the tree stands for that file. ``make_folders`` makes what is missing
    above it. Raises :class:`PathError`, FileNotFoundError when a folder is missing, and OSError.
    """
    parts = parts_of(path)
    folder = _open_folder(tree, parts[:-1], make_folders)
    try:
        target = _target(tree, path, folder, parts[-1])
        if target != path:
            os.close(folder)
            folder = -1
            parts = parts_of(target)
            folder = _open_folder(tree, parts[:-1], False)
        yield FolderEntry(folder, parts[-1], target)
    finally:
        if folder >= 0:
            os.close(folder)


@contextmanager
def folder_place_in(tree: Path, path: str, make_folders: bool = False) -> Iterator[FolderEntry]:
    """The place of the folder ``path`` below ``tree``, as :func:`place_in`; links are not followed."""
    parts = folder_parts_of(path)
    folder = _open_folder(tree, parts[:-1], make_folders)
    try:
        yield FolderEntry(folder, parts[-1], path)
    finally:
        os.close(folder)


def _open_folder(tree: Path, parts: tuple[str, ...], make: bool) -> int:
    folder = os.open(tree, _FOLDER)
    for number, part in enumerate(parts):
        try:
            inner = _open_below(folder, part, make)
        except OSError as error:
            above = "/".join(parts[: number + 1])
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise PathError(f"{above}: not a folder of the tree (a file or a symlink stands there)") from error
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
    try:
        os.mkdir(name, dir_fd=folder)
        os.fsync(folder)
    except FileExistsError:
        pass
    return os.open(name, _FOLDER, dir_fd=folder)


def _target(tree: Path, path: str, folder: int, name: str) -> str:
    """The path that ``path`` stands for: itself, or what it links to. Raises :class:`PathError` for a link out."""
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
        raise PathError(f"{path}: a symlink that leads nowhere; mend or remove it") from error
    if not target.is_relative_to(root):
        raise PathError(f"{path}: a symlink that leads out of the tree; edit {target} itself")
    return target.relative_to(root).as_posix()
