"""An app in which a language model may answer runs: after it was allowed, live, and stopped at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.worker import Worker, WorkerState

from brvtui.app import asking, engine
from brvtui.app import messages as news
from brvtui.app.live import Live, advanced
from brvtui.app.project import ProjectApp
from brvtui.app.screens.query import QueryScreen
from brvtui.route import events
from brvtui.route.model import Cancellation
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.config import Configuration
    from brvtui.session import Session

_STOPPED = "stopped before the model had written anything"
_CUT_OFF = "stopped: what the model had written stands below the answer"


class ModelApp(ProjectApp):
    """Probes never ask a model; runs ask it once the user has let them."""

    _cancellation: Cancellation | None = None
    """Of the newest run; set until it has ended."""
    _newest_run: Worker[None] | None = None

    def adopt(self, configuration: Configuration) -> None:
        """Puts the settings ``configuration`` into effect, as far as they differ from those so far."""
        super().adopt(configuration)
        self.show(model=configuration.settings.llm.model)

    def stop_model(self) -> bool:
        """Breaks off the model's answer that is under way; whether one was shown."""
        live = self.view.live
        if live is None or live.cancelling:
            return False
        self._cancel()
        self.show(live=replace(live, cancelling=True))
        return True

    def _cancel(self) -> None:
        if self._cancellation is not None:
            self._cancellation.cancel()

    def on_unmount(self) -> None:
        """A model that is still answering is not waited for."""
        self._cancel()

    def _begin(self, asked: engine.Ask) -> None:
        if self.session is None or not asked.run:
            super()._begin(asked)
            return
        self._cancel()  # also of a run whose model has not said a word yet
        self._cancellation = Cancellation()
        self.answering = self._newest_run = self._run(self.session, asked, self._cancellation)

    @on(news.PermissionWanted)
    def _permission_wanted(self, event: news.PermissionWanted) -> None:
        wanted = (self.typed, self.view.scope) == (event.ask.query, event.ask.scope)
        if self.session is None or not wanted or len(self.screen_stack) > 1:
            return
        from brvtui.app.screens.model_permission import ALLOW, NOT_NOW, PermissionDialog

        session, ask = self.session, event.ask

        def answered(answer: str | None) -> None:
            if answer == ALLOW:
                session.model.allow()
            if answer in (ALLOW, NOT_NOW) and self.session is session:
                self.prober.ask(ask.query, ask.scope, run=True, without_model=answer == NOT_NOW)

        self.push_screen(PermissionDialog(event.model, session.model.address, event.trace), answered)

    @on(news.Asking)
    def _asking(self, event: news.Asking) -> None:
        if isinstance(event.event, events.Routed):
            trace = event.event.trace
            self.show(live=Live(event.number, trace.query, trace.scope_option, event.event.model))
            self._bring_answer()
        elif self.view.live is not None and self.view.live.number == event.number:
            self.show(live=advanced(self.view.live, event.event))

    def _bring_answer(self) -> None:
        """Where panes are tabs, the one that is being written comes to the front; the focus stays where it is."""
        frame = self.frame
        if isinstance(frame, QueryScreen) and not frame.body.wide and not frame.body.maximised:
            frame.body.bring("answer")

    @on(news.AnswerEnded)
    def _answer_ended(self, event: news.AnswerEnded) -> None:
        live, trace = self.view.live, event.trace
        if live is not None and live.number == event.number:
            self.show(live=None)
        if self._is_of_now(trace):
            self.show(trace=trace)
        elif not event.why:
            self.notify(f"“{trace.query}” is answered, of the tree and profile that it was asked of", timeout=6)
        if event.cancelled:
            done = trace.answer.completion
            self.notify(_CUT_OFF if done is not None and done.partial.strip() else _STOPPED, timeout=4)
        elif event.why:
            self.notify(event.why, severity="error", timeout=10)

    def _is_of_now(self, trace: Trace) -> bool:
        """Whether ``trace`` answers what is shown: the same query of the same tree, read with the same profile."""
        shown = self.view.trace
        asked = (self.view.query, self.view.scope) == (trace.query, trace.scope_option)
        if shown is None or not asked:
            return False
        before, now = (one.snapshot.generation for one in (trace, shown))
        return (trace.profile, before) == (shown.profile, now)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A run that broke down leaves nothing that seems to go on."""
        if event.state is WorkerState.ERROR and event.worker is self._newest_run:
            self.show(live=None)

    @work(thread=True, group="run", exit_on_error=False)
    def _run(self, session: Session, asked: engine.Ask, cancellation: Cancellation) -> None:
        asking.run(session, asked, self.surveyor, cancellation, self.post_message)
