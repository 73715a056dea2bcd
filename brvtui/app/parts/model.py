"""Runs that a language model may answer: after it was allowed, live, and stopped at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from textual.dom import DOMNode

from brvtui.app import asking
from brvtui.app import messages as news
from brvtui.app.ask import Ask
from brvtui.app.live import Live, advanced
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import Notifies, OpensDialogs, Posts, Surveyed
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.prober import Prober
from brvtui.app.store import ViewStore
from brvtui.trace import Trace, events

if TYPE_CHECKING:
    from brvtui.services.model import Cancellation

_STOPPED = "stopped before the model had written anything"
_CUT_OFF = "stopped: what the model had written stands below the answer"


class Host(Notifies, OpensDialogs, Posts, Protocol):
    """What runs need of the app."""

    @property
    def screen_stack(self) -> Sequence[DOMNode]:
        """The screen in front, under the modals that are open over it."""
        ...


class Asked(Protocol):
    """What is asked now."""

    @property
    def typed(self) -> str:
        """What stands in the query's field."""
        ...

    @property
    def prober(self) -> Prober:
        """Orders requests."""
        ...


class ModelRuns:
    """Probes never ask a model; runs ask it once the user has let them."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: Surveyed,
        store: ViewStore,
        queries: Asked,
        look_at_cache: Callable[[], None],
        bring_answer: Callable[[], None],
    ) -> None:
        """No model is asked yet. ``look_at_cache`` is called when one has answered, for the answer may be kept,
        ``bring_answer`` when one begins to write it."""
        self._bring_answer = bring_answer
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._queries = queries
        self._look_at_cache = look_at_cache
        self._cancellation: Cancellation | None = None
        """Of the newest run, None before the first; once that has ended, nobody hears a cancellation any more."""
        self._newest = 0
        """The number of the newest run."""
        hearing.hear(news.PermissionWanted, self._permission_wanted)
        hearing.hear(news.Asking, self._asking)
        hearing.hear(news.AnswerEnded, self._answer_ended)

    def run(self, asked: Ask) -> None:
        """Runs a query, in place of the run whose model is still answering."""
        session = self._project.session
        if session is None:
            return
        self.cancel()  # also of a run whose model has not said a word yet
        from brvtui.services.model import Cancellation

        cancellation = self._cancellation = Cancellation()
        self._newest = asked.number
        run = Job("run", failed=lambda: self._broke_down(asked.number))
        surveyor, post = self._project.surveyor, self._host.post_message
        self._threads.start(run, asking.run, session, asked, self._store.view.engine.name, surveyor, cancellation, post)

    def stop(self) -> bool:
        """Breaks off the model's answer that is under way; whether one was shown."""
        live = self._store.view.model.live
        if live is None or live.cancelling:
            return False
        self.cancel()
        self._store.update(replace(self._store.view.model, live=replace(live, cancelling=True)))
        return True

    def cancel(self) -> None:
        """Waits no more for a model that is still answering."""
        if self._cancellation is not None:
            self._cancellation.cancel()

    def _broke_down(self, number: int) -> None:
        """A run that broke down leaves nothing that seems to go on; an old one hides no answer of a newer."""
        if number == self._newest:
            self._store.update(replace(self._store.view.model, live=None))
        self._queries.prober.failed(number)

    def _permission_wanted(self, event: news.PermissionWanted) -> None:
        session, ask = self._project.session, event.ask
        wanted = (self._queries.typed, self._store.view.query.scope) == (ask.query, ask.scope)
        if session is None or not wanted or len(self._host.screen_stack) > 1:
            return
        from brvtui.app.screens.model_permission import ALLOW, NOT_NOW, PermissionDialog

        def answered(answer: str | None) -> None:
            if answer == ALLOW:
                session.model.allow()
            if answer in (ALLOW, NOT_NOW) and self._project.session is session:
                self._queries.prober.ask(ask.query, ask.scope, run=True, without_model=answer == NOT_NOW)

        self._host.push_screen(PermissionDialog(event.model, session.model.address, event.trace), answered)

    def _asking(self, event: news.Asking) -> None:
        live = self._store.view.model.live
        if isinstance(event.event, events.Routed):
            trace = event.event.trace
            self._store.update(
                replace(
                    self._store.view.model, live=Live(event.number, trace.query, trace.scope_option, event.event.model)
                )
            )
            self._bring_answer()
        elif live is not None and live.number == event.number:
            self._store.update(replace(self._store.view.model, live=advanced(live, event.event)))

    def _answer_ended(self, event: news.AnswerEnded) -> None:
        live, trace = self._store.view.model.live, event.trace
        if live is not None and live.number == event.number:
            self._store.update(replace(self._store.view.model, live=None))
        if self._is_of_now(trace):
            self._store.update(replace(self._store.view.answer, trace=trace))
            self._tell_of_changes(trace)
        elif not event.why:
            self._host.notify(f"“{trace.query}” is answered, of the tree and profile that it was asked of", timeout=6)
        self._look_at_cache()
        if event.cancelled:
            done = trace.answer.completion
            self._host.notify(_CUT_OFF if done is not None and done.partial.strip() else _STOPPED, timeout=4)
        elif event.why:
            self._host.notify(event.why, severity="error", timeout=10)

    def _tell_of_changes(self, trace: Trace) -> None:
        overview = self._store.view.project.overview
        if overview is not None and overview.generation != trace.snapshot.generation:
            self._host.notify("the tree changed while this answer was written: enter asks again", timeout=6)

    def _is_of_now(self, trace: Trace) -> bool:
        """Whether ``trace`` answers what is shown: the same query of the same tree, read with the same profile."""
        view = self._store.view
        shown = view.answer.trace
        asked = (view.query.text, view.query.scope) == (trace.query, trace.scope_option)
        if shown is None or not asked:
            return False
        before, now = (one.snapshot.generation for one in (trace, shown))
        return (trace.profile, before) == (shown.profile, now)
