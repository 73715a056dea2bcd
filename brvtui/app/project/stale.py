"""Notes whose files are not what is shown of them: newer than the index, or gone."""

from __future__ import annotations

from functools import partial

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import GONE, AnswerState, ProjectState, QueryState, SelectionState, StaleState, WatchState
from brvtui.app.view import selectable

LOOK_S = 2.0
"""How often files are looked at while the index may be behind them."""


class StaleFiles:
    """Finds displayed notes whose file is newer than the index, or gone.

    While the system tells of changes, the index is not behind.
    """

    def __init__(self, services: AppServices, project: Project) -> None:
        """Looks whenever other files are shown, where the index may be behind them."""
        self._services = services
        self._project = project
        reads = (QueryState, AnswerState, SelectionState, ProjectState, WatchState)
        services.store.subscribe(reads, self._view_changed)

    def begin(self) -> None:
        """Looks now and then from now on, where nothing tells of changes."""
        self._services.set_interval(LOOK_S, self._look)

    def _view_changed(self) -> None:
        if self._may_be_behind:
            self._look()
        else:
            self._show(self._lost)

    @property
    def _lost(self) -> dict[str, str]:
        """The selected note, when it is in the tree no more."""
        view = self._services.store.view
        file, found = view.selection.file, view.answered
        known = not file or view.knows(file) or (found and file in selectable(found))
        return {} if known or view.project.overview is None or view.project.saved else {file: GONE}

    @property
    def _may_be_behind(self) -> bool:
        view = self._services.store.view
        watch = view.watch
        return view.project.overview is not None and (not watch.active or bool(watch.poll_s) or watch.catching_up)

    def _look(self) -> None:
        session, view = self._project.session, self._services.store.view
        if session is None or not self._may_be_behind:
            return
        found = view.answered
        shown = dict.fromkeys([*(selectable(found) if found else ()), view.selection.file])
        paths = tuple(path for path in shown if path)
        self._services.background.run(partial(session.astray, paths), self._seen, group="files", exclusive=True)

    def _seen(self, stale: dict[str, str]) -> None:
        if self._may_be_behind:
            self._show({**stale, **self._lost})

    def _show(self, stale: dict[str, str]) -> None:
        if stale != self._services.store.view.stale.files:
            self._services.store.update(StaleState(stale))
