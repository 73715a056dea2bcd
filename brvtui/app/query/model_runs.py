"""Runs that a language model may answer: after it was allowed, live, and stopped at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.dialogs import PERMISSION
from brvtui.app.keys.bindings import bindings
from brvtui.app.live_answer import LiveAnswer, advanced
from brvtui.app.project.project import Project
from brvtui.app.query import completing
from brvtui.app.query.answering import Answered, EngineUnusable
from brvtui.app.query.cache import Cache
from brvtui.app.query.completing import AnswerEnded, Logged, PermissionWanted, RunStep
from brvtui.app.query.prober import QueryRequest
from brvtui.app.query.queries import Queries
from brvtui.app.screens.dialog import Dialog
from brvtui.app.services import AppServices
from brvtui.app.widgets.paragraphs import Paragraphs
from brvtui.engines.byterover.sections import Outcome, Route
from brvtui.services.model import Budget
from brvtui.trace import Trace, events
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.services.model import Cancellation

# Asks for permission before a language model is asked for the first time in a session.


ALLOW, NOT_NOW = "allow", "not now"


class PermissionDialog(Dialog[str]):
    """Ends with one of these, or with None: then nothing is run."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PERMISSION)

    def __init__(self, model: str, address: str, trace: Trace, budget: Budget) -> None:
        """Asks whether ``model`` at ``address`` may answer what ``trace`` is the probe of, within ``budget``."""
        super().__init__("Ask the model?")
        self._model, self._address, self._trace, self._budget = model, address, trace, budget

    def make_parts(self) -> ComposeResult:
        """Yields what would be sent, where to, and how often."""
        yield Paragraphs(
            (f"{self._model}  {self._address}", "bold strong"), (what_is_asked(self._trace, self._budget), "text"),
            ("Allowed, runs of this session ask it; llm.allowed in the settings allows it for good.", "muted"),
            id="question",
        )  # fmt: skip


def what_is_asked(trace: Trace, budget: Budget) -> str:
    """Returns what a run of the probe ``trace`` would send to a model, and how often."""
    prompt = trace.answer.prompt
    assert prompt is not None
    limit = f" It uses at most {budget.words}." if budget.words else ""
    most, tokens = prompt.max_iterations, f"about {prompt.tokens} tokens of your notes"
    comes = "This query comes to " + ("a model" if trace.tier is None else f"tier {trace.tier}")
    route = trace.find(Route)
    if route is not None and route.outcome is not Outcome.SINGLE_CALL:
        calls = f"up to {counted(most, 'call', 'calls')}, the first with {tokens}"
        return f"{comes}: {calls}; it may read further notes of this tree.{limit}"
    said = f"{comes}: one call with {tokens}"
    more = f", or up to {most} where the model wants to read further notes of this tree first" if most > 1 else ""
    return f"{said}{more}.{limit}"


_STOPPED = "stopped before the model had written anything"
_CUT_OFF = "stopped: what the model had written stands below the answer"


