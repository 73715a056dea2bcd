"""The selected note, with the details of its score and its text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import (
    GONE,
    AnswerState,
    NoteText,
    ProjectState,
    QueryState,
    SelectionState,
    StaleState,
    WatchState,
)
from brvtui.app.view import selectable
from brvtui.app.workers import Newest
from brvtui.text.visible import bounded

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.trace import Detail, Trace

# Displayed notes whose file is missing or newer than the index.


CHECK_S = 2.0
"""The interval in seconds between checks while the index may be outdated."""


class StaleFiles:
    """Finds displayed notes whose file is missing or newer than the index.

    Nothing is checked while the operating system reports changes, since the index is then up to date.
    """

    def __init__(self, services: AppServices, project: Project) -> None:
        """Creates an object that checks files whenever other notes are displayed."""
        self._services = services
        self._project = project
        self._checks: Newest[tuple[str, ...]] = Newest(self._begin)
        """Runs one check at a time. If each new check cancelled the previous one, none would end on a slow disk."""
        reads = (QueryState, AnswerState, SelectionState, ProjectState, WatchState)
        services.store.subscribe(reads, self._view_changed)

    def begin(self) -> None:
        """Starts to check the displayed files regularly."""
        self._services.set_interval(CHECK_S, self._check)

    def _view_changed(self) -> None:
        if self._may_be_outdated:
            self._check()
        else:
            self._show(self._missing)

    @property
    def _missing(self) -> dict[str, str]:
        """The selected note with the state GONE if it is no longer in the tree; otherwise empty."""
        view = self._services.store.view
        file, answered = view.selection.file, view.answered
        known = not file or view.knows(file) or (answered and file in selectable(answered))
        return {} if known or view.project.overview is None or view.project.saved else {file: GONE}

    @property
    def _may_be_outdated(self) -> bool:
        view = self._services.store.view
        watch = view.watch
        return view.project.overview is not None and (not watch.active or bool(watch.poll_s) or watch.catching_up)

    def _check(self) -> None:
        if self._project.session is None or not self._may_be_outdated:
            return
        view = self._services.store.view
        answered = view.answered
        displayed = dict.fromkeys([*(selectable(answered) if answered else ()), view.selection.file])
        self._checks.want(tuple(path for path in displayed if path))

    def _begin(self, paths: tuple[str, ...]) -> None:
        assert self._project.session is not None
        check = partial(self._project.session.stale_files, paths)
        self._services.background.run(check, self._checked, group="files", on_end=self._checks.finished)

    def _checked(self, stale: dict[str, str]) -> None:
        if self._may_be_outdated:
            self._show({**stale, **self._missing})

    def _show(self, stale: dict[str, str]) -> None:
        if stale != self._services.store.view.stale.files:
            self._services.store.update(StaleState(stale))


NOT_SAVED = "the trace has only the quoted part of this note: open its project to read the whole note (brv-tui FOLDER)"


class Selection:
    """Selects one note on all screens."""

    def __init__(self, services: AppServices, project: Project) -> None:
        self._services = services
        self._project = project
        self._text_requested: tuple[str, object] = ("", None)

    def select(self, file: str) -> None:
        """Selects ``file`` on all screens."""
        store, saved = self._services.store, self._project.saved
        if file == store.view.selection.file:
            return
        if saved is not None:
            details = (detail for path, detail in saved.detail.items() if file in (path, bounded(path)))
            store.update(SelectionState(file, next(details, None)))
        else:
            store.update(SelectionState(file))
            self.explain_score()

    def explain_score(self) -> None:
        """Computes the detail of the selected note's score, if it has one."""
        session, view = self._project.session, self._services.store.view
        trace, file = view.answer.trace, view.selection.file
        if session is not None and trace is not None and file:
            find = partial(detail_of, session, trace, file)
            self._services.background.run(find, partial(self._explained, trace), group="detail", exclusive=True)

    def _explained(self, trace: Trace, detail: Detail | None) -> None:
        store = self._services.store
        if detail is not None and trace is store.view.answer.trace and detail.path == store.view.selection.file:
            store.update(store.view.selection._replace(detail=detail))

    def want_text(self, file: str) -> None:
        """Reads the text of ``file`` into the view, unless this was already requested."""
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


# functions for worker threads


def detail_of(session: Session, trace: Trace, file: str) -> Detail | None:
    """Returns the details of the score of ``file`` in ``trace``; None if nothing in the file matches."""
    try:
        return session.explainer.detail(trace, file)
    except KeyError:
        return None


def _text(session: Session, file: str) -> NoteText:
    """Returns the text of ``file`` as the engine reads it, or the reason why it cannot be read."""
    try:
        return NoteText(file, session.snapshot.text(file))
    except OSError as error:
        return NoteText(file, "", faults.error_line(error, file))
