"""The way from the path that the user named to a project's notes, compared with a revision."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

from brvtui.regular_files import read_regular
from brvtui.tree.history.git import RevisionError, git
from brvtui.tree.history.repository import ForeignRepository, own_repository
from brvtui.tree.history.revision import commit_named
from brvtui.tree.reading.project import MARKER, FoundProject, is_file

_LARGEST = 65_536
_TREE = f"./{MARKER}/context-tree"


def named_folder(start: Path | None) -> Path:
    """The absolute path that the user named, with its links; for None, the current folder as the shell names it."""
    here, shell = Path.cwd(), Path(os.environ.get("PWD", ""))
    if shell.is_absolute() and Path(os.path.realpath(shell)) == here:
        here = shell
    return Path(os.path.normpath(here / start.expanduser() if start else here))


def changed_way(named: Path, project: FoundProject, revision: str) -> str:
    """The reason why the folder ``named`` may contain other notes at ``revision``; empty if it contains the same ones.

    Otherwise, a change could redirect a comparison to another project of the repository.
    """
    try:
        top, tree_top = (own_repository(folder, bare=False) for folder in (project.root, project.tree))
    except ForeignRepository as error:
        return str(error)
    if top is not None and (link := _link(named, top)):
        return f"{link} is a link, which could be redirected; name the folder it points to"
    for folder in (real := Path(os.path.realpath(named)), *real.parents):
        marker = folder / MARKER
        if is_file(marker):
            same = _object(folder, revision, f"./{MARKER}", "blob") == read_regular(marker, _LARGEST)
            why = f"{marker} points to another project, but does not at {revision}; name that project"
            return "" if same else why
        if folder in (project.root, top):
            break
        if _object(folder, revision, f"./{MARKER}", "-t"):
            return f"{folder} has its own {MARKER} at {revision}, but not now; name the project to compare"
    if top is not None and top != tree_top and _object(project.root, revision, _TREE, "-t") == b"tree\n":
        return f"{project.tree} is a repository of its own now, but at {revision} its notes belong to {top}"
    return ""


def _link(place: Path, top: Path) -> Path | None:
    """The first link inside the folder ``top`` on the way to ``place``; None if there is none."""
    links = (each for each in (*reversed(place.parents), place) if each.is_symlink())
    return next((link for link in links if Path(os.path.realpath(link.parent)).is_relative_to(top)), None)


def _object(folder: Path, revision: str, path: str, form: str) -> bytes:
    """The content (``blob``) or the kind (``-t``) of the object at ``path`` in ``folder``; empty if there is none."""
    with suppress(RevisionError):
        commit = commit_named(partial(git, folder), revision)
        return git(folder, "cat-file", form, f"{commit}:{path}", most=_LARGEST)
    return b""


def linked_file(file: Path, root: Path) -> Path | None:
    """The first link inside the repository of ``root`` on the way to ``file``; None if there is none."""
    with suppress(ForeignRepository):
        top = own_repository(root, bare=False)
        return _link(named_folder(file), top) if top is not None else None
    return None
