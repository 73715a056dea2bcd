"""The hybrid search of Jeffs Brain: typing searches; a run also asks services, beside the probes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from textual.worker import get_current_worker

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.ask import Ask
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import MayRefuse, Notifies, Posts
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.prober import Prober
from brvtui.app.states import EngineState, Overview, ProjectState
from brvtui.app.store import ViewStore
from brvtui.app.view import selectable
from brvtui.engines.jeffs_brain.trace import PIPELINE as JEFFS_BRAIN
from brvtui.engines.jeffs_brain.trace import HybridTrace

if TYPE_CHECKING:
    from brvtui.session import Session

_BEGUN = "preparing words and vectors"
_ASKING = "asking the services"


class Host(Notifies, Posts, Protocol):
    """What the search needs of the app."""


class JeffsBrain:
    """The pipeline that shows a fused list. Its services never hold probes up."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: MayRefuse,
        store: ViewStore,
        prober: Prober,
        put_again: Callable[[], None],
    ) -> None:
        """``put_again`` asks the query anew, of other legs or with vectors that are there now."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._prober = prober
        self._put_again = put_again
        self._seen: tuple[str, Overview | None] = (store.view.engine.pipeline, None)
        """The pipeline and the tree that were last shown."""
        self._served = 0
        """The newest request whose run was answered."""
        self._preparing = ""
        self._wanted = False
        """Whether the user switched to it, or ran a query: then its services may be asked by themselves."""
        self._serving = False
        self._serve = Job("serve", exclusive=True, failed=self._broke_down)
        self._index = Job("prepare", exclusive=True, failed=self._broke_down)
        store.subscribe((EngineState, ProjectState), self._view_changed)
        hearing.hear(news.Retrieved, self._retrieved)
        hearing.hear(news.Prepared, self._prepared)

    def next_legs(self) -> None:
        """Asks for other legs: auto, bm25, semantic, hybrid."""
        view = self._store.view
        if self._project.refuses():
            return
        if view.engine.pipeline != JEFFS_BRAIN:
            said = f"{view.engine.pipeline} has no legs to choose from: P switches the pipeline"
            self._host.notify(said, timeout=4)
            return
        from brvtui.engines.jeffs_brain.profile import MODES

        self._store.update(
            replace(self._store.view.engine, mode=MODES[(MODES.index(view.engine.mode) + 1) % len(MODES)])
        )
        self._put_again()

    def begin(self, asked: Ask) -> None:
        """Begins to answer."""
        session = self._project.session
        if session is None:
            return
        self._wanted |= asked.run
        self._serving = asked.run and engine.has_services(session)
        self._store.update(replace(self._store.view.answer, busy=self._busy))
        mode, post = self._store.view.engine.mode, self._host.post_message
        probe = Job("probe", exclusive=True, failed=lambda: self._prober.failed(asked.number))
        self._threads.start(probe, engine.retrieve, session, asked, mode, True, post)
        if asked.run:
            self._threads.start(self._serve, engine.retrieve, session, asked, mode, False, post)

    def clear(self) -> None:
        """Shows no list any more."""
        self._serving = False
        self._store.update(replace(self._store.view.answer, foreign=None, busy=self._busy))

    @property
    def _busy(self) -> str:
        return self._preparing or (_ASKING if self._serving else "")

    def _retrieved(self, event: news.Retrieved) -> None:
        if event.history is not None:
            self._store.update(replace(self._store.view.query, history=tuple(event.history)))
        if event.problem:
            self._host.notify(event.problem, severity="warning")
        if event.trace.probe:
            newest = self._prober.finished(event.number, event.took_ms)
            if not newest or self._served == event.number:
                return
        elif event.number != self._prober.newest:
            return
        else:
            self._served, self._serving = event.number, False
        self._show(event.trace)

    def _show(self, trace: HybridTrace) -> None:
        view = self._store.view
        files = selectable(trace)
        kept = view.selection.file
        before = selectable(view.answer.foreign) if view.answer.foreign else []
        chosen = trace.query == view.query.text and kept not in before[:1]
        keeps = chosen and (kept in files or view.knows(kept))
        selected = kept if keeps else next(iter(files), "")
        self._store.update(
            replace(self._store.view.query, text=trace.query),
            replace(self._store.view.answer, foreign=trace, trace=None, busy=self._busy),
            replace(self._store.view.selection, file=selected, detail=None),
        )

    def _broke_down(self) -> None:
        """What broke down is no longer under way."""
        self._serving, self._preparing = False, ""
        self._store.update(replace(self._store.view.answer, busy=""))

    # preparing

    def _view_changed(self) -> None:
        view = self._store.view
        pipeline, overview = self._seen
        self._seen = (view.engine.pipeline, view.project.overview)
        if view.engine.pipeline != pipeline:
            self._serving = False
            self._wanted |= view.project.overview is not None
        if view.engine.pipeline != pipeline or view.project.overview is not overview:
            self._prepare()

    def _prepare(self) -> None:
        """Makes what a search needs of the tree as it is now, behind the screen, where it is the one that is chosen."""
        session, view = self._project.session, self._store.view
        self._preparing = ""
        if (
            session is not None
            and view.engine.pipeline == JEFFS_BRAIN
            and view.project.overview is not None
            and self._may(session)
        ):
            self._preparing = _BEGUN
            self._threads.start(self._index, self._make_ready, session)
        self._store.update(replace(self._store.view.answer, busy=self._busy))

    def _may(self, session: Session) -> bool:
        """Whether notes may be sent to the user's services: not because a project's own file says so."""
        return self._wanted or not engine.has_services(session) or engine.chose_pipeline(session)

    def _make_ready(self, session: Session) -> None:
        """In a thread."""
        worker = get_current_worker()
        engine.prepare(session, self._host.post_message, lambda: worker.is_cancelled)

    def _prepared(self, event: news.Prepared) -> None:
        if self._store.view.engine.pipeline != JEFFS_BRAIN:
            return
        self._preparing = "" if event.done else f"vectors {event.made} of {event.wanted}"
        self._store.update(replace(self._store.view.answer, busy=self._busy))
        session = self._project.session
        if event.done and session is not None and engine.has_services(session):
            self._put_again()  # the vectors that a probe did not wait for are there
