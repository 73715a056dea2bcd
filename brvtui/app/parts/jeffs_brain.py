"""The hybrid search of Jeffs Brain: typing searches; a run also asks services, beside the probes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol

from textual.worker import get_current_worker

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.ask import Ask
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import MayRefuse, Notifies, Posts
from brvtui.app.parts.shown import Shown
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.prober import Prober
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
        shown: Shown,
        prober: Prober,
        put_again: Callable[[], None],
    ) -> None:
        """``put_again`` asks the query anew, of other legs or with vectors that are there now."""
        self._host = host
        self._threads = threads
        self._project = project
        self._shown = shown
        self._prober = prober
        self._put_again = put_again
        self._served = 0
        """The newest request whose run was answered."""
        self._preparing = ""
        self._wanted = False
        """Whether the user switched to it, or ran a query: then its services may be asked by themselves."""
        self._serving = False
        self._serve = Job("serve", exclusive=True, failed=self._broke_down)
        self._index = Job("prepare", exclusive=True, failed=self._broke_down)
        shown.follow(self._view_changed)
        hearing.hear(news.Retrieved, self._retrieved)
        hearing.hear(news.Prepared, self._prepared)

    def next_legs(self) -> None:
        """Asks for other legs: auto, bm25, semantic, hybrid."""
        view = self._shown.view
        if self._project.refuses():
            return
        if view.pipeline != JEFFS_BRAIN:
            said = f"{view.pipeline} has no legs to choose from: P switches the pipeline"
            self._host.notify(said, timeout=4)
            return
        from brvtui.engines.jeffs_brain.profile import MODES

        self._shown.show(mode=MODES[(MODES.index(view.mode) + 1) % len(MODES)])
        self._put_again()

    def begin(self, asked: Ask) -> None:
        """Begins to answer."""
        session = self._project.session
        if session is None:
            return
        self._wanted |= asked.run
        self._serving = asked.run and engine.has_services(session)
        self._shown.show(busy=self._busy)
        mode, post = self._shown.view.mode, self._host.post_message
        probe = Job("probe", exclusive=True, failed=lambda: self._prober.failed(asked.number))
        self._threads.start(probe, engine.retrieve, session, asked, mode, True, post)
        if asked.run:
            self._threads.start(self._serve, engine.retrieve, session, asked, mode, False, post)

    def clear(self) -> None:
        """Shows no list any more."""
        self._serving = False
        self._shown.show(foreign=None, busy=self._busy)

    @property
    def _busy(self) -> str:
        return self._preparing or (_ASKING if self._serving else "")

    def _retrieved(self, event: news.Retrieved) -> None:
        if event.history is not None:
            self._shown.show(history=tuple(event.history))
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
        view = self._shown.view
        files = selectable(trace)
        kept = view.selected
        before = selectable(view.foreign) if view.foreign else []
        chosen = trace.query == view.query and kept not in before[:1]
        keeps = chosen and (kept in files or view.knows(kept))
        selected = kept if keeps else next(iter(files), "")
        self._shown.show(query=trace.query, foreign=trace, trace=None, selected=selected, detail=None, busy=self._busy)

    def _broke_down(self) -> None:
        """What broke down is no longer under way."""
        self._serving, self._preparing = False, ""
        self._shown.show(busy="")

    # preparing

    def _view_changed(self, changes: Collection[str]) -> None:
        if "pipeline" in changes:
            self._serving = False
            self._wanted |= self._shown.view.overview is not None
        if "pipeline" in changes or "overview" in changes:
            self._prepare()

    def _prepare(self) -> None:
        """Makes what a search needs of the tree as it is now, behind the screen, where it is the one that is chosen."""
        session, view = self._project.session, self._shown.view
        self._preparing = ""
        if session is not None and view.pipeline == JEFFS_BRAIN and view.overview is not None and self._may(session):
            self._preparing = _BEGUN
            self._threads.start(self._index, self._make_ready, session)
        self._shown.show(busy=self._busy)

    def _may(self, session: Session) -> bool:
        """Whether notes may be sent to the user's services: not because a project's own file says so."""
        return self._wanted or not engine.has_services(session) or engine.chose_pipeline(session)

    def _make_ready(self, session: Session) -> None:
        """In a thread."""
        worker = get_current_worker()
        engine.prepare(session, self._host.post_message, lambda: worker.is_cancelled)

    def _prepared(self, event: news.Prepared) -> None:
        if self._shown.view.pipeline != JEFFS_BRAIN:
            return
        self._preparing = "" if event.done else f"vectors {event.made} of {event.wanted}"
        self._shown.show(busy=self._busy)
        session = self._project.session
        if event.done and session is not None and engine.has_services(session):
            self._put_again()  # the vectors that a probe did not wait for are there
