"""How the panes of each screen are shared, remembered per project."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from textual.timer import Timer
from textual.worker import Worker

from brvtui import faults
from brvtui.app import messages as news
from brvtui.app.arrangement import AS_DESIGNED
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import CallsFromThreads, HasSession, Notifies, Posts, Times
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.splits import Layout, layout_from

if TYPE_CHECKING:
    from brvtui.session import Session

_PAUSE_S = 0.5
"""After the last change: a border that is dragged changes with each cell."""
_LAYOUT = Job("layout")


class Host(CallsFromThreads, Notifies, Posts, Times, Protocol):
    """What layouts need of the app."""


class Layouts:
    """Reads the layouts of a project once it is open, and writes them when they have changed."""

    def __init__(
        self, host: Host, hearing: Hearing, threads: Threads, project: HasSession, take: Callable[[], None]
    ) -> None:
        """All screens are as designed; ``take`` lays out the one in front anew."""
        self._host = host
        self._threads = threads
        self._project = project
        self._take = take
        self.remembered: dict[str, Layout] = {}
        """By the screen's title; what is missing is as designed."""
        self._writing: Timer | None = None
        hearing.hear(news.Opened, self._opened)
        hearing.hear(news.LayoutsRead, self._were_read)

    def of(self, title: str) -> Layout:
        """How the panes of the screen with this title are shared."""
        return self.remembered.get(title, AS_DESIGNED)

    def remember(self, title: str, layout: Layout) -> None:
        """Keeps the layout of a screen, for this project."""
        self.remembered[title] = layout
        if self._writing is not None:
            self._writing.stop()
        self._writing = self._host.set_timer(_PAUSE_S, self._begin_writing)

    def _opened(self, event: news.Opened) -> None:
        self._threads.start(_LAYOUT, self._read, event.session)

    def _were_read(self, event: news.LayoutsRead) -> None:
        self.remembered = {**event.layouts, **self.remembered}
        self._take()

    def _begin_writing(self) -> Worker[object] | None:
        self._writing = None
        session = self._project.session
        if session is None:
            return None
        changed = {title: layout.plain() for title, layout in self.remembered.items() if layout != AS_DESIGNED}
        return self._threads.start(_LAYOUT, self._write, session, changed)

    async def finish(self) -> None:
        """Writes a layout that was just changed, and waits for that."""
        if self._writing is not None:
            self._writing.stop()
            worker = self._begin_writing()
            if worker is not None:
                await worker.wait()

    # in threads

    def _read(self, session: Session) -> None:
        read = {title: layout_from(plain) for title, plain in session.layouts.read().items()}
        self._host.post_message(news.LayoutsRead(read))

    def _write(self, session: Session, layouts: dict[str, dict[str, Any]]) -> None:
        try:
            session.layouts.write(layouts)
        except OSError as error:
            problem = f"the layout cannot be remembered: {faults.advised(error)}"
            self._host.call_from_thread(partial(self._host.notify, problem, severity="warning"))
