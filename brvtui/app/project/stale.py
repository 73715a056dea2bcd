"""Displayed notes whose file is newer than the index, or gone."""

from __future__ import annotations

from functools import partial

from brvtui.app.newest import Newest
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import GONE, AnswerState, ProjectState, QueryState, SelectionState, StaleState, WatchState
from brvtui.app.view import selectable

CHECK_S = 2.0
"""Seconds between checks while the index may be out of date."""


class StaleFiles:
    """Finds displayed notes whose file is newer than the index, or gone.

    While the system reports changes, the index is up to date and nothing is checked.
    """

    def __init__(self, services: AppServices, project: Project) -> None:
        """Checks whenever other files are shown."""
        self._services = services
        self._project = project
        self._checks: Newest[tuple[str, ...]] = Newest(self._begin)
        """One at a time: a check that each next one cancelled would never end where files are slow to look at."""
        reads = (QueryState, AnswerState, SelectionState, ProjectState, WatchState)
        services.store.subscribe(reads, self._view_changed)

    def begin(self) -> None:
        """Checks now and then from now on."""
        self._services.set_interval(CHECK_S, self._check)

    def _view_changed(self) -> None:
        if self._may_be_outdated:
            self._check()
        else:
            self._show(self._missing)

    @property
    def _missing(self) -> dict[str, str]:
        """The selected note, if it is no longer in the tree."""
        view = self._services.store.view
        file, found = view.selection.file, view.answered
        known = not file or view.knows(file) or (found and file in selectable(found))
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
        found = view.answered
        displayed = dict.fromkeys([*(selectable(found) if found else ()), view.selection.file])
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
