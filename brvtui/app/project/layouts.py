"""The layout of each screen's panes, stored per project."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.timer import Timer
from textual.worker import Worker

from brvtui import faults
from brvtui.app.arrangement import AS_DESIGNED, Arrangement, Layout, layout_from
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal

if TYPE_CHECKING:
    from brvtui.session import Session

_PAUSE_S = 0.5
"""The delay in seconds between the last change and writing, since dragging a border causes many changes."""
_GROUP = "layout"


class Layouts:
    """Reads the layouts of a project when it opens, and writes them when they change."""

    def __init__(self, services: AppServices, project: Project, few: bool, apply: Callable[[], None]) -> None:
        """Creates the controller. ``few`` hides most panes by default, and ``apply`` updates the current screen."""
        self._few = few
        self._services = services
        self._project = project
        self._apply = apply
        self._layouts: dict[str, Layout] = {}
        """The layouts by screen title; screens without an entry have their default layout."""
        self._write_timer: Timer | None = None

    def of(self, title: str, plan: Arrangement) -> Layout:
        """Returns the layout of the screen ``title``, whose default arrangement is ``plan``."""
        first = AS_DESIGNED._replace(hidden=plan.aside) if self._few else AS_DESIGNED
        return self._layouts.get(title, first)

    def remember(self, title: str, layout: Layout) -> None:
        """Stores the layout of a screen for this project."""
        self._layouts[title] = layout
        if self._write_timer is not None:
            self._write_timer.stop()
        self._write_timer = self._services.set_timer(_PAUSE_S, self._write)

    def read(self, session: Session) -> None:
        """Reads the layouts of the project and applies them."""
        self._services.background.run(partial(_read, session), self._were_read, group=_GROUP)

    def _were_read(self, layouts: dict[str, Layout]) -> None:
        self._layouts = {**layouts, **self._layouts}
        self._apply()

    def _write(self) -> Worker[None] | None:
        self._write_timer = None
        session = self._project.session
        if session is None:
            return None
        # if panes are hidden by default, showing all of them is a change too
        plain = {title: layout.plain() for title, layout in self._layouts.items() if self._few or layout != AS_DESIGNED}
        failed = partial(self._services.notify, severity="warning")
        return self._services.background.run(partial(_write, session, plain), group=_GROUP, on_error=failed)

    async def finish(self) -> None:
        """Writes a recently changed layout now, and waits for it."""
        if self._write_timer is not None:
            self._write_timer.stop()
            worker = self._write()
            if worker is not None:
                await asyncio.shield(worker.wait())


# functions for worker threads


def _read(session: Session) -> dict[str, Layout]:
    from brvtui.store.app_state import LayoutStore

    return {title: layout_from(plain) for title, plain in LayoutStore(session.project.tree).read().items()}


def _write(session: Session, layouts: dict[str, dict[str, Any]]) -> None:
    """Writes ``layouts``. Raises :class:`Refusal` if that fails."""
    from brvtui.store.app_state import LayoutStore

    try:
        LayoutStore(session.project.tree).write(layouts)
    except OSError as error:
        raise Refusal(f"the layout cannot be saved: {faults.advice(error)}") from error
