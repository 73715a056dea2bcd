"""The selected note, with the detail of its score and its text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import NoteText, SelectionState

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.trace import Detail, Trace

NOT_SAVED = (
    "what the answer quotes is saved with the trace, and no other text of the note: "
    "open its project to read it (brv-tui FOLDER)"
)


class Selection:
    """Selects one note, on all screens."""

    def __init__(self, services: AppServices, project: Project) -> None:
        """No note is selected."""
        self._services = services
        self._project = project
        self._text_requested: tuple[str, object] = ("", None)

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on all screens."""
        store, saved = self._services.store, self._project.saved
        if file == store.view.selection.file:
            return
        if saved is not None:
            store.update(SelectionState(file, saved.detail.get(file)))
        else:
            store.update(SelectionState(file))
            self.explain_score()

    def explain_score(self) -> None:
        """Looks up the detail of the selected note's score, if it has one."""
        session, view = self._project.session, self._services.store.view
        trace, file = view.answer.trace, view.selection.file
        if session is not None and trace is not None and file:
            find = partial(detail_of, session, trace, file)
            self._services.background.run(find, partial(self._explained, trace), group="detail", exclusive=True)

    def _explained(self, trace: Trace, detail: Detail | None) -> None:
        store = self._services.store
        if detail is not None and trace is store.view.answer.trace and detail.path == store.view.selection.file:
            store.update(SelectionState(detail.path, detail))

    def want_text(self, file: str) -> None:
        """Reads the text of ``file`` into the view, unless it is being read."""
        if self._project.saved is not None:
            self._show_text(NoteText(file, "", NOT_SAVED))
            return
        session, wanted = self._project.session, (file, self._services.store.view.project.overview)
        if session is not None and wanted != self._text_requested:
            self._text_requested = wanted
            self._services.background.run(partial(_text, session, file), self._show_text, group="note", exclusive=True)

    def _show_text(self, text: NoteText) -> None:
        self._text_requested = ("", None)
        self._services.store.update(self._services.store.view.note._replace(text=text))


# in worker threads


def detail_of(session: Session, trace: Trace, file: str) -> Detail | None:
    """Returns how the score of ``file`` under ``trace`` was computed; None when nothing in it matches."""
    try:
        return session.answers.detail(trace, file)
    except KeyError:
        return None


def _text(session: Session, file: str) -> NoteText:
    """Returns the text of ``file`` as the engine reads it, or why it cannot be read."""
    try:
        return NoteText(file, session.snapshot.text(file))
    except OSError as error:
        return NoteText(file, "", faults.error_line(error, file))
