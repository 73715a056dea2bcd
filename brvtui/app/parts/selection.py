"""The selected note: why it has its score, and its text."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import CallsLater, Opened, Posts
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.states import NoteText, SelectionState
from brvtui.app.store import ViewStore

_NO_TEXT = "the text of the note is not saved with the trace: open its project to read it"
_DETAIL = Job("detail", exclusive=True)
_TEXT = Job("note", exclusive=True)


class Host(CallsLater, Posts, Protocol):
    """What the selection needs of the app."""


class Selection:
    """One note is selected, on every screen."""

    def __init__(self, host: Host, hearing: Hearing, threads: Threads, opened: Opened, store: ViewStore) -> None:
        """No note is selected."""
        self._host = host
        self._threads = threads
        self._opened = opened
        self._store = store
        self._text_asked: tuple[str, object] = ("", None)
        hearing.hear(news.Detailed, self._detailed)
        hearing.hear(news.NoteRead, self._note_read)

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on every screen."""
        saved = self._opened.saved
        if file == self._store.view.selection.file:
            return
        if saved is not None:
            self._store.update(SelectionState(file, saved.detail.get(file)))
        else:
            self._store.update(replace(self._store.view.selection, file=file, detail=None))
            self.explain_score()

    def explain_score(self) -> None:
        """Finds the detail of the selected note's score, when it has one."""
        session, view = self._opened.session, self._store.view
        if session is None or view.answer.trace is None:
            return
        if view.selection.file:
            post = self._host.post_message
            self._threads.start(_DETAIL, engine.detail, session, view.answer.trace, view.selection.file, post)

    def want_text(self, file: str) -> None:
        """Reads the text of ``file`` into the view, unless that is under way."""
        if self._opened.saved is not None:
            self._host.call_later(
                lambda: self._store.update(replace(self._store.view.note, text=NoteText(file, "", _NO_TEXT)))
            )
            return
        session, wanted = self._opened.session, (file, self._store.view.project.overview)
        if session is not None and wanted != self._text_asked:
            self._text_asked = wanted
            self._threads.start(_TEXT, engine.note, session, file, self._host.post_message)

    def _detailed(self, event: news.Detailed) -> None:
        view = self._store.view
        if event.trace is view.answer.trace and event.detail.path == view.selection.file:
            self._store.update(replace(self._store.view.selection, detail=event.detail))

    def _note_read(self, event: news.NoteRead) -> None:
        self._text_asked = ("", None)
        self._store.update(replace(self._store.view.note, text=event.note))
