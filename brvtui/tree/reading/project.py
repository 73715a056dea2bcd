"""Finds a project and its context tree (``docs/reference/byterover.md``, "Notes on disk")."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PosixPath
from shlex import quote
from typing import Any

from brvtui.disk.walking import walk
from brvtui.regular_files import leads_out, read_within
from brvtui.tree.reading.json_file import read_json_or_none
from brvtui.tree.reading.kinds import TREE, ProjectKind
from brvtui.wording import shortened

MARKER = ".brv"
_CONFIG = "config.json"
_TREE = "context-tree"
SOURCES = "sources.json"
OWN_FOLDER = "brv-tui"
"""The folder inside ``.brv`` that belongs to this tool."""
NOT_IN_MARKER = f"in {MARKER}, files can be saved only below {MARKER}/{OWN_FOLDER}"
WORKTREE_OF = "worktree of"
"""The first words of the notice that ``.brv`` points to another project."""
_LARGEST_POINTER = 65_536
_OR_LINKED = "to read it, use a profile of your own with limits.linked_trees = true"
OR_A_TREE = ", or read a folder of notes with brv-tui --tree FOLDER"
"""An addition to messages, for users who could open a folder of notes instead. It does not apply to fleets."""


class ProjectError(Exception):
    """Raised if there is no project to open. The message names the folder and the remedy."""


class NotesFolder(PosixPath):
    """A folder of Markdown files, not a project, that the user opens as a context tree with ``--tree``."""


@dataclass(frozen=True, slots=True)
class SharedSource:
    """Another project whose tree is searched together with the project's own. It is never written to."""

    alias: str
    project: Path
    tree: Path
    link: str = ""
    """The notice that the source's ``.brv`` or tree is a link, which is not followed; empty if it is not a link."""


@dataclass(frozen=True, slots=True)
class FoundProject:
    """A project: its folder and tree (real paths), shared sources, and notices for the user."""

    root: Path
    tree: Path
    sources: tuple[SharedSource, ...]
    notices: tuple[str, ...]
    failure: str = ""
    """The reason why all of the engine's searches fail with this project's settings; empty if they work."""

    link: str = ""
    """The notice that ``.brv`` or the tree is a link, which the engine does not follow; empty if it is not."""
    kind: ProjectKind = TREE

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.root.name or str(self.root)

    @property
    def trees(self) -> list[Path]:
        """The project's own tree, followed by the trees of the shared sources."""
        return [self.tree, *(source.tree for source in self.sources)]


def is_context_tree(folder: Path) -> bool:
    """True if ``folder`` is the context tree of a project, judging by its name and its parent's name."""
    return folder.name == _TREE and folder.parent.name == MARKER


def places_of(file: Path) -> tuple[Path, Path]:
    """Returns the absolute path of ``file`` without ``..``, and its real path.

    Raises OSError, and RuntimeError if its links form a loop.
    """
    return Path(os.path.normpath(file.absolute())), file.resolve()


def is_reserved(file: Path) -> bool:
    """True if ``file``, or its real path, is ``.brv`` or is inside ``.brv`` but not inside ``.brv/brv-tui``.

    Raises the same errors as :func:`places_of`.
    """
    return any(_is_in_marker(place) for place in places_of(file))


def _is_in_marker(place: Path) -> bool:
    *folders, name = place.parts
    return name == MARKER or any(
        folder == MARKER and folders[after : after + 1] != [OWN_FOLDER] for after, folder in enumerate(folders, start=1)
    )


