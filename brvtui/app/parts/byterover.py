"""ByteRover's route: probed while a query is typed, run when the user asks for that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.ask import Ask
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import Notifies, Posts, Surveyed
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.prober import Prober
from brvtui.app.store import ViewStore
from brvtui.app.view import constants_of, selectable


class Host(Notifies, Posts, Protocol):
    """What the route needs of the app."""


class ByteRover:
    """The pipeline that shows a trace of the whole route."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: Surveyed,
        store: ViewStore,
        prober: Prober,
        run: Callable[[Ask], None],
        explain_score: Callable[[], None],
        look_at_cache: Callable[[], None],
    ) -> None:
        """``run`` lets a model answer where that is allowed; probes never ask one."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._prober = prober
        self._run = run
        self._explain_score = explain_score
        self._look_at_cache = look_at_cache
        hearing.hear(news.Traced, self._traced)

    def begin(self, asked: Ask) -> None:
        """Begins to answer."""
        session = self._project.session
        if asked.run:
            self._run(asked)
        elif session is not None:
            surveyor, post = self._project.surveyor, self._host.post_message
            probe = Job("probe", exclusive=True, failed=lambda: self._prober.failed(asked.number))
            self._threads.start(probe, engine.answer, session, asked, surveyor, post)

    def clear(self) -> None:
        """Shows no trace any more."""
        self._store.update(replace(self._store.view.answer, trace=None))

    def _traced(self, event: news.Traced) -> None:
        if event.history is not None:
            self._store.update(replace(self._store.view.query, history=tuple(event.history)))
        if event.problem:
            self._host.notify(event.problem, severity="warning")
        if not self._prober.finished(event.number, event.took_ms):
            return
        trace, view = event.trace, self._store.view
        same = trace.query == view.query.text and trace.scope_option == view.query.scope
        files = selectable(trace)
        keeps = same and bool(view.selection.file)  # a note that is gone may come back
        selected = view.selection.file if keeps else next(iter(files), "")
        constants = {**view.answer.constants, **constants_of(trace)}
        detail = event.detail if event.detail is not None and event.detail.path == selected else None
        self._store.update(
            replace(self._store.view.query, text=trace.query),
            replace(self._store.view.answer, trace=trace, constants=constants),
            replace(self._store.view.selection, file=selected, detail=detail),
            replace(self._store.view.cache, seen=None),
        )
        if detail is None:
            self._explain_score()
        if trace.mode == "run" or trace.cache.entries:
            self._look_at_cache()
