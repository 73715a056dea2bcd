"""Runs the queries of the Query screen one at a time, and shows their answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from brvtui.app.project.project import Project
from brvtui.app.project.selection import Selection
from brvtui.app.query import answering
from brvtui.app.query.answering import Answered, AnswerEnded, EngineUnusable, Logged, PermissionWanted, QueryRequest
from brvtui.app.query.cache import Cache
from brvtui.app.query.reasons import Reasons
from brvtui.app.services import AppServices
from brvtui.app.states import AnswerState, CacheState, Phase, SelectionState
from brvtui.app.view import selectable

if TYPE_CHECKING:
    from brvtui.app.contents import Overview
    from brvtui.app.live_answer import LiveAnswer
    from brvtui.app.query.answering import RunStep
    from brvtui.saved.traces import SavedTrace
    from brvtui.services.model import Cancellation
    from brvtui.trace import Trace
    from brvtui.trace.feedback import Usefulness

SLOW_MS = 20.0
"""The search time, in milliseconds, above which previews wait for a pause in typing."""
PAUSE_S = 0.08
_MARGIN_S = 0.2
"""The delay in seconds after a cached answer expires before the query is repeated."""
_STOPPED = "stopped before the model wrote anything"
_NEXT, _GRADE = "{engine.next} tries the next engine; ", "{results.judge} grades a result for the Lab"
_CUT_OFF = "stopped: the part that the model had written is below the answer"


class RequestQueue:
    """Starts requests one at a time. Every run is started, but of the waiting previews only the newest.

    ``start`` starts a request. ``pause`` starts or restarts the timer that calls :meth:`go`.
    """

    def __init__(self, start: Callable[[QueryRequest], None], pause: Callable[[], None]) -> None:
        self._start = start
        self._pause = pause
        self.newest = 0
        """The number of the newest request."""
        self._busy = False
        self._begun = 0
        """The number of the most recently started request."""
        self._runs: deque[QueryRequest] = deque()
        self._preview: QueryRequest | None = None
        self._slow = False

    def ask(
        self, query: str, scope: str, run: bool = False, without_model: bool = False, at_once: bool = False
    ) -> None:
        """Queues a request, which replaces any waiting preview. If ``at_once``, does not wait for a pause in typing."""
        self.newest += 1
        request = QueryRequest(self.newest, query, scope, run, without_model)
        self._preview = None if run else request
        if run:
            self._runs.append(request)
        if self._slow and not run and not at_once:
            self._pause()
        else:
            self.go()

    def go(self) -> None:
        """Starts the next waiting request, unless one is running."""
        if self._busy:
            return
        waiting = self._runs.popleft() if self._runs else self._preview
        if waiting is None:
            return
        if waiting is self._preview:
            self._preview = None
        self._busy = True
        self._begun = waiting.number
        self._start(waiting)

    def forget(self) -> None:
        """Marks all pending answers as outdated, and drops any waiting preview."""
        self.newest += 1
        self._preview = None

    def finished(self, number: int, took_ms: float) -> bool:
        """Records the answer to request ``number``; returns True if it is the newest request."""
        if self._busy and number == self._begun:
            self._busy = False
            self._slow = took_ms > SLOW_MS
            self.go()
        return number == self.newest

    def failed(self, number: int) -> None:
        """Records that request ``number`` ended without an answer. Ignores requests that are not running."""
        if number == self._begun:
            self._busy = False
            self.go()


class QueryRunner:
    """Runs the query as it is typed, and shows the answer. Only runs use a model, once that is permitted."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        selection: Selection,
        reasons: Reasons,
        cache: Cache,
        logged: Callable[[str], None],
        bring_answer: Callable[[], None],
    ) -> None:
        """Creates the runner, at first without a query.

        ``logged`` is called after each run with the error from logging it, or an empty string. ``bring_answer`` is
        called when a model starts to write.
        """
        self._services = services
        self._project = project
        self._selection = selection
        self._reasons = reasons
        self._cache = cache
        self._logged = logged
        self._bring_answer = bring_answer
        self.typed = ""
        """The text in the query field."""
        self._to_select = ("", "")
        """A query and the note to select once that query is answered."""
        self.requests = RequestQueue(self._begin, self._pause)
        self._pausing: Timer | None = None
        self._expiring: Timer | None = None
        """The timer for the moment when the displayed cached answer expires."""
        self._cancellation: Cancellation | None = None
        """The cancellation of the newest run that a model may answer. It has no effect after that run has ended."""
        self._newest_run = 0
        """The number of the newest run that a model may answer."""

    # queries

    def ask(self, query: str, run: bool = False, at_once: bool = False) -> None:
        """Requests an answer to ``query``; a blank query clears the answer."""
        if self._project.saved is not None:
            return
        self.typed = query
        if query != self._to_select[0]:
            self._to_select = ("", "")
        self._reasons.cancel_counterfactuals()
        view = self._services.store.view
        if not query.strip():
            self._clear()
        elif self._project.session is not None and view.project.overview is not None:
            self.requests.ask(query, view.query.scope, run, at_once=at_once)

    def select_once_answered(self, query: str, file: str) -> None:
        """Selects the note at ``file`` once ``query`` is answered, if it is among the results."""
        answered = self._services.store.view.answered
        if answered is None or answered.query != query:
            self._to_select = (query, file)
        elif file in selectable(answered):
            self._selection.select(file)

    def ask_again(self) -> None:
        """Repeats the last query because something that it depends on has changed."""
        self.ask(self.typed, at_once=True)

    def _clear(self) -> None:
        self.requests.forget()
        store = self._services.store
        query, file = store.view.query, store.view.selection.file
        kept = not query.text.strip() or store.view.knows(file)
        store.update(
            query._replace(text=""),
            store.view.answer._replace(trace=None, serving=False),
            SelectionState(file if kept else ""),
        )

    def show_saved(self, saved: SavedTrace, overview: Overview) -> None:
        """Shows a saved trace instead of a project."""
        from brvtui.paint.score import ticks_of

        trace, store = saved.trace, self._services.store
        self.typed = trace.query
        store.update(
            store.view.project._replace(phase=Phase.READY, problem="", overview=overview, saved=saved),
            store.view.engine._replace(name=trace.engine, profile=trace.profile, frozen=True),
            store.view.query._replace(text=trace.query, scope=trace.scope_option),
            AnswerState(trace=trace, ticks=ticks_of(trace)),
        )
        self._selection.select(next(iter(selectable(trace)), ""))

    def tree_changed(self) -> None:
        """Repeats the query. If a model is writing the answer, keeps that answer although its tree is outdated."""
        view = self._services.store.view
        live = view.model.live
        if live is None or not live.is_about(self.typed, view.query.scope, view.engine.name):
            self.ask_again()

    def scope_to(self, folder: str) -> None:
        """Limits queries to ``folder``; empty for the whole tree."""
        if not self._project.refuses():
            store = self._services.store
            store.update(store.view.query._replace(scope=folder))
            self.ask_again()

    def use(self, engine: str) -> None:
        """Repeats the query with ``engine`` in its first mode, and selects the first result."""
        session, store = self._project.session, self._services.store
        assert session is not None
        mode = next(iter(session.engines.named(engine).modes), "")
        self.cancel_model()
        selected = "" if self.typed.strip() else store.view.selection.file  # without a query, the note stays selected
        store.update(
            store.view.engine._replace(name=engine, mode=mode, profile=session.engines.profile(engine)),
            store.view.answer._replace(trace=None, preparing="", serving=False),
            SelectionState(selected),
            CacheState(),
        )
        self.ask_again()

    def _pause(self) -> None:
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self._services.set_timer(PAUSE_S, self.requests.go)

    # answering

    def _begin(self, request: QueryRequest) -> None:
        """Answers ``request`` in a worker, which passes each step to ``_step``."""
        from brvtui.engines.contract import CompletingEngine

        session, store, background = self._project.session, self._services.store, self._services.background
        if session is None:
            return
        chosen, cancellation = store.view.engine, None
        if request.run and isinstance(session.engines.named(chosen.name), CompletingEngine):
            from brvtui.services.model import Cancellation

            self.cancel_model()  # even if that run's model has not written anything yet
            cancellation = self._cancellation = Cancellation()
            self._newest_run, group = request.number, "run"
        else:
            serving, group = request.run and answering.has_services(session), "serve" if request.run else "preview"
            if serving != store.view.answer.serving:  # an update builds all panes with the answer again
                store.update(store.view.answer._replace(serving=serving))
        steps = partial(
            answering.steps, session, self._project.overviews, request, chosen.name, chosen.mode, cancellation
        )
        tell = background.relay(partial(self._step, request))

        def work() -> None:  # never cancelled, since the queue waits for its end
            for step in steps():
                tell(step)

        background.run(work, group=group, on_error=partial(self._broke_down, request))

    def _step(self, request: QueryRequest, step: RunStep) -> None:
        from brvtui.app.live_answer import LiveAnswer, advanced
        from brvtui.trace import events

        match step:
            case Answered():
                self._remember(step)
                if self.requests.finished(request.number, step.took_ms):
                    self._show(step)
            case EngineUnusable():
                self.refused(step)
                self.requests.failed(request.number)
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

    def _broke_down(self, request: QueryRequest, why: str) -> None:
        """Shows the error ``why``, and records that ``request`` is no longer in progress."""
        self._services.notify(why, severity="error", timeout=10)
        if request.number == self._newest_run:
            self._show_live(None)
        elif request.run and request.number == self.requests.newest:
            store = self._services.store
            store.update(store.view.answer._replace(serving=False))
        self.requests.failed(request.number)

    def _remember(self, answered: Answered) -> None:
        """Updates the history after a run, and the tree if access hits were recorded."""
        store = self._services.store
        if answered.read is not None:
            self._project.show_tree(answered.read, by_a_run=True)
        if answered.history is not None:
            store.update(store.view.query._replace(history=answered.history))
        if answered.problem:
            self._services.notify(answered.problem, severity="warning")

    def _show(self, answered: Answered) -> None:
        from brvtui.paint.score import ticks_of
        from brvtui.trace.routing import CacheLook

        store, trace = self._services.store, answered.trace
        view = store.view
        same = (trace.query, trace.scope_option) == (view.query.text, view.query.scope)
        keeps = same and bool(view.selection.file)  # a note that is missing now may reappear
        selected = view.selection.file if keeps else next(iter(selectable(trace)), "")
        if trace.query == self._to_select[0]:
            wanted, self._to_select = self._to_select[1], ("", "")
            selected = wanted if wanted in selectable(trace) else selected
        detail = answered.detail if answered.detail is not None and answered.detail.path == selected else None
        before = view.answer.trace
        known = view.answer.ticks if before is not None and before.engine == trace.engine else {}
        serving = view.answer.serving and not trace.ran
        store.update(
            view.query._replace(text=trace.query),
            view.answer._replace(trace=trace, ticks={**known, **ticks_of(trace)}, serving=serving),
            SelectionState(selected, detail),
            CacheState(),
        )
        if detail is None:
            self._selection.explain_score()
        self._reasons.find_causes(trace)
        cache = trace.find(CacheLook)
        if cache is not None and (trace.ran or cache.entries):
            self._cache.look()
        self._preview_once_expired(trace)

    def _preview_once_expired(self, trace: Trace) -> None:
        """Repeats the preview ``trace`` when the cached answer that it shows expires. Runs are not repeated."""
        from brvtui.trace.routing import CacheLook, FingerprintState

        if self._expiring is not None:
            self._expiring.stop()
        view = self._services.store.view
        look, tree = trace.find(CacheLook), trace.find(FingerprintState)
        lasts_s = look.lasts_s(tree) if look is not None and tree is not None else None
        if lasts_s is not None and not trace.ran and not view.engine.frozen:
            self._expiring = self._services.set_timer(lasts_s + _MARGIN_S, partial(self._expired, trace))

    def _expired(self, trace: Trace) -> None:
        """Repeats the query if the cached answer is still displayed."""
        if self._services.store.view.answered is trace:
            self.tree_changed()

    def refused(self, refused: EngineUnusable) -> None:
        """Shows why the engine cannot be used, and switches to the project's first engine, unless this is outdated."""
        request, chosen, session = refused.request, self._services.store.view.engine.name, self._project.session
        is_old = request is not None and request.number != self.requests.newest
        if session is None or refused.engine != chosen or is_old:
            return
        first = session.engines.names[0]
        instead = f"; {first} answers" if chosen != first else ""
        self._services.notify(f"{refused.why}{instead}", severity="error", timeout=10)
        if chosen != first:
            self.use(first)

    # model answers

    def stop_model(self) -> bool:
        """Cancels the model's current answer; returns True if one was displayed."""
        live = self._services.store.view.model.live
        if live is None or live.cancelling:
            return False
        self.cancel_model()
        self._show_live(replace(live, cancelling=True))
        return True

    def cancel_model(self) -> None:
        """Cancels the newest run that a model may answer."""
        if self._cancellation is not None:
            self._cancellation.cancel()

    def _show_live(self, live: LiveAnswer | None) -> None:
        store = self._services.store
        store.update(store.view.model._replace(live=live))

    def _ask_permission(self, request: QueryRequest, wanted: PermissionWanted) -> None:
        session = self._project.session
        view = self._services.store.view
        request_key = (request.query, request.scope, wanted.trace.engine)
        is_current = (self.typed, view.query.scope, view.engine.name) == request_key
        if session is None or not is_current or self._services.has_modal:
            return
        from brvtui.app.query.permission import ALLOW, NOT_NOW, PermissionDialog
        from brvtui.session.services import budget_of

        def answered(answer: str | None) -> None:
            if answer == ALLOW:
                session.model.allow()
            if answer in (ALLOW, NOT_NOW) and self._project.session is session:
                self.requests.ask(request.query, request.scope, run=True, without_model=answer == NOT_NOW)

        budget = budget_of(session.settings.llm)
        self._services.push_screen(
            PermissionDialog(wanted.model, session.model.address, wanted.trace, budget), answered
        )

    def _ended(self, request: QueryRequest, ended: AnswerEnded) -> None:
        store, trace = self._services.store, ended.trace
        live = store.view.model.live
        if live is not None and live.number == request.number:
            self._show_live(None)
        if self._is_current(trace):
            store.update(store.view.answer._replace(trace=trace))
            if store.view.project.generation != trace.snapshot.generation:
                self._services.notify(
                    "the tree changed while this answer was being written: Enter runs the query again", timeout=6
                )
        elif not ended.why:
            message = f"“{trace.query}” is answered, with the tree and profile as they were when you asked"
            self._services.notify(message, timeout=6)
        self._cache.look()
        if ended.cancelled:
            done = trace.answer.completion
            self._services.notify(_CUT_OFF if done is not None and done.partial.strip() else _STOPPED, timeout=4)
        elif ended.why:
            self._services.notify(ended.why, severity="error", timeout=10)

    def _is_current(self, trace: Trace) -> bool:
        """True if ``trace`` matches the displayed query, tree, engine and profile."""
        view = self._services.store.view
        shown = view.answer.trace
        if shown is None or (view.query.text, view.query.scope) != (trace.query, trace.scope_option):
            return False
        key = (trace.engine, trace.profile, trace.snapshot.generation)
        return key == (shown.engine, shown.profile, shown.snapshot.generation)

    # feedback

    def give_feedback(self, usefulness: Usefulness) -> None:
        """Sends feedback on the selected result to the engine in a worker, shows the effect, and repeats the query."""
        from brvtui.engines.contract import EngineError, LearningEngine

        project, services = self._project, self._services
        session, view = project.session, services.store.view
        trace, hit = view.answered, view.hit
        if session is None or trace is None or hit is None or project.refuses():
            services.notify("type a query and select a result first", timeout=4)
            return

        def learn() -> tuple[str, bool]:
            try:
                return session.engines.learn(trace, hit.file, usefulness), True
            except EngineError as error:
                able = isinstance(session.engines.named(trace.engine), LearningEngine)
                instead = f"{_NEXT if project.has_other_engines else ''}{_GRADE}"
                return str(error) if able else f"{error}: {services.with_keys(instead)}", False

        def learned(outcome: tuple[str, bool]) -> None:
            message, kept = outcome
            services.notify(f"{usefulness.value}: {message}" if kept else message, timeout=4 if kept else 8)
            if kept:
                self.ask_again()

        services.background.run(learn, learned, group="feedback")
