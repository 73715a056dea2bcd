"""The engine that is chosen: probed while a query is typed, run when the user asks for that, prepared behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from textual.worker import get_current_worker

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.ask import Ask
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import MayRefuse, Notifies, Posts, Surveyed
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.prober import Prober
from brvtui.app.states import CacheState, EngineState, ProjectState, SelectionState
from brvtui.app.store import ViewStore
from brvtui.app.view import selectable
from brvtui.engines.byterover.sections import CacheLook
from brvtui.engines.contract import Completes, Prepares
from brvtui.engines.registry import DEFAULT, names
from brvtui.paint.score import ticks_of

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.trace import Trace

_PREPARING = "preparing words and vectors"
_ASKING = "asking the services"


class Host(Notifies, Posts, Protocol):
    """What answering needs of the app."""


class OpenProject(MayRefuse, Surveyed, Protocol):
    """What answering needs of the project."""


class Answering:
    """Puts queries to the engine that is chosen, and shows its traces. Services never hold probes up."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: OpenProject,
        store: ViewStore,
        prober: Callable[[], Prober],
        run: Callable[[Ask], None],
        explain_score: Callable[[], None],
        look_at_cache: Callable[[], None],
        put_again: Callable[[], None],
    ) -> None:
        """``run`` lets a model answer where that is allowed; ``put_again`` asks the query anew."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._seen: tuple[str, object] = ("", None)
        self._prober = prober
        self._run = run
        self._explain_score = explain_score
        self._look_at_cache = look_at_cache
        self._put_again = put_again
        self._served = 0
        """The newest request whose run was answered."""
        self._preparing = ""
        self._wanted = False
        """Whether the user chose the engine, or ran a query: then its services may be asked by themselves."""
        self._serving = False
        self._serve = Job("serve", exclusive=True, failed=self._broke_down)
        self._index = Job("prepare", exclusive=True, failed=self._broke_down)
        store.subscribe((EngineState, ProjectState), self._view_changed)
        hearing.hear(news.Opened, self._begin_as_set)
        hearing.hear(news.Traced, self._traced)
        hearing.hear(news.Prepared, self._prepared)
        hearing.hear(news.Refused, self._refused)

    # choosing

    def next_engine(self) -> None:
        """Switches to the next engine, and asks it the same query."""
        if self._project.refuses():
            return
        if self._project.session is not None and self._store.view.project.overview is not None:
            known = names()
            self._use(known[(known.index(self._store.view.engine.name) + 1) % len(known)])

    def next_mode(self) -> None:
        """Asks the engine in its next mode."""
        session, view = self._project.session, self._store.view
        if self._project.refuses() or session is None:
            return
        modes = session.engines.named(view.engine.name).modes
        if not modes:
            said = f"{view.presentation.title} has no modes to choose from: P switches the engine"
            self._host.notify(said, timeout=4)
            return
        following = modes[(modes.index(view.engine.mode) + 1) % len(modes)]
        self._store.update(replace(view.engine, mode=following))
        self._put_again()

    def _use(self, name: str) -> None:
        session = self._project.session
        assert session is not None
        modes = session.engines.named(name).modes
        view = self._store.view
        self._store.update(
            replace(view.engine, name=name, mode=next(iter(modes), "")),
            replace(view.answer, trace=None, busy=""),
            SelectionState(),
            CacheState(),
        )
        self._put_again()

    def _begin_as_set(self, event: news.Opened) -> None:
        session = event.session
        if session.engine in names():
            mode = next(iter(session.engines.named(session.engine).modes), "")
            self._store.update(replace(self._store.view.engine, name=session.engine, mode=mode))
        else:
            self._host.notify(f"no engine {session.engine}: {DEFAULT} answers", severity="error", timeout=10)

    def _refused(self, event: news.Refused) -> None:
        self._host.notify(event.what, severity="error", timeout=10)
        self._prober().failed()
        if self._store.view.engine.name != DEFAULT:
            self._use(DEFAULT)

    # asking

    def begin(self, asked: Ask) -> None:
        """Begins to answer."""
        session, view = self._project.session, self._store.view
        if session is None:
            return
        if asked.run and isinstance(session.engines.named(view.engine.name), Completes):
            self._run(asked)
            return
        surveyor, post, chosen = self._project.surveyor, self._host.post_message, view.engine
        self._wanted |= asked.run
        self._serving = asked.run and engine.has_services(session)
        self._store.update(replace(self._store.view.answer, busy=self._busy))
        probe = Job("probe", exclusive=True, failed=lambda: self._prober().failed(asked.number))
        self._threads.start(probe, engine.answer, session, asked, chosen.name, chosen.mode, surveyor, post, False)
        if asked.run:
            self._threads.start(
                self._serve, engine.answer, session, asked, chosen.name, chosen.mode, surveyor, post, True
            )

    def clear(self) -> None:
        """Shows no answer any more."""
        self._serving = False
        self._store.update(replace(self._store.view.answer, trace=None, busy=self._busy))

    @property
    def _busy(self) -> str:
        return self._preparing or (_ASKING if self._serving else "")

    def _traced(self, event: news.Traced) -> None:
        if event.history is not None:
            self._store.update(replace(self._store.view.query, history=tuple(event.history)))
        if event.problem:
            self._host.notify(event.problem, severity="warning")
        if event.serves:
            if event.number != self._prober().newest:
                return
            self._served, self._serving = event.number, False
        elif not self._prober().finished(event.number, event.took_ms) or self._served == event.number:
            return
        self._show(event.trace, event)

    def _show(self, trace: Trace, event: news.Traced) -> None:
        view = self._store.view
        same = trace.query == view.query.text and trace.scope_option == view.query.scope
        keeps = same and bool(view.selection.file)  # a note that is gone may come back
        selected = view.selection.file if keeps else next(iter(selectable(trace)), "")
        detail = event.detail if event.detail is not None and event.detail.path == selected else None
        ticks = {**view.answer.ticks, **ticks_of(trace)}
        self._store.update(
            replace(view.query, text=trace.query),
            replace(view.answer, trace=trace, ticks=ticks, busy=self._busy),
            SelectionState(selected, detail),
            CacheState(),
        )
        if detail is None:
            self._explain_score()
        cache = trace.find(CacheLook)
        if cache is not None and (trace.ran or cache.entries):
            self._look_at_cache()

    def _broke_down(self) -> None:
        """A worker that broke down is no longer busy."""
        self._serving, self._preparing = False, ""
        self._store.update(replace(self._store.view.answer, busy=""))

    # preparing

    def _view_changed(self) -> None:
        view = self._store.view
        name, overview = self._seen
        self._seen = (view.engine.name, view.project.overview)
        if view.engine.name != name:
            self._serving = False
            self._wanted |= view.project.overview is not None
        if view.engine.name != name or view.project.overview is not overview:
            self._prepare()

    def _prepare(self) -> None:
        """Makes what the engine needs of the tree as it is now, behind the screen."""
        session, view = self._project.session, self._store.view
        self._preparing = ""
        if session is None or view.project.overview is None:
            return
        if isinstance(session.engines.named(view.engine.name), Prepares) and self._may(session):
            self._preparing = _PREPARING
            self._threads.start(self._index, self._make_ready, session, view.engine.name)
        self._store.update(replace(self._store.view.answer, busy=self._busy))

    def _may(self, session: Session) -> bool:
        """Whether notes may be sent to the user's services: not because a project's own file says so."""
        return self._wanted or not engine.has_services(session) or engine.chose_engine(session)

    def _make_ready(self, session: Session, name: str) -> None:
        """In a thread."""
        worker = get_current_worker()
        engine.prepare(session, name, self._host.post_message, lambda: worker.is_cancelled)

    def _prepared(self, event: news.Prepared) -> None:
        session, view = self._project.session, self._store.view
        if session is None or not isinstance(session.engines.named(view.engine.name), Prepares):
            return
        self._preparing = "" if event.done else f"vectors {event.made} of {event.wanted}"
        self._store.update(replace(self._store.view.answer, busy=self._busy))
        if event.done and engine.has_services(session):
            self._put_again()  # the vectors that a probe did not wait for are there
