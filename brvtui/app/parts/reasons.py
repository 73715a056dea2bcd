"""Reasons of answers: why a note is, or is not, in one; what it would take that one needs no model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from textual.worker import get_current_worker

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import MayRefuse, Notifies, OpensDialogs, Posts
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.screens.why import why_screen
from brvtui.app.states import TakesShown
from brvtui.app.store import ViewStore
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.session import Session

_EXPLAIN = Job("explain", exclusive=True)
_TAKES = Job("takes", exclusive=True)


class Host(Notifies, OpensDialogs, Posts, Protocol):
    """What asking for reasons needs of the app."""


class Reasons:
    """Asks the engine for reasons of the answer that is shown."""

    def __init__(self, host: Host, hearing: Hearing, threads: Threads, project: MayRefuse, store: ViewStore) -> None:
        """Nothing was asked yet."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        hearing.hear(news.Explained, self._explained)
        hearing.hear(news.TakesFound, self._takes_found)

    def explain(self, file: str) -> None:
        """Finds out why ``file`` is, or is not, in the answer, and shows that in a modal."""
        session, view = self._project.session, self._store.view
        if self._project.refuses():
            return
        if session is None or view.answer.trace is None or not file:
            said = "type a query and select a note: w then says why it is, or is not, in the answer"
            self._host.notify(said, timeout=4)
        else:
            self._threads.start(_EXPLAIN, engine.explain, session, view.answer.trace, file, self._host.post_message)

    def want_takes(self) -> None:
        """Finds out what it would take that the query needs no model; again after all of it was said."""
        if self._project.refuses():
            return
        session, view = self._project.session, self._store.view
        trace, shown = view.answer.trace, view.answer.takes
        if session is None or trace is None or not view.may_take_less:
            said = "nothing to find: only a query that needs a model, or that nothing covers, can need less"
            self._host.notify(said, timeout=4)
        elif shown is None or shown.trace is not trace or shown.found is not None:
            self._store.update(replace(self._store.view.answer, takes=TakesShown(trace)))
            self._threads.start(_TAKES, self._try_changes, session, trace)

    def stop_trying(self) -> None:
        """Ends trying changes: they are of an answer that is about to be replaced."""
        self._threads.cancel(_TAKES)
        takes = self._store.view.answer.takes
        if takes is not None and takes.found is None:
            self._store.update(replace(self._store.view.answer, takes=None))

    def _try_changes(self, session: Session, trace: Trace) -> None:
        """In a thread."""
        worker = get_current_worker()
        engine.takes(session, trace, self._host.post_message, lambda: worker.is_cancelled)

    def _explained(self, event: news.Explained) -> None:
        if event.trace is self._store.view.answer.trace:
            self._host.push_screen(why_screen(event.explanation))

    def _takes_found(self, event: news.TakesFound) -> None:
        if event.trace is self._store.view.answer.trace:
            self._store.update(replace(self._store.view.answer, takes=TakesShown(event.trace, event.takes)))
