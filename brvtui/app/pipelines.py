"""An app that puts queries to the pipeline that is chosen: ByteRover's route, or the hybrid search of Jeffs Brain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.worker import Worker, WorkerState, get_current_worker

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.model_app import ModelApp
from brvtui.app.project import Opening
from brvtui.app.view import BYTEROVER, selectable
from brvtui.profile_jeffs_brain import MODES
from brvtui.retrieve.jeffs_brain.trace import PIPELINE as JEFFS_BRAIN
from brvtui.retrieve.jeffs_brain.trace import HybridTrace

if TYPE_CHECKING:
    from brvtui.session import Session

PIPELINES = (BYTEROVER, JEFFS_BRAIN)
_BEGUN = "preparing words and vectors"
_ASKING = "asking the services"


class PipelinesApp(ModelApp):
    """Typing probes the chosen pipeline; a run also asks its services, beside the probes, which it never holds up."""

    def __init__(self, opening: Opening) -> None:
        """An app that begins with ByteRover's own pipeline."""
        super().__init__(opening)
        self._served = 0
        """The newest request whose run was answered."""
        self._preparing = ""
        self._serving = False

    def put(self, query: str, run: bool = False) -> None:
        """Puts ``query`` to the chosen pipeline, or shows the empty state when it is blank."""
        if not query.strip():
            self._serving = False
            self.show(foreign=None, busy=self._busy)
        super().put(query, run)

    def explain(self, file: str) -> None:
        """Why a note is, or is not, in ByteRover's answer; the places of a fused list are in the panes."""
        if self.view.foreign is None:
            super().explain(file)
        else:
            self.notify(f"why (not) explains answers of {BYTEROVER}: P switches back to it", timeout=4)

    # the pipeline

    def action_pipeline(self) -> None:
        """Switches to the next pipeline, and asks it the same query."""
        if self.session is not None and self.view.overview is not None:
            self.use_pipeline(PIPELINES[(PIPELINES.index(self.view.pipeline) + 1) % len(PIPELINES)])

    def use_pipeline(self, name: str) -> None:
        """Lets ``name`` answer from now on."""
        self._serving = False
        self.show(pipeline=name, trace=None, foreign=None, selected="", detail=None, own=None, cache=None, busy="")
        self._prepare()
        self.put_again()

    def action_legs(self) -> None:
        """Asks for other legs: auto, bm25, semantic, hybrid."""
        if self.view.pipeline == BYTEROVER:
            self.notify(f"{BYTEROVER} has no legs to choose from: P switches the pipeline", timeout=4)
            return
        self.show(mode=MODES[(MODES.index(self.view.mode) + 1) % len(MODES)])
        self.put_again()

    @on(news.Opened)
    def _begin_as_set(self, event: news.Opened) -> None:
        if event.session.settings.pipeline in PIPELINES:
            self.show(pipeline=event.session.settings.pipeline)

    @on(news.Loaded)
    def _follow_the_tree(self) -> None:
        self._prepare()

    # asking

    def _begin(self, asked: engine.Ask) -> None:
        session = self.session
        if session is None or self.view.pipeline == BYTEROVER:
            super()._begin(asked)
            return
        self._serving = asked.run and engine.has_services(session)
        self.show(busy=self._busy)
        self.answering = self._search(session, asked, self.view.mode)
        if asked.run:
            self._serve(session, asked, self.view.mode)

    @property
    def _busy(self) -> str:
        return self._preparing or (_ASKING if self._serving else "")

    @on(news.Retrieved)
    def _retrieved(self, event: news.Retrieved) -> None:
        if event.history is not None:
            self.show(history=tuple(event.history))
        if event.problem:
            self.notify(event.problem, severity="warning")
        if event.trace.probe:
            newest = self.prober.finished(event.number, event.took_ms)
            if not newest or self._served == event.number:
                return
        elif event.number != self.prober.newest:
            return
        else:
            self._served, self._serving = event.number, False
        self._show_retrieved(event.trace)

    def _show_retrieved(self, trace: HybridTrace) -> None:
        files = selectable(trace)
        kept = self.view.selected
        before = selectable(self.view.foreign) if self.view.foreign else []
        chosen = trace.query == self.view.query and kept not in before[:1]
        keeps = chosen and (kept in files or self.view.knows(kept))
        selected = kept if keeps else next(iter(files), "")
        self.show(query=trace.query, foreign=trace, trace=None, selected=selected, detail=None, busy=self._busy)

    @on(news.Refused)
    def _refused(self, event: news.Refused) -> None:
        self.notify(event.what, severity="error", timeout=10)
        self.prober.failed()
        if self.view.pipeline != BYTEROVER:
            self.use_pipeline(BYTEROVER)

    # preparing

    def _prepare(self) -> None:
        """Makes what the chosen pipeline needs of the tree as it is now, behind the screen."""
        self._preparing = ""
        if self.session is not None and self.view.pipeline == JEFFS_BRAIN and self.view.overview is not None:
            self._preparing = _BEGUN
            self._index(self.session)
        self.show(busy=self._busy)

    @on(news.Prepared)
    def _prepared(self, event: news.Prepared) -> None:
        if self.view.pipeline != JEFFS_BRAIN:
            return
        self._preparing = "" if event.done else f"vectors {event.made} of {event.wanted}"
        self.show(busy=self._busy)
        if event.done and self.session is not None and engine.has_services(self.session):
            self.put_again()  # the vectors that a probe did not wait for are there

    # workers

    @work(thread=True, exclusive=True, group="probe", exit_on_error=False)
    def _search(self, session: Session, asked: engine.Ask, mode: str) -> None:
        engine.retrieve(session, asked, mode, True, self.post_message)

    @work(thread=True, exclusive=True, group="serve", exit_on_error=False)
    def _serve(self, session: Session, asked: engine.Ask, mode: str) -> None:
        engine.retrieve(session, asked, mode, False, self.post_message)

    @work(thread=True, exclusive=True, group="prepare", exit_on_error=False)
    def _index(self, session: Session) -> None:
        worker = get_current_worker()
        engine.prepare(session, self.post_message, lambda: worker.is_cancelled)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What broke down is no longer under way."""
        if event.state is WorkerState.ERROR and event.worker.group in ("serve", "prepare"):
            self._serving, self._preparing = False, ""
            self.show(busy="")
