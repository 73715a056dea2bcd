"""Browsing notes: what is known of the selected one, and the trail of links that were followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from textual.timer import Timer

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.newest import PAUSE_S, Newest
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Notifies, Posts, Times
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.store import ViewStore
from brvtui.app.trail import Trail

_SIMILAR = Job("similar", exclusive=True)


class Host(Notifies, Posts, Times, Protocol):
    """What browsing needs of the app."""


class Browsing:
    """Asks for what the panes of the Notes screen want to show, one note at a time."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: HasSession,
        store: ViewStore,
        select: Callable[[str], None],
    ) -> None:
        """No link was followed yet."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._select = select
        self._trail = Trail()
        self._sought: dict[str, tuple[str, int]] = {}
        self._work = {
            "page": Newest(self._begin_page, lambda: self._pause_for("page")),
            "around": Newest(self._begin_around, lambda: self._pause_for("around")),
        }
        self._page = Job("page", ended=self._work["page"].finished)
        self._around = Job("around", ended=self._work["around"].finished)
        self._pauses: dict[str, Timer] = {}
        hearing.hear(news.PageRead, self._page_read)
        hearing.hear(news.FilesSeen, self._files_seen)
        hearing.hear(news.AroundRead, self._around_read)
        hearing.hear(news.SimilarFound, self._similar_found)

    def want_page(self, file: str) -> None:
        """Gathers what is known of ``file`` by itself into the view, unless that is under way."""
        self._want("page", file)

    def want_around(self, file: str) -> None:
        """Gathers what surrounds ``file`` into the view, unless that is under way."""
        self._want("around", file)

    def find_similar(self, file: str) -> None:
        """Finds the notes that are most like ``file``."""
        session = self._project.session
        if session is not None and file:
            self._store.update(replace(self._store.view.note, similar=None, seeking_similar=file))
            self._threads.start(_SIMILAR, engine.similar, session, file, self._host.post_message)

    def go_to(self, file: str) -> None:
        """Selects ``file`` because a link to it was followed."""
        selected = self._store.view.selection.file
        if file != selected:
            self._trail = self._trail.jumped(selected)
            self._select(file)

    def go(self, way: int) -> None:
        """Selects the note before (-1) or after (1) on the trail of links that were followed."""
        file, self._trail = self._trail.step(way, self._store.view.selection.file)
        if file:
            self._select(file)
        else:
            self._host.notify("no link was followed before this" if way < 0 else "nothing ahead", timeout=2)

    def _want(self, what: str, file: str) -> None:
        overview = self._store.view.project.overview
        wanted = (file, overview.generation if overview is not None else 0)
        if self._project.session is not None and self._sought.get(what) != wanted:
            self._sought[what] = wanted
            self._work[what].want(file)

    def _pause_for(self, what: str) -> None:
        if what in self._pauses:
            self._pauses[what].stop()
        self._pauses[what] = self._host.set_timer(PAUSE_S, self._work[what].go)

    def _page_read(self, event: news.PageRead) -> None:
        if event.page.path == self._store.view.selection.file:
            self._store.update(replace(self._store.view.note, page=event.page))

    def _files_seen(self, event: news.FilesSeen) -> None:
        """A page whose file is another by now is read again."""
        page = self._store.view.note.page
        if (
            page is not None
            and page.path == self._store.view.selection.file
            and event.astray.get(page.path, page.state) != page.state
        ):
            self._sought.pop("page", None)
            self.want_page(page.path)

    def _around_read(self, event: news.AroundRead) -> None:
        if event.around.path == self._store.view.selection.file:
            self._store.update(replace(self._store.view.note, around=event.around))

    def _similar_found(self, event: news.SimilarFound) -> None:
        if event.similar.path == self._store.view.note.seeking_similar:
            self._store.update(replace(self._store.view.note, similar=event.similar, seeking_similar=""))

    def _begin_page(self, file: str) -> None:
        session = self._project.session
        if session is not None:
            self._threads.start(self._page, engine.page, session, file, self._host.post_message)

    def _begin_around(self, file: str) -> None:
        session = self._project.session
        if session is not None:
            self._threads.start(self._around, engine.around, session, file, self._host.post_message)