def find_project(start: Path | None) -> FoundProject:
    """Finds the project in ``start`` or, if ``start`` is None, in the current folder or the nearest folder above it.

    ``.brv`` may be a file that points to the project. A :class:`NotesFolder` is opened as a context tree, with a
    notice. Raises :class:`ProjectError` if there is no project.
    """
    if start is None:
        here = Path.cwd()
        for folder in (here, *here.parents):
            if _is_project(folder):
                return _open(folder)
        empty = next((folder / MARKER for folder in (here, *here.parents) if _is_folder(folder / MARKER)), None)
        why = f" ({empty} has no {_TREE} yet: brv creates it with the first note)" if empty else ""
        raise ProjectError(
            f"no {MARKER} project in {here} or above it{why}: name one, as in brv-tui PROJECT or --project PROJECT"
            f"{OR_A_TREE}"
        )
    try:
        chosen = start.expanduser()
        exists = chosen.exists()
    except (OSError, RuntimeError) as error:
        raise ProjectError(f"{start}: cannot be opened ({error})") from error
    if not exists:
        raise ProjectError(f"{chosen}: no such folder")
    if not chosen.is_dir():
        raise ProjectError(f"{chosen}: not a folder; choose the project's folder")
    if isinstance(start, NotesFolder):
        return _bare(chosen)
    if _is_project(chosen):
        return _open(chosen)
    if is_context_tree(chosen):
        return _open(chosen.parent.parent)
    if chosen.name == MARKER and (chosen / _TREE).is_dir():
        return _open(chosen.parent)
    if _is_folder(chosen / MARKER):
        message = f"there is no {MARKER}/{_TREE} in it; curate a first note with brv, or choose another folder"
        raise ProjectError(f"{chosen.resolve()}: {message}")
    raise ProjectError(f"{chosen.resolve()}: no {MARKER} project there; choose a project's folder{OR_A_TREE}")


def _is_project(folder: Path) -> bool:
    marker = folder / MARKER
    return is_file(marker) or is_file(marker / _CONFIG) or _is_folder(marker / _TREE)


def _open(folder: Path) -> FoundProject:
    root = folder.resolve()
    notices: list[str] = []
    marker = root / MARKER
    if marker.is_file():
        target = _pointed_to(marker)
        if not _is_folder(target / MARKER):
            raise ProjectError(
                f"{marker}: points to {shortened(str(target))}, where there is no {MARKER} folder; fix the pointer"
            )
        notices.append(f"{WORKTREE_OF} {target}")
        root = target.resolve()
        marker = root / MARKER
    tree = marker / _TREE
    link = _link_in(root)
    if link and not tree.is_dir():
        raise ProjectError(f"{link}: this link does not lead to a context tree; fix the link, or choose another folder")
    if not tree.is_dir():
        raise ProjectError(f"{tree}: no context tree there; curate a first note with brv, or choose another folder")
    if not (marker / _CONFIG).is_file():
        missing = f"no {MARKER}/{_CONFIG}: the engine itself would not accept this as a project"
        notices.append(f"{missing}; start brv in that folder to make it one")
    notice = _link_notice(root, link, tree.resolve()) if link else ""
    notices += [notice] if notice else []
    sources, source_notices, failure = _sources(marker / SOURCES) if not leads_out(root, marker) else ((), (), "")
    return FoundProject(root, tree.resolve(), sources, (*notices, *source_notices), failure, notice)


def _link_in(root: Path) -> Path | None:
    """Returns the first link on the path from the project ``root`` to its context tree; None if there is none."""
    return next((place for place in (root / MARKER, root / MARKER / _TREE) if place.is_symlink()), None)


