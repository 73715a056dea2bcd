"""The projects that a client may ask about, each opened once and kept open."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from brvtui.tree.reading.project import ProjectError
from brvtui.tree.spaces.project import find_any_project
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.session import Session

_MOST_OPEN = 8
_MOST_ROOTS = 50
_LONGEST = 1_000


class ServedProject(NamedTuple):
    """The session of a project, and notices about it."""

    session: Session
    notices: tuple[str, ...] = ()


def folder_of(uri: str) -> Path | None:
    """The folder that a client's root ``uri`` names; None if it is not an absolute path on this machine."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    is_local = parts.scheme == "file" and parts.netloc in ("", "localhost") and path.startswith("/")
    return Path(path) if is_local and "\0" not in path else None


class Projects:
    """Chooses and opens projects. A client may ask only about those that the user named, or else about those in its
    roots or, without roots, about the one of the working folder.
    """

    def __init__(self, named: Sequence[Path], here: Path, opening: Callable[[Path, bool], Session]) -> None:
        """``named`` are projects that the user named. ``opening`` opens a project; if its second argument is True,
        without shared sources.
        """
        self._named, self._here, self._opening = tuple(named), here, opening
        self._open: OrderedDict[Path, ServedProject] = OrderedDict()

    def choose(self, roots: Sequence[Path], wanted: str = "", note: str = "") -> ServedProject:
        """The loaded project ``wanted`` (a name, or a path below an allowed folder) or, if that is empty, the project
        that contains the path ``note``, or the only one.

        Checks every file for changes. Raises :class:`brvtui.tree.reading.project.ProjectError`, also if the choice is
        not clear or not allowed, and the exceptions of :meth:`brvtui.session.Session.open` and
        :meth:`brvtui.session.Session.load`.
        """
        folders = self._named or roots[:_MOST_ROOTS] or (self._here,)
        found = OrderedDict((root, folder) for folder in folders for root in self._roots(folder))
        if wanted:
            found = self._matching(found, folders, wanted)
        elif len(found) > 1 and note.startswith("/"):
            found = OrderedDict((root, folder) for root, folder in found.items() if Path(note).is_relative_to(root))
        if not found:
            places = ", ".join(map(str, folders[:5]))
            raise ProjectError(f"no memory (.brv) in {places}: ask about a project there, or start brv-tui mcp in one")
        if len(found) > 1:
            raise ProjectError(f"several projects: set project to one of {', '.join(map(str, list(found)[:8]))}")
        ((root, folder),) = found.items()
        opened = self._open.get(root) or self._opened(root, folder)
        self._open[root] = opened
        self._open.move_to_end(root)
        if len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)[1].session.close()
        opened.session.load()
        return opened

    def close(self) -> None:
        """Stores the indexes and closes all projects."""
        for opened in self._open.values():
            with suppress(OSError):
                opened.session.keep()
            opened.session.close()
        self._open.clear()

    def _roots(self, folder: Path) -> Iterator[Path]:
        """Yields the folder of the project in ``folder`` or, for the working folder, of the one in or above it."""
        is_here = folder is self._here
        for place in (folder, *folder.parents) if is_here else (folder,):
            with suppress(ProjectError, OSError, ValueError):
                find_any_project(place)
                yield place.resolve()
                return

    def _matching(
        self, found: OrderedDict[Path, Path], folders: Sequence[Path], wanted: str
    ) -> OrderedDict[Path, Path]:
        named = OrderedDict((root, folder) for root, folder in found.items() if wanted in (root.name, str(root)))
        if named or len(wanted) > _LONGEST or "\0" in wanted:
            return named
        for folder in folders:
            place, limit = (folder / wanted).resolve(), folder.resolve()
            if place.is_relative_to(limit) and (root := next(self._roots(place), None)) is not None:
                return OrderedDict([(root, folder)])
        allowed = ", ".join(map(str, (*found, *folders)[:5]))
        raise ProjectError(f"{shortened(wanted)} is not a project in {allowed}: only projects there may be asked about")

    def _opened(self, root: Path, folder: Path) -> ServedProject:
        """Opens the project at ``root``. Raises ProjectError if it leads out of a ``folder`` not named by the user."""
        session = self._opening(root, False)
        notices: tuple[str, ...] = ()
        if folder not in self._named:
            project, limit = session.project, root if folder is self._here else folder.resolve()
            if not (project.root.is_relative_to(limit) and project.tree.is_relative_to(limit)):
                where = f"{root} leads to {project.tree}, outside of {limit}"
                raise ProjectError(f"{where}: to allow that, start brv-tui mcp with --project {root}")
            outside = [one.alias for one in project.sources if not one.tree.is_relative_to(limit)]
            if outside:
                session.close()
                session = self._opening(root, True)
                names = ", ".join(outside)
                notices = (f"the shared sources are left out, because {names} lead outside of {limit}",)
        session.services_permitted = False
        return ServedProject(session, notices)
