"""How the panes of each screen are shared, remembered per project."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.timer import Timer
from textual.worker import Worker

from brvtui import faults
from brvtui.app.arrangement import AS_DESIGNED
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.splits import Layout, layout_from

if TYPE_CHECKING:
    from brvtui.session import Session

_PAUSE_S = 0.5
"""After the last change: a border that is dragged changes with each cell."""
_GROUP = "layout"


class Layouts:
    """Reads the layouts of a project once it is open, and writes them when they have changed."""

    def __init__(self, services: AppServices, project: Project, take: Callable[[], None]) -> None:
        """All screens are as designed; ``take`` lays out the one in front anew."""
        self._services = services
        self._project = project
        self._take = take
        self.remembered: dict[str, Layout] = {}
        """By the screen's title; what is missing is as designed."""
        self._writing: Timer | None = None

    def of(self, title: str) -> Layout:
        """How the panes of the screen with this title are shared."""
        return self.remembered.get(title, AS_DESIGNED)

    def remember(self, title: str, layout: Layout) -> None:
        """Keeps the layout of a screen, for this project."""
        self.remembered[title] = layout
        if self._writing is not None:
            self._writing.stop()
        self._writing = self._services.set_timer(_PAUSE_S, self._begin_writing)

    def read(self, session: Session) -> None:
        """Reads the layouts of the project, and uses them."""
        self._services.background.run(partial(_read, session), self._were_read, group=_GROUP)

    def _were_read(self, layouts: dict[str, Layout]) -> None:
        self.remembered = {**layouts, **self.remembered}
        self._take()

    def _begin_writing(self) -> Worker[None] | None:
        self._writing = None
        session = self._project.session
        if session is None:
            return None
        changed = {title: layout.plain() for title, layout in self.remembered.items() if layout != AS_DESIGNED}
        return self._services.background.run(partial(_write, session, changed), self._written, group=_GROUP)

    def _written(self, problem: str) -> None:
        if problem:
            self._services.notify(problem, severity="warning")

    async def finish(self) -> None:
        """Writes a layout that was just changed, and waits for that."""
        if self._writing is not None:
            self._writing.stop()
            worker = self._begin_writing()
            if worker is not None:
                await worker.wait()


# in worker threads


def _read(session: Session) -> dict[str, Layout]:
    return {title: layout_from(plain) for title, plain in session.layouts.read().items()}


def _write(session: Session, layouts: dict[str, dict[str, Any]]) -> str:
    """Writes ``layouts``; returns what is wrong when that cannot be done."""
    try:
        session.layouts.write(layouts)
    except OSError as error:
        return f"the layout cannot be remembered: {faults.advice(error)}"
    return ""