class ModelRuns:
    """Probes never ask a model; runs ask it once the user has let them."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        queries: Queries,
        cache: Cache,
        logged: Callable[[str], None],
        bring_answer: Callable[[], None],
    ) -> None:
        """No model is asked yet. ``logged`` is told that a run was logged, or why not; ``bring_answer`` is called when
        a model begins to write."""
        self._services = services
        self._project = project
        self._queries = queries
        self._cache = cache
        self._logged = logged
        self._bring_answer = bring_answer
        self._cancellation: Cancellation | None = None
        """Of the newest run, None before the first; once that has ended, a cancellation has no effect any more."""
        self._newest = 0
        """The number of the newest run."""

    def run(self, request: QueryRequest) -> None:
        """Runs a query, in place of the run whose model is still answering."""
        session = self._project.session
        if session is None:
            return
        self.cancel()  # also of a run whose model has not said a word yet
        from brvtui.services.model import Cancellation

        cancellation = self._cancellation = Cancellation()
        self._newest = request.number
        chosen, overviews = self._services.store.view.engine, self._project.overviews
        told = self._services.background.relay(partial(self._step, request))

        def work() -> None:
            for step in completing.run(session, overviews, request, chosen.name, chosen.mode, cancellation):
                told(step)

        self._services.background.run(work, group="run", on_error=partial(self._broke_down, request))

    def stop(self) -> bool:
        """Breaks off the model's answer that is under way; whether one was shown."""
        live = self._services.store.view.model.live
        if live is None or live.cancelling:
            return False
        self.cancel()
        self._show_live(replace(live, cancelling=True))
        return True

    def cancel(self) -> None:
        """Ends waiting for a model that is still answering."""
        if self._cancellation is not None:
            self._cancellation.cancel()

    def _broke_down(self, request: QueryRequest, why: str) -> None:
        """Leaves nothing that seems to go on; a run that is old by now hides no answer of a newer one."""
        self._services.notify(why, severity="error", timeout=10)
        if request.number == self._newest:
            self._show_live(None)
        self._queries.prober.failed(request.number)

    # what is told of a run

    def _step(self, request: QueryRequest, step: RunStep) -> None:
        match step:
            case Answered():
                self._queries.remember(step)
                if self._queries.finished(step):
                    self._queries.show(step)
            case EngineUnusable():
                self._queries.refused(step)
                self._queries.prober.failed(request.number)
            case Logged(problem):
                self._logged(problem)
            case PermissionWanted():
                self._ask_permission(request, step)
            case events.Routed(trace, model):
                self._show_live(LiveAnswer(request.number, trace.query, trace.scope_option, trace.engine, model))
                if self._services.store.view.live is not None:
                    self._bring_answer()
            case AnswerEnded():
                self._ended(request, step)
            case _:
                live = self._services.store.view.model.live
                if live is not None and live.number == request.number:
                    self._show_live(advanced(live, step))

    def _show_live(self, live: LiveAnswer | None) -> None:
        store = self._services.store
        store.update(store.view.model._replace(live=live))

    def _ask_permission(self, request: QueryRequest, wanted: PermissionWanted) -> None:
        session = self._project.session
        view = self._services.store.view
        asked = (request.query, request.scope, wanted.trace.engine)
        is_asked = (self._queries.typed, view.query.scope, view.engine.name) == asked
        if session is None or not is_asked or self._services.has_modal:
            return
        from brvtui.session.services import budget_of

        def answered(answer: str | None) -> None:
            if answer == ALLOW:
                session.model.allow()
            if answer in (ALLOW, NOT_NOW) and self._project.session is session:
                self._queries.prober.ask(request.query, request.scope, run=True, without_model=answer == NOT_NOW)

        budget = budget_of(session.settings.llm)
        self._services.push_screen(
            PermissionDialog(wanted.model, session.model.address, wanted.trace, budget), answered
        )

    def _ended(self, request: QueryRequest, ended: AnswerEnded) -> None:
        store, trace = self._services.store, ended.trace
        live = store.view.model.live
        if live is not None and live.number == request.number:
            self._show_live(None)
        if self._is_of_now(trace):
            store.update(store.view.answer._replace(trace=trace))
            if store.view.project.generation != trace.snapshot.generation:
                self._services.notify("the tree changed while this answer was written: enter asks again", timeout=6)
        elif not ended.why:
            said = f"“{trace.query}” is answered, of the tree and profile that it was asked of"
            self._services.notify(said, timeout=6)
        self._cache.look()
        if ended.cancelled:
            done = trace.answer.completion
            self._services.notify(_CUT_OFF if done is not None and done.partial.strip() else _STOPPED, timeout=4)
        elif ended.why:
            self._services.notify(ended.why, severity="error", timeout=10)

    def _is_of_now(self, trace: Trace) -> bool:
        """Returns whether ``trace`` answers what is shown: same query, tree, engine and profile."""
        view = self._services.store.view
        shown = view.answer.trace
        if shown is None or (view.query.text, view.query.scope) != (trace.query, trace.scope_option):
            return False
        made = (trace.engine, trace.profile, trace.snapshot.generation)
        return made == (shown.engine, shown.profile, shown.snapshot.generation)
