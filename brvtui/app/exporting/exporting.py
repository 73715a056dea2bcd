"""The trace as a file."""

from __future__ import annotations

import re
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.saved.traces import SavedTrace

NO_TRACE = "there is no trace yet: type a query"
TOLD_S = 8
"""How long a toast about something that was taken out stays."""
_LONGEST_NAME = 40


class Browser(Protocol):
    """The browser in which the app may be shown."""

    @property
    def is_web(self) -> bool:
        """Whether a browser shows it."""
        ...

    def deliver_binary(self, path_or_file: BinaryIO, *, save_filename: str) -> object:
        """Hands a file to the browser."""


class Exporting:
    """Saves the trace that is shown."""

    def __init__(self, services: AppServices, project: Project, browser: Browser) -> None:
        """Saves into files, or where one shows the app, to the ``browser``."""
        self._services = services
        self._project = project
        self._browser = browser

    def export(self, ending: str) -> None:
        """Asks for a file and saves the trace to it; a browser is handed the file."""
        trace = self._services.store.view.answered
        if trace is None:
            self._services.notify(NO_TRACE, timeout=4)
            return
        name = f"{_slug(trace.query)}.{ending}"
        if self._browser.is_web:
            deliver = partial(self._deliver, name)
            run = self._services.background.run
            run(partial(_rendered, self._project, trace, name), deliver, group="export", exclusive=True)
            return
        from brvtui.app.exporting.export_dialog import ExportScreen

        project = self._project.session.project if self._project.session is not None else None
        trees = (project.tree, *(source.tree for source in project.sources)) if project is not None else ()
        screen = ExportScreen(name, partial(to_save, self._project, trace), trees)
        self._services.push_screen(screen, self._was_saved)

    def _was_saved(self, place: Path | None) -> None:
        if place is not None:
            self._services.notify(f"saved {place}", timeout=TOLD_S)

    def _deliver(self, name: str, content: bytes) -> None:
        self._browser.deliver_binary(BytesIO(content), save_filename=name)


def to_save(project: Project, trace: Trace) -> SavedTrace:
    """``trace`` with all that is saved beside it. It blocks."""
    if project.saved is not None:
        return project.saved
    assert project.session is not None
    return project.session.answers.saved(trace)


def _rendered(project: Project, trace: Trace, name: str) -> bytes:
    """The content of a file called ``name``. It blocks."""
    from brvtui.report.saved import form_of, rendered

    return rendered(to_save(project, trace), form_of(Path(name)))


def _slug(text: str) -> str:
    """A file's name that says what was asked."""
    kept = re.sub(r"[^\w]+", "-", text.lower()).strip("-_")[:_LONGEST_NAME].strip("-_")
    return kept or "trace"
