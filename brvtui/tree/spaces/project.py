"""Spaces as projects that can be opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from brvtui.regular_files import read_regular
from brvtui.tree.reading.json_file import LARGEST_JSON, read_json_or_none
from brvtui.tree.reading.kinds import SPACE, ProjectKind
from brvtui.tree.reading.project import FoundProject, ProjectError, SharedSource, find_project
from brvtui.tree.spaces.contents import holds_html
from brvtui.tree.spaces.locating import (
    MARKER,
    METADATA,
    TREE,
    SpaceError,
    SpaceFolder,
    data_folder,
    find_space,
    is_bound,
    is_uuid,
    parse_json,
    space_at,
    space_called,
    space_folders,
    space_names,
)
from brvtui.wording import nearest

# Spaces that are synced with the vendor's service, read from the files that its daemon left on disk
# (``docs/reference/byterover-v4.md``). Nothing here calls the service. The messages of
# :class:`brvtui.tree.spaces.locating.SpaceError` are the ones that V4 prints.


_DAEMON = ("projects", ".daemon")


def check_cloud(space: SpaceFolder) -> None:
    """Raises :class:`SpaceError` if V4 refuses to query ``space``, which a marker or a binding names.

    A local space has no team. A space with a team must be ready and readable.
    """
    try:
        data = read_regular(space.tree.parent / METADATA, LARGEST_JSON)
    except OSError:
        return
    try:
        metadata: Any = parse_json(data.decode("utf-8", "replace"))
    except ValueError as error:
        raise SpaceError(
            f"Cloud space status is invalid: invalid metadata JSON: {error}", "cloud-status-unavailable"
        ) from None
    team = metadata.get("team_id") if isinstance(metadata, dict) else None
    if team is None and not _sync_file(space.data, space.id, "capability").is_file():
        return
    if not is_readable(space.data, space.id):
        raise SpaceError("The cloud space is not ready: its first synchronization has not ended.", "cloud-not-ready")


def is_readable(data: Path, identity: str) -> bool:
    """True if the synced space with the id ``identity`` may be read and has been synced at least once."""
    capability, status = (read_json_or_none(_sync_file(data, identity, name)) for name in ("capability", "status"))
    return (
        isinstance(capability, dict)
        and capability.get("can_read") is True
        and isinstance(status, dict)
        and status.get("bootstrapReady") is True
        and _sync_file(data, identity, "baseline").is_file()
    )


def readable_spaces(data: Path) -> list[SpaceFolder]:
    """Returns every synced space in ``data`` that may be read; empty if no user is signed in."""
    if not data.joinpath(*_DAEMON, "auth.json").is_file():
        return []
    spaces = []
    for folder in space_folders(data):
        metadata = read_json_or_none(folder / METADATA)
        team, name = (metadata.get("team_id"), metadata.get("space_name")) if isinstance(metadata, dict) else (None, "")
        if isinstance(team, str) and is_readable(data, folder.name) and (folder / TREE).is_dir():
            spaces.append(SpaceFolder(folder / TREE, data, "cloud", folder.name, str(name or ""), team=team))
    return spaces


def _sync_file(data: Path, identity: str, name: str) -> Path:
    return data.joinpath(*_DAEMON, "spaces", identity, "sync", f"{name}.json")


_MOST_NAMES = 5
"""The maximum number of spaces named in a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceProject(FoundProject):
    """A folder whose memory is a ByteRover V4 space, or several synced spaces."""

    kind: ProjectKind = SPACE
    spaces: tuple[SpaceFolder, ...]
    """The spaces, at least one. The first one's tree is the project's tree. The others are its shared sources."""

    @property
    def name(self) -> str:
        """The folder's name, or the space's own name if no folder is associated with it."""
        first = self.spaces[0]
        return self.root.name if first.folder is not None else first.name or self.tree.parent.name or self.tree.name


class NamedSpace(NamedTuple):
    """A space that the user names by its tree or by its name, regardless of the folder's binding."""

    name: str = ""
    root: Path | None = None


def has_both(start: Path | None) -> Path | None:
    """Returns the context tree of the project at ``start`` if it also has a space; otherwise None.

    If ``start`` is None, the working folder is used.
    """
    try:
        found = find_project(start)
    except ProjectError:
        return None
    return found.tree if found.root != found.tree and has_space(start) else None


