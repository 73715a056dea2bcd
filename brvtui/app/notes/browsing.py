"""Reads facts about the selected note, and goes back and forward along followed links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from brvtui import faults
from brvtui.app.contents import SimilarNotes
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import StaleState
from brvtui.app.workers import PAUSE_S, Newest
from brvtui.engines.contract import LONGEST_QUERY

if TYPE_CHECKING:
    from brvtui.lab.about import About, FileSurroundings
    from brvtui.session import Session
    from brvtui.session.finding import FoundNotes

_Search = tuple[Callable[["Session"], Any], Callable[[Any], None]]
"""A function that searches in a worker, and a function that shows the result."""
MOST_SIMILAR = 12
MOST_FOUND = 20
_LONGEST_TRAIL = 100


class Browsing:
    """Reads the data that the panes of the Notes screen request, and remembers which links were followed."""

    def __init__(self, services: AppServices, project: Project) -> None:
        self._services = services
        self._project = project
        self._trail = Trail()
        self._pages = _NoteReader(services, self._read_page)
        self._surroundings = _NoteReader(services, self._read_surroundings)
        self._filtering: Newest[_Search] = Newest(lambda search: self._search(search, self._filtering))
        self._finding: Newest[_Search] = Newest(lambda search: self._search(search, self._finding))
        services.store.subscribe((StaleState,), self._read_stale_page)

    def request_page(self, file: str) -> None:
        """Reads the text and facts of ``file`` into the view, unless this was already requested."""
        if self._project.session is not None:
            self._pages.request(file)

    def request_surroundings(self, file: str) -> None:
        """Reads the links, coming changes and manifest place of ``file`` into the view, unless requested already."""
        if self._project.session is not None:
            self._surroundings.request(file)

    def find_similar(self, file: str) -> None:
        """Finds the notes most similar to ``file``."""
        session, store = self._project.session, self._services.store
        if session is not None and not session.kind.has_files:
            self._services.notify("this is code: only notes have similar notes", timeout=4)
        elif session is not None:
            store.update(store.view.note._replace(similar=None, seeking_similar=file))
            task = partial(_similar, session, file)
            self._services.background.run(task, self._similar_found, group="similar", exclusive=True)

    def find_texts(self, query: str, show: Callable[[str, tuple[str, ...]], None]) -> None:
        """Finds the notes that match ``query``, whose last word may be incomplete, and passes them to ``show``."""
        self._filtering.want((partial(_paths_of, query), partial(show, query)))

    def find_notes(self, query: str, show: Callable[[FoundNotes], None]) -> None:
        """Finds the first notes that match ``query``, each with an excerpt, and calls ``show`` with them."""
        if len(query) <= LONGEST_QUERY:
            self._finding.want((partial(_notes_of, query), show))

    def _search(self, search: _Search, searches: Newest[_Search]) -> None:
        session, (find, show) = self._project.session, search
        if session is None:
            searches.finished()
            return
        self._services.background.run(partial(find, session), show, group="texts", on_end=searches.finished)

    def follow_link(self, file: str) -> None:
        """Selects ``file`` and adds the current note to the trail."""
        selected = self._services.store.view.selection.file
        if file != selected:
            self._trail = self._trail.jumped(selected)
            self._services.select(file)

    @property
    def leads_back(self) -> bool:
        """True if there is a note to go back to."""
        return bool(self._trail.back)

    def step(self, way: int) -> None:
        """Selects the previous (-1) or next (1) note on the trail of followed links."""
        file, self._trail = self._trail.step(way, self._services.store.view.selection.file)
        if file:
            self._services.select(file)
        else:
            self._services.notify(
                "there is nothing to go back to: no link was followed"
                if way < 0
                else "there is nothing to go forward to",
                timeout=2,
            )

    def _read_page(self, file: str, on_end: Callable[[], None]) -> None:
        session, before = self._project.session, self._services.store.view.note.page
        if session is not None:
            task = partial(session.about, file, before if before is not None and before.path == file else None)
            self._services.background.run(task, self._page_read, group="page", on_end=on_end)

    def _page_read(self, page: About) -> None:
        store = self._services.store
        if page.path == store.view.selection.file:
            store.update(store.view.note._replace(page=page))

    def _read_stale_page(self) -> None:
        view = self._services.store.view
        page = view.note.page
        if page is None or page.path != view.selection.file:
            return
        if view.stale.files.get(page.path, page.state) != page.state:
            self._pages.forget()
            self.request_page(page.path)

    def _read_surroundings(self, file: str, on_end: Callable[[], None]) -> None:
        session = self._project.session
        if session is not None:  # the first call reads the links of all notes
            task = partial(session.around, file)
            self._services.background.run(task, self._surroundings_read, group="around", on_end=on_end)

    def _surroundings_read(self, around: FileSurroundings) -> None:
        store = self._services.store
        if around.path == store.view.selection.file:
            store.update(store.view.note._replace(around=around))

    def _similar_found(self, similar: SimilarNotes) -> None:
        store = self._services.store
        if similar.path == store.view.note.seeking_similar:
            store.update(store.view.note._replace(similar=similar, seeking_similar=""))


class _NoteReader:
    """Reads the data of one note at a time: only for the newest request, and only once for each state of the tree."""

    def __init__(self, services: AppServices, begin: Callable[[str, Callable[[], None]], None]) -> None:
        """Creates a reader. ``begin`` starts to read a file, and calls its second argument at the end."""
        self._services = services
        self._newest: Newest[str] = Newest(lambda file: begin(file, self._newest.finished), self._pause)
        self._pause_timer: Timer | None = None
        self._requested = ("", 0)
        """The file and the tree's generation of the last request."""

    def request(self, file: str) -> None:
        """Loads the details of ``file``, unless the last request was for the same file and tree."""
        requested = (file, self._services.store.view.project.generation)
        if self._requested != requested:
            self._requested = requested
            self._newest.want(file)

    def forget(self) -> None:
        """Makes the next request read again, even for the same file and tree."""
        self._requested = ("", 0)

    def _pause(self) -> None:
        if self._pause_timer is not None:
            self._pause_timer.stop()
        self._pause_timer = self._services.set_timer(PAUSE_S, self._newest.go)


