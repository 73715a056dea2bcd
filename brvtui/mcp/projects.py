"""The projects that a client may ask about, each opened once and kept open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from brvtui.session import Session
from brvtui.tree.reading.project import MARKER, ProjectError
from brvtui.tree.spaces.project import find_any_project
from brvtui.wording import shortened

_MOST_OPEN = 8
_MOST_ROOTS = 50
ServedProject = tuple[Session, tuple[str, ...]]


def folder_of(uri: str) -> Path | None:
    """The folder that a client's root ``uri`` names; None if it is not an absolute path on this machine."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    is_local = parts.scheme == "file" and parts.netloc in ("", "localhost") and path.startswith("/")
    return Path(path) if is_local and "\0" not in path else None


class Projects:
    """Chooses and opens projects. A client may ask only about the projects that the user named. If the user named none,
    it may ask about those in its roots or, without roots, about the project of the working folder.
    """

    def __init__(self, named: Sequence[Path], here: Path, now_ms: float | None = None) -> None:
        """``named`` are projects that the user named, ``here`` is the working folder. ``now_ms`` freezes the clock."""
        self._named, self._here, self._now_ms = tuple(named), here, now_ms
        self._open: dict[tuple[Path, Path], ServedProject] = {}
        """The open projects, ending with the one that was used last."""
        self._places: dict[Path, Path] = {}
        """The place that each allowed folder led to when it was first used."""

    def choose(self, roots: Sequence[Path], wanted: str = "", note: str = "") -> ServedProject:
        """The session of the project ``wanted`` (a name, or a path below an allowed folder) or, if that is empty, of
        the project that contains the path ``note``, or of the only one; and notices about it.

        Checks every file for changes. Raises :class:`brvtui.tree.reading.project.ProjectError`, also if the choice is
        not clear or not allowed, and the exceptions of :meth:`brvtui.session.Session.open`.
        """
        folders = self._named or roots[:_MOST_ROOTS] or (self._here,)
        for folder in folders:
            with suppress(OSError, RuntimeError):  # a path that is too long; its project is not found below
                place = folder.resolve()
                if self._places.setdefault(folder, place) != place:
                    raise ProjectError(f"{folder} now leads to another place through a link: restart brv-tui mcp")
        found = {root: folder for folder in folders if (root := self._root(folder, folder is self._here)) is not None}
        places = ", ".join(str(place) for place in [*dict.fromkeys((*found, *folders))][:8])
        if wanted:
            found = self._matching(found, folders, wanted)
        elif len(found) > 1:
            found = {root: folder for root, folder in found.items() if Path(note).is_relative_to(root)} or found
        if not found:
            name_it = "set project to a folder inside one of them, or start brv-tui mcp with --project DIR"
            raise ProjectError(f"no memory {shortened(wanted)} in {places}: {name_it}")
        if len(found) > 1:
            raise ProjectError(f"several projects: set project to one of {places}")
        (key,) = found.items()
        opened = self._open[key] = self._open.pop(key) if key in self._open else self._opened(*key)
        if len(self._open) > _MOST_OPEN:
            self._open.pop(next(iter(self._open)))[0].close()
        opened[0].load()
        return opened

    def close(self) -> None:
        """Stores the indexes and closes all projects."""
        for session, _ in self._open.values():
            with suppress(OSError):
                session.keep()
            session.close()
        self._open.clear()

    def _root(self, folder: Path, is_above: bool = False) -> Path | None:
        """The folder of the project in ``folder`` or, if ``is_above``, in or above it; None if there is none."""
        above = [place for place in (folder, *folder.parents) if MARKER not in place.parts]
        for place in above if is_above else (folder,):
            with suppress(ProjectError, OSError, ValueError):
                find_any_project(place)
                return place.resolve()
        return None

    def _matching(self, found: Mapping[Path, Path], folders: Sequence[Path], wanted: str) -> dict[Path, Path]:
        named = {root: folder for root, folder in found.items() if wanted in (root.name, str(root))}
        for folder in folders if not named and "\0" not in wanted else ():
            with suppress(OSError, RuntimeError):  # the path is too long, or its links form a loop
                place = (folder / wanted).resolve()
                if place.is_relative_to(folder.resolve()) and (root := self._root(place)) is not None:
                    return {root: folder}
        return named

    def _opened(self, root: Path, folder: Path) -> ServedProject:
        """Opens the project at ``root``. Raises ProjectError if it is outside a ``folder`` not named by the user."""
        session = Session.open(root, now_ms=self._now_ms)
        session.services_permitted = False
        if folder in self._named:
            return session, ()
        project, limit = session.project, root if folder is self._here else folder.resolve()
        if not (project.root.is_relative_to(limit) and project.tree.is_relative_to(limit)):
            where = f"{root} leads to {project.root}, with its notes in {project.tree}, which is not wholly in {limit}"
            raise ProjectError(f"{where}: to allow that, start brv-tui mcp with --project {root}")
        outside = ", ".join(one.alias for one in project.sources if not one.tree.is_relative_to(limit))
        if not outside:
            return session, ()
        session = Session.open(root, now_ms=self._now_ms, alone=True)
        session.services_permitted = False
        return session, (f"shared sources are left out, because {outside} lead outside {limit}",)
