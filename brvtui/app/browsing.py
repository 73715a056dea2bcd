"""An app in which notes are browsed: what is known of the selected one, and the trail of links that were followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.timer import Timer
from textual.worker import Worker

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.logs import LogApp
from brvtui.app.newest import PAUSE_S, Newest
from brvtui.app.project import Opening
from brvtui.app.trail import Trail

if TYPE_CHECKING:
    from brvtui.session import Session


class BrowsingApp(LogApp):
    """Asks for what the panes of the Notes screen want to show, one note at a time."""

    def __init__(self, opening: Opening) -> None:
        """An app that will open what ``opening`` says; no link was followed yet."""
        super().__init__(opening)
        self.trail = Trail()
        self._sought: dict[str, tuple[str, int]] = {}
        self._work = {
            "page": Newest(self._begin_page, lambda: self._pause_for("page")),
            "around": Newest(self._begin_around, lambda: self._pause_for("around")),
        }
        self._pauses: dict[str, Timer] = {}

    def want_page(self, file: str) -> None:
        """Gathers what is known of ``file`` by itself into the view, unless that is under way."""
        self._want("page", file)

    def want_around(self, file: str) -> None:
        """Gathers what surrounds ``file`` into the view, unless that is under way."""
        self._want("around", file)

    def find_similar(self, file: str) -> None:
        """Finds the notes that are most like ``file``."""
        if self.session is not None and file:
            self.show(similar=None, seeking_similar=file)
            self._find_similar(self.session, file)

    def go_to(self, file: str) -> None:
        """Selects ``file`` because a link to it was followed."""
        if file != self.view.selected:
            self.trail = self.trail.jumped(self.view.selected)
            self.select(file)

    def go(self, way: int) -> None:
        """Selects the note before (-1) or after (1) on the trail of links that were followed."""
        file, self.trail = self.trail.step(way, self.view.selected)
        if file:
            self.select(file)
        else:
            self.notify("no link was followed before this" if way < 0 else "nothing ahead", timeout=2)

    def _want(self, what: str, file: str) -> None:
        overview = self.view.overview
        wanted = (file, overview.generation if overview is not None else 0)
        if self.session is not None and self._sought.get(what) != wanted:
            self._sought[what] = wanted
            self._work[what].want(file)

    def _pause_for(self, what: str) -> None:
        if what in self._pauses:
            self._pauses[what].stop()
        self._pauses[what] = self.set_timer(PAUSE_S, self._work[what].go)

    @on(news.PageRead)
    def _page_read(self, event: news.PageRead) -> None:
        if event.page.path == self.view.selected:
            self.show(page=event.page)

    @on(news.FilesSeen)
    def _files_seen_of_page(self, event: news.FilesSeen) -> None:
        """A page whose file is another by now is read again."""
        page = self.view.page
        if (
            page is not None
            and page.path == self.view.selected
            and event.astray.get(page.path, page.state) != page.state
        ):
            self._sought.pop("page", None)
            self.want_page(page.path)

    @on(news.AroundRead)
    def _around_read(self, event: news.AroundRead) -> None:
        if event.around.path == self.view.selected:
            self.show(around=event.around)

    @on(news.SimilarFound)
    def _similar_found(self, event: news.SimilarFound) -> None:
        if event.similar.path == self.view.seeking_similar:
            self.show(similar=event.similar, seeking_similar="")

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What waits begins when a worker has ended."""
        if event.worker.group in self._work and event.worker.is_finished:
            self._work[event.worker.group].finished()

    def _begin_page(self, file: str) -> None:
        if self.session is not None:
            self._read_page(self.session, file)

    def _begin_around(self, file: str) -> None:
        if self.session is not None:
            self._read_around(self.session, file)

    @work(thread=True, group="page", exit_on_error=False)
    def _read_page(self, session: Session, file: str) -> None:
        engine.page(session, file, self.post_message)

    @work(thread=True, group="around", exit_on_error=False)
    def _read_around(self, session: Session, file: str) -> None:
        engine.around(session, file, self.post_message)

    @work(thread=True, exclusive=True, group="similar", exit_on_error=False)
    def _find_similar(self, session: Session, file: str) -> None:
        engine.similar(session, file, self.post_message)