def _link_notice(root: Path, link: Path, tree: Path) -> str:
    """A notice that the engine finds nothing in ``tree``, to which ``link`` leads, and how to open it anyway."""
    how, message = ("inside", "is empty") if tree.is_relative_to(root) else ("out of", "not initialized")
    place = f"--project {quote(str(tree.parent.parent))}" if is_context_tree(tree) else f"--tree {quote(str(tree))}"
    return (
        f"{link.relative_to(root)} is a link that leads {how} the project, where ByteRover 3.14 finds nothing (it says "
        f"“Context tree {message}”): to see the notes, use {shortened(place)}, or a profile of your own with "
        "limits.linked_trees = true"
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """True if there is a file at ``path``. False if there is none, or if the system does not allow the name."""
    try:
        return path.is_file()
    except OSError:
        return False


def _bare(folder: Path) -> FoundProject:
    root = Path(folder.resolve())
    if is_context_tree(root) or root.name == MARKER or _is_folder(root / MARKER):
        raise ProjectError(f"{root}: this is part of a project; leave out --tree, and name the project with --project")
    if not any(path.endswith(".md") for _, path in walk(root)):
        raise ProjectError(f"{root}: there is no markdown in it; choose another folder")
    taken = "read with --tree: the folder itself is the context tree"
    notice = f"{taken}; answers cite its notes as ByteRover would, below {MARKER}/{_TREE}"
    return FoundProject(root, root, (), (notice,))


def _pointed_to(pointer: Path) -> Path:
    try:
        text = read_within(pointer.parent, pointer, _LARGEST_POINTER).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"{pointer}: cannot be read as a worktree pointer ({error})") from error
    target: Any = text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        target = next((value[key] for key in ("projectRoot", "root", "project", "path") if key in value), "")
    elif ":" in text.splitlines()[0] if text else False:
        target = text.splitlines()[0].partition(":")[2].strip()
    if not isinstance(target, str) or not target:
        raise ProjectError(f"{pointer}: does not name a project; it should contain the path of one")
    path = Path(target)
    path = path if path.is_absolute() else pointer.parent / path
    return path.parent if path.name == MARKER else path


def _sources(file: Path) -> tuple[tuple[SharedSource, ...], tuple[str, ...], str]:
    if not file.is_file():
        return (), (), ""
    value = read_json_or_none(file)
    entries = value.get("sources") if isinstance(value, dict) and value.get("version") == 1 else None
    if not isinstance(entries, list) or not all(_is_source(entry) for entry in entries):
        return (
            (),
            (f"{file}: not a valid list of shared sources, so neither the engine nor brv-tui uses any of them",),
            "",
        )
    found: list[SharedSource] = []
    notices: list[str] = []
    failure = ""
    for entry in entries:
        alias, project = entry["alias"], Path(entry["projectRoot"])
        tree = project / MARKER / _TREE
        if not (project.is_absolute() and is_file(project / MARKER / _CONFIG) and _is_folder(tree)):
            notices.append(f"shared source {alias}: no project at {project}; it is left out")
        elif _depends_on_process(project):
            where = f"shared source {alias}: {shortened(str(project))}"
            notices.append(f"{where} leads through .. or /proc, so it is left out; give the folder's own path")
        else:
            if any(source.project == project.resolve() for source in found):
                failure = (
                    f"{file}: {project} is listed twice, which makes all of the engine's searches fail: list it once"
                )
                continue
            if any(source.alias == alias for source in found):
                notices.append(f"shared source {alias}: the alias is taken, so {project} is left out")
                continue
            link = _link_in(project)
            notice = f"shared source {alias}: {link} is a link, so it is left out; {_OR_LINKED}" if link else ""
            notices += [notice] if notice else []
            found.append(SharedSource(alias, project.resolve(), tree.resolve(), notice))
    return tuple(found), tuple(notices), failure


_MOST_LINKS = 40
"""The maximum number of links that are followed in one path, as on Linux."""


def _depends_on_process(project: Path) -> bool:
    """True if ``project``, or a link on its path, contains ``..``, leads into ``/proc`` or ``/dev/fd``, or has too many
    links.

    The target of such a path can depend on the process that opens it, for example on its working folder.
    """
    if ".." in project.parts:
        return True
    paths = [project]
    for path in paths:
        if path.parts[1:2] == ("proc",) or path.parts[1:3] == ("dev", "fd") or len(paths) > _MOST_LINKS:
            return True
        for place in (path, *path.parents):
            with suppress(OSError, RuntimeError):
                if place.is_symlink():
                    target = place.readlink()
                    if ".." in target.as_posix().lstrip("./").split("/"):  # it may lead out of another link's target
                        return True
                    paths.append(Path(os.path.normpath(place.parent.resolve() / target)))
    return False


def _is_source(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("alias"), str)
        and isinstance(entry.get("projectRoot"), str)
        and entry.get("readOnly") is True
        and "addedAt" in entry
    )
