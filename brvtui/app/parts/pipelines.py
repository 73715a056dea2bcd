"""Which pipeline answers."""

from __future__ import annotations

from dataclasses import replace

from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import MayRefuse, Notifies
from brvtui.app.parts.queries import Queries
from brvtui.app.states import BYTEROVER
from brvtui.app.store import ViewStore


class Pipelines:
    """Switches between those that may be chosen, and asks the one that is chosen now the same query."""

    def __init__(
        self, host: Notifies, hearing: Hearing, project: MayRefuse, store: ViewStore, queries: Queries
    ) -> None:
        """ByteRover's own answers first."""
        self._host = host
        self._project = project
        self._store = store
        self._queries = queries
        hearing.hear(news.Opened, self._begin_as_set)
        hearing.hear(news.Refused, self._refused)

    def next(self) -> None:
        """Switches to the next pipeline, and asks it the same query."""
        if self._project.refuses():
            return
        if self._project.session is not None and self._store.view.project.overview is not None:
            names = list(self._queries.pipelines)
            self._use(names[(names.index(self._store.view.engine.pipeline) + 1) % len(names)])

    def _use(self, name: str) -> None:
        self._store.update(
            replace(self._store.view.engine, pipeline=name),
            replace(self._store.view.answer, trace=None, foreign=None, busy=""),
            replace(self._store.view.selection, file="", detail=None, own=None),
            replace(self._store.view.cache, seen=None),
        )
        self._queries.put_again()

    def _begin_as_set(self, event: news.Opened) -> None:
        if event.session.settings.pipeline in self._queries.pipelines:
            self._store.update(replace(self._store.view.engine, pipeline=event.session.settings.pipeline))

    def _refused(self, event: news.Refused) -> None:
        self._host.notify(event.what, severity="error", timeout=10)
        self._queries.prober.failed()
        if self._store.view.engine.pipeline != BYTEROVER:
            self._use(BYTEROVER)
