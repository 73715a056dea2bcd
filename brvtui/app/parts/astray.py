"""Notes whose files are not what is shown of them: newer than the index, or gone."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Posts, Repeats
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.states import GONE, AnswerState, ProjectState, QueryState, SelectionState, StaleState, WatchState
from brvtui.app.store import ViewStore
from brvtui.app.view import selectable

LOOK_S = 2.0
"""How often files are looked at while the index may be behind them."""
_REASONS = (QueryState, AnswerState, SelectionState, ProjectState, WatchState)
"""What of the view decides which files are shown, and whether the index may be behind."""
_LOOK = Job("files", exclusive=True)


class Host(Posts, Repeats, Protocol):
    """What looking at files needs of the app."""


class Astray:
    """Marks what is shown of files that changed since. While the system tells of changes, the index is not behind."""

    def __init__(self, host: Host, hearing: Hearing, threads: Threads, project: HasSession, store: ViewStore) -> None:
        """Looks whenever other files are shown, where the index may be behind them."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        store.subscribe(_REASONS, self._view_changed)
        hearing.hear(news.FilesSeen, self._files_seen)

    def begin(self) -> None:
        """Looks now and then from now on, where nothing tells of changes."""
        self._host.set_interval(LOOK_S, self._look)

    def _view_changed(self) -> None:
        lost = self._lost
        if self._may_be_behind:
            self._look()
        elif self._store.view.stale.files != lost:
            self._store.update(StaleState(lost))

    @property
    def _lost(self) -> dict[str, str]:
        """The selected note, when it is in the tree no more."""
        view = self._store.view
        found = view.answered
        known = (
            not view.selection.file
            or view.knows(view.selection.file)
            or (found and view.selection.file in selectable(found))
        )
        return {} if known or view.project.overview is None or view.project.saved else {view.selection.file: GONE}

    @property
    def _may_be_behind(self) -> bool:
        view = self._store.view
        return view.project.overview is not None and (
            not view.watch.active or bool(view.watch.poll_s) or view.watch.catching_up
        )

    def _look(self) -> None:
        session, view = self._project.session, self._store.view
        if session is None or view.project.overview is None or not self._may_be_behind:
            return
        found = view.answered
        shown = dict.fromkeys([*(selectable(found) if found else ()), view.selection.file])
        paths = tuple(path for path in shown if path)
        self._threads.start(_LOOK, engine.look_at_files, session, paths, self._host.post_message)

    def _files_seen(self, event: news.FilesSeen) -> None:
        astray = {**event.astray, **self._lost}
        if self._may_be_behind and astray != self._store.view.stale.files:
            self._store.update(replace(self._store.view.stale, files=astray))