@dataclass(frozen=True, slots=True)
class Trail:
    """The notes before and after the current note on the trail of followed links; in both, the nearest is last."""

    back: tuple[str, ...] = ()
    ahead: tuple[str, ...] = ()

    def jumped(self, here: str) -> Trail:
        """Returns the trail after following a link from ``here``, without notes ahead."""
        return Trail((*self.back, here)[-_LONGEST_TRAIL:] if here else self.back)

    def step(self, way: int, here: str) -> tuple[str, Trail]:
        """Returns the note one step back (-1) or ahead (1) of ``here``, or an empty string, and the new trail."""
        source = self.back if way < 0 else self.ahead
        if not source:
            return "", self
        left = (here,) if here else ()
        if way < 0:
            return source[-1], Trail(source[:-1], (*self.ahead, *left)[-_LONGEST_TRAIL:])
        return source[-1], Trail((*self.back, *left)[-_LONGEST_TRAIL:], source[:-1])


def _paths_of(query: str, session: Session) -> tuple[str, ...]:
    """Returns the paths of the notes that match ``query``, best first; none if ``query`` is too long. Blocks."""
    return session.finder.paths(query, is_typing=True) if len(query) <= LONGEST_QUERY else ()


def _notes_of(query: str, session: Session) -> FoundNotes:
    return session.finder.find(query, MOST_FOUND, is_typing=True)


def _similar(session: Session, file: str) -> SimilarNotes:
    """Returns the notes most similar to ``file``. Blocks; the first call reads every note."""
    try:
        return SimilarNotes(file, session.finder.similar(file, MOST_SIMILAR))
    except KeyError:
        is_there = file in session.snapshot.parsed
        return SimilarNotes(file, problem="only notes have similar notes" if is_there else "the file is gone")
    except OSError as error:
        return SimilarNotes(file, problem=faults.error_line(error, file))
