"""Browsing notes: what is known of the selected one, and the trail of links that were followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from brvtui import faults
from brvtui.app.newest import PAUSE_S, Newest
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import SimilarNotes, StaleState

if TYPE_CHECKING:
    from brvtui.lab.about import About, Around
    from brvtui.session import Session

MOST_SIMILAR = 12
_LONGEST_TRAIL = 100


class Browsing:
    """Asks for what the panes of the Notes screen want to show, one note at a time."""

    def __init__(self, services: AppServices, project: Project) -> None:
        """No link was followed yet."""
        self._services = services
        self._project = project
        self._trail = Trail()
        self._pages = _Reading(services, self._read_page)
        self._surroundings = _Reading(services, self._read_surroundings)
        services.store.subscribe((StaleState,), self._read_stale_page)

    def want_page(self, file: str) -> None:
        """Gathers what is known of ``file`` by itself into the view, unless that is under way."""
        if self._project.session is not None:
            self._pages.want(file)

    def want_around(self, file: str) -> None:
        """Gathers what surrounds ``file`` into the view, unless that is under way."""
        if self._project.session is not None:
            self._surroundings.want(file)

    def find_similar(self, file: str) -> None:
        """Finds the notes that are most like ``file``."""
        session, store = self._project.session, self._services.store
        if session is not None:
            store.update(replace(store.view.note, similar=None, seeking_similar=file))
            run = self._services.background.run
            run(partial(_similar, session, file), self._similar_found, group="similar", exclusive=True)

    def go_to(self, file: str) -> None:
        """Selects ``file`` because a link to it was followed."""
        selected = self._services.store.view.selection.file
        if file != selected:
            self._trail = self._trail.jumped(selected)
            self._services.select(file)

    def go(self, way: int) -> None:
        """Selects the note before (-1) or after (1) on the trail of links that were followed."""
        file, self._trail = self._trail.step(way, self._services.store.view.selection.file)
        if file:
            self._services.select(file)
        else:
            self._services.notify("no link was followed before this" if way < 0 else "nothing ahead", timeout=2)

    def _read_page(self, file: str, finished: Callable[[], None]) -> None:
        session = self._project.session
        if session is not None:
            self._services.background.run(partial(session.about, file), self._page_read, group="page", on_end=finished)

    def _page_read(self, page: About) -> None:
        store = self._services.store
        if page.path == store.view.selection.file:
            store.update(replace(store.view.note, page=page))

    def _read_stale_page(self) -> None:
        """Reads the page again whose file is another by now."""
        view = self._services.store.view
        page = view.note.page
        if page is None or page.path != view.selection.file:
            return
        if view.stale.files.get(page.path, page.state) != page.state:
            self._pages.forget()
            self.want_page(page.path)

    def _read_surroundings(self, file: str, finished: Callable[[], None]) -> None:
        session = self._project.session
        if session is not None:  # the first time, every note is read for its links
            self._services.background.run(
                partial(session.around, file), self._around_read, group="around", on_end=finished
            )

    def _around_read(self, around: Around) -> None:
        store = self._services.store
        if around.path == store.view.selection.file:
            store.update(replace(store.view.note, around=around))

    def _similar_found(self, similar: SimilarNotes) -> None:
        store = self._services.store
        if similar.path == store.view.note.seeking_similar:
            store.update(replace(store.view.note, similar=similar, seeking_similar=""))


class _Reading:
    """Reads something of one note at a time, the newest that is wanted, and of one state of the tree only once."""

    def __init__(self, services: AppServices, begin: Callable[[str, Callable[[], None]], None]) -> None:
        """``begin`` begins to read of a file, and has the second argument called when that has ended."""
        self._services = services
        self._newest: Newest[str] = Newest(lambda file: begin(file, self._newest.finished), self._pause)
        self._pausing: Timer | None = None
        self._wanted = ("", 0)

    def want(self, file: str) -> None:
        """Reads of ``file``, unless that was last read of the tree that is shown."""
        wanted = (file, self._services.store.view.project.generation)
        if self._wanted != wanted:
            self._wanted = wanted
            self._newest.want(file)

    def forget(self) -> None:
        """What was last read is to be read again when it is wanted."""
        self._wanted = ("", 0)

    def _pause(self) -> None:
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self._services.set_timer(PAUSE_S, self._newest.go)


@dataclass(frozen=True, slots=True)
class Trail:
    """Notes before and after the one that is shown, the nearest last."""

    back: tuple[str, ...] = ()
    ahead: tuple[str, ...] = ()

    def jumped(self, here: str) -> Trail:
        """The trail after a jump away from ``here``: there is nothing ahead any more."""
        return Trail((*self.back, here)[-_LONGEST_TRAIL:] if here else self.back)

    def step(self, way: int, here: str) -> tuple[str, Trail]:
        """The note one step back (-1) or ahead (1) of ``here``, and the trail from there; empty when there is none."""
        source = self.back if way < 0 else self.ahead
        if not source:
            return "", self
        left = (here,) if here else ()
        if way < 0:
            return source[-1], Trail(source[:-1], (*self.ahead, *left)[-_LONGEST_TRAIL:])
        return source[-1], Trail((*self.back, *left)[-_LONGEST_TRAIL:], source[:-1])


def _similar(session: Session, file: str) -> SimilarNotes:
    """The notes that are most like ``file``; the first time, every note is read. It blocks."""
    try:
        return SimilarNotes(file, session.notes.similar(file, MOST_SIMILAR))
    except KeyError:
        return SimilarNotes(file, problem="only notes have notes that are like them")
    except OSError as error:
        return SimilarNotes(file, problem=faults.error_line(error, file))