def has_space(start: Path | None) -> bool:
    """True if ``start`` is a space's tree, or if a marker or binding assigns a space to it.

    If ``start`` is None, the working folder is used.
    """
    try:
        folder = (start or Path.cwd()).expanduser().absolute()
        return _is_tree(folder) or is_bound(folder, data_folder(os.environ))
    except (OSError, RuntimeError):
        return False


def find_any_project(start: Path | None) -> FoundProject:
    """Finds the context tree at or above ``start`` or, if there is none, the space of ``start``.

    Raises :class:`brvtui.tree.reading.project.ProjectError`.
    """
    try:
        return find_project(start)
    except ProjectError:
        if not has_space(start):
            raise
    return find_space_project(start)


def find_space_project(start: Path | None, environment: Mapping[str, str] = os.environ) -> SpaceProject:
    """Returns the space that V4 would query in ``start``, or the space whose tree is ``start``.

    If ``start`` is None, the working folder is used. Raises :class:`brvtui.tree.reading.project.ProjectError`.
    """
    try:
        folder = (start or Path.cwd()).expanduser().absolute()
    except (OSError, RuntimeError) as error:
        raise ProjectError(f"{start}: cannot be opened ({error})") from error
    if not folder.is_dir():
        raise ProjectError(f"{folder}: no such folder")
    data = data_folder(environment)
    try:
        if _is_tree(folder):
            return _project(folder, (space_at(folder, data),))
        together = () if is_bound(folder, data) else tuple(readable_spaces(data))
        if together:
            return _project(folder, together)
        found = find_space(folder, data)
        if found.source in ("marker", "binding"):
            check_cloud(found)
        return _project(found.folder or folder, (found,))
    except SpaceError as error:
        names = space_names(data)
        hint = f"--space NAME opens one of {', '.join(names[:_MOST_NAMES])}" if names else "--root TREE opens a space"
        raise ProjectError(
            f"{folder}: ByteRover V4 says: {error} (looked for {MARKER} here and above, and in {data}); brv-tui {hint}"
        ) from error


def find_named_space(named: NamedSpace, start: Path | None) -> SpaceProject:
    """Returns the space that ``named`` identifies. A relative ``root`` is below ``start``.

    If ``start`` is None, the working folder is used. Raises :class:`brvtui.tree.reading.project.ProjectError`.
    """
    data = data_folder(os.environ)
    try:
        folder = (start or Path.cwd()).expanduser().absolute()
        found = space_called(named.name, data) if named.root is None else space_at(folder / named.root, data)
    except SpaceError as error:
        raise ProjectError(_not_named(named, data)) from error
    except (OSError, RuntimeError) as error:
        raise ProjectError(f"{start}: cannot be opened ({error})") from error
    if found.tree.name != TREE and not holds_html(found.tree):
        raise ProjectError(_not_named(named, data, "there is no topic in it"))
    return _project(folder, (found,))


def _not_named(named: NamedSpace, data: Path, why: str = "no such folder") -> str:
    """Returns the message that no space has the given name, with the names of all spaces.

    V4's own message refers to its `space list` instead.
    """
    if named.root is not None:
        return f"{named.root}: {why}; --root needs a space's folder {TREE}, as in {data / 'projects'}"
    names = space_names(data)
    hint = nearest(named.name, names) if names else "; there is none yet: the ByteRover desktop app creates one"
    return f'no space named "{named.name}" in {data}{hint}'


def _is_tree(folder: Path) -> bool:
    return folder.name == TREE and is_uuid(folder.parent.name)


def _project(root: Path, spaces: tuple[SpaceFolder, ...]) -> SpaceProject:
    first, *others = spaces
    sources = tuple(SharedSource(space.name or space.id, space.tree.parent, space.tree.resolve()) for space in others)
    names = ", ".join(space.name or space.id for space in spaces)
    notice = f"{len(spaces)} synced spaces together: {names}" if others else ""
    return SpaceProject(root, first.tree.resolve(), sources, (notice,) if notice else (), spaces=spaces)
