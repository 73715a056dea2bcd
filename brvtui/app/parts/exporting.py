"""The trace as a file."""

from __future__ import annotations

import re
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from brvtui.app.parts.needs import CallsFromThreads, Notifies, Opened, OpensDialogs
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.screens.export import ExportScreen
from brvtui.app.store import ViewStore
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.saved.traces import Saved

NO_TRACE = "there is no trace yet: type a query"
TOLD_S = 8
"""How long it is said what became of something that was taken out."""
_LONGEST_NAME = 40
_EXPORT = Job("export", exclusive=True)


class Host(CallsFromThreads, Notifies, OpensDialogs, Protocol):
    """What exporting needs of the app."""

    @property
    def is_web(self) -> bool:
        """Whether a browser shows it."""
        ...

    def deliver_binary(self, path_or_file: BinaryIO, *, save_filename: str) -> object:
        """Hands a file to the browser."""


class Exporting:
    """Saves the trace that is shown."""

    def __init__(self, host: Host, threads: Threads, opened: Opened, store: ViewStore) -> None:
        """``opened`` is what the trace is of."""
        self._host = host
        self._threads = threads
        self._opened = opened
        self._store = store

    def export(self, ending: str) -> None:
        """Asks for a file and saves the trace to it; a browser is handed the file."""
        trace = self._store.view.answered
        if trace is None:
            self._host.notify(NO_TRACE, timeout=4)
            return
        name = f"{_slug(trace.query)}.{ending}"
        if self._host.is_web:
            self._threads.start(_EXPORT, self._deliver, trace, name)
            return
        project = self._opened.session.project if self._opened.session is not None else None
        trees = (project.tree, *(source.tree for source in project.sources)) if project is not None else ()
        self._host.push_screen(ExportScreen(name, partial(to_save, self._opened, trace), trees), self._was_saved)

    def _was_saved(self, place: Path | None) -> None:
        if place is not None:
            self._host.notify(f"saved {place}", timeout=TOLD_S)

    def _deliver(self, trace: Trace, name: str) -> None:
        """In a thread."""
        from brvtui.report.saved import form_of, rendered

        content = BytesIO(rendered(to_save(self._opened, trace), form_of(Path(name))))

        def deliver() -> None:
            self._host.deliver_binary(content, save_filename=name)

        self._host.call_from_thread(deliver)


def to_save(opened: Opened, trace: Trace) -> Saved:
    """``trace`` with all that is saved beside it. It blocks."""
    if opened.saved is not None:
        return opened.saved
    assert opened.session is not None
    return opened.session.answers.saved(trace)


def _slug(text: str) -> str:
    """A file's name that says what was asked."""
    kept = re.sub(r"[^\w]+", "-", text.lower()).strip("-_")[:_LONGEST_NAME].strip("-_")
    return kept or "trace"
