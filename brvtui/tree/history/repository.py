"""Finds a folder's git repository, and refuses a repository that a link or a pointer places elsewhere."""

from __future__ import annotations

import os
import re
import time
from functools import lru_cache
from pathlib import Path

from brvtui import faults
from brvtui.disk.walking import walk
from brvtui.regular_files import leads_out, read_regular

GIT = ".git"
_POINTER = "gitdir: "
_LARGEST = 1 << 20
_WORKTREES, _MODULES = "worktrees", "modules"
_HOOKS = re.compile(r"(modules/(?!(.*/)?(objects|refs|logs)/).+/)?hooks(/|$)")
"""The hooks of a repository and its submodules. git runs none of them here."""


class ForeignRepository(ValueError):
    """Raised if a repository that git would read does not belong to the folder. The message names the file."""


def own_repository(folder: Path, bare: bool) -> Path | None:
    """The folder, at or above ``folder``, that contains the repository of ``folder``; None if there is none.

    With ``bare``, the folder itself may be a repository. Raises :class:`ForeignRepository`. Results are cached for a
    second.
    """
    try:
        return _checked(os.path.realpath(folder), bare, int(time.monotonic()))
    except OSError as error:
        raise ForeignRepository(f"{folder}: the git repository cannot be read ({faults.reason(error)})") from error


@lru_cache(maxsize=32)
def _checked(folder: str, bare: bool, second: int) -> Path | None:
    for place in (Path(folder), *Path(folder).parents):
        if os.path.lexists(place / GIT):
            _check(place, place / GIT)
            return place
        if bare and os.path.lexists(place / "HEAD") and os.path.lexists(place / "objects"):
            _check(place, place)
            return place
    return None


def _check(place: Path, git: Path) -> None:
    """Raises :class:`ForeignRepository` if any part of ``git``, the repository of ``place``, is elsewhere."""
    if leads_out(place, git):
        raise ForeignRepository(
            f"{git}: this symlink points outside the project, so its history is not read; replace the link with a clone"
        )
    repository = Path(os.path.realpath(git))
    if repository.is_file():
        repository = _pointed_to(git, repository)
    common = repository
    if os.path.lexists(repository / "commondir"):
        common = Path(os.path.realpath(repository / _text(repository / "commondir").rstrip("\r\n")))
        if repository.parent != common / _WORKTREES or not git.is_file() or not _names(repository / "gitdir", git):
            raise ForeignRepository(
                f"{repository / 'commondir'}: leads to a repository without this worktree, so its history is not read; "
                "run git worktree repair in that repository"
            )
    for part in dict.fromkeys((repository, common)):
        _check_links(part)
    for name in ("alternates", "http-alternates"):
        borrowed = common / "objects" / "info" / name
        if os.path.lexists(borrowed) and _text(borrowed):
            raise ForeignRepository(
                f"{borrowed}: uses objects from another repository, so its history is not read; run git repack -a -d "
                "and remove the file"
            )


def _pointed_to(git: Path, file: Path) -> Path:
    """The repository to which the file ``.git`` points: one in the folder of the file, a worktree or a submodule."""
    pointer = _text(file)
    if not pointer.startswith(_POINTER):
        why = "neither a folder nor a pointer to one, so its history is not read; clone the repository again"
        raise ForeignRepository(f"{git}: {why}")
    target = Path(os.path.realpath(git.parent / pointer.removeprefix(_POINTER).rstrip("\r\n")))
    is_submodule = _MODULES in target.parts and _names(target / "config", git.parent, "worktree = ")
    if not (target.is_relative_to(git.parent) or _names(target / "gitdir", git) or is_submodule):
        raise ForeignRepository(
            f"{git}: points to a repository that does not point back, so its history is not read; move the "
            "repository into the folder or, if this is a worktree, run git worktree repair in its main repository"
        )
    return target


def _names(file: Path, wanted: Path, before: str = "") -> bool:
    """True if a line of ``file`` is ``before`` followed by the path of ``wanted``, absolute or relative to ``file``."""
    lines = (line.strip() for line in _text(file).split("\n"))
    paths = (line.removeprefix(before).strip('"') for line in lines if line.startswith(before))
    return any(os.path.realpath(file.parent / path) == os.path.realpath(wanted) for path in paths)


def _text(file: Path) -> str:
    """The text of ``file``, as git reads it; empty if the file does not exist.

    Raises :class:`ForeignRepository` if the file cannot be read, is a link, is larger than 1 MiB, or contains a NUL
    byte.
    """
    if not os.path.lexists(file):
        return ""
    try:
        text = os.fsdecode(read_regular(file, _LARGEST))
    except OSError as error:
        why = faults.reason(error)
    else:
        if "\0" not in text:
            return text
        why = "it contains a NUL byte"
    raise ForeignRepository(f"{file}: cannot be read ({why}), so its history is not read; fix or remove it")


def _check_links(repository: Path) -> None:
    for entry, path in walk(repository, with_folders=True):
        if entry.is_symlink() and not _HOOKS.match(path) and leads_out(repository, Path(entry.path)):
            raise ForeignRepository(
                f"{repository / path}: this symlink points outside the repository, so its history is not read; "
                "replace it with a copy of its target"
            )
