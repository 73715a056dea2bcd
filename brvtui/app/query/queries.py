"""Queries: put to the engine that is chosen, one at a time, and answered on the screens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from brvtui.app.project.project import Project
from brvtui.app.project.selection import Selection
from brvtui.app.query import answering
from brvtui.app.query.answering import Answered, EngineUnusable
from brvtui.app.query.cache import Cache
from brvtui.app.query.prober import PAUSE_S, Prober, QueryRequest
from brvtui.app.query.reasons import Reasons
from brvtui.app.services import AppServices
from brvtui.app.states import AnswerState, CacheState, Phase, PinState, SelectionState
from brvtui.app.view import selectable
from brvtui.engines.profile_files import profiles_of
from brvtui.engines.registry import DEFAULT

_MARGIN_S = 0.2
"""How long after a cached answer has expired it is asked again."""

if TYPE_CHECKING:
    from brvtui.app.contents import Overview
    from brvtui.lab.answer_diff.results import AnswerDiff
    from brvtui.saved.traces import SavedTrace
    from brvtui.trace import Trace


class Queries:
    """Asks what is typed, and shows the answer."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        selection: Selection,
        reasons: Reasons,
        cache: Cache,
        complete: Callable[[QueryRequest], None],
        cancel_model: Callable[[], None],
        logged: Callable[[str], None],
    ) -> None:
        """Nothing was asked. ``complete`` has a model answer, where an engine lets one, and ``cancel_model`` ends that;
        ``logged`` is told that a run was logged, or why not."""
        self._services = services
        self._project = project
        self._selection = selection
        self._reasons = reasons
        self._cache = cache
        self._complete = complete
        self._cancel_model = cancel_model
        self._logged = logged
        self.typed = ""
        """The text in the query's field."""
        self._asked_for = ("", "")
        """A query, and the note that it is to help: that is selected once it is answered."""
        self.has_run = False
        """Whether the user ran a query, so that an engine may ask services without a run."""
        self.prober = Prober(self._begin, self._pause)
        self._pausing: Timer | None = None
        self._expiring: Timer | None = None
        """Ends with the cached answer that is shown."""
        self._served = 0
        """The newest request whose run was answered with the help of services."""

    # what is asked

    def ask(self, query: str, run: bool = False) -> None:
        """Has the engine answer ``query``, or shows the empty state when it is blank."""
        self._ask(query, run, at_once=False)

    def select_once_answered(self, query: str, file: str) -> None:
        """Selects the note at ``file``, not the first result, once ``query`` is answered and has it."""
        answered = self._services.store.view.answered
        if answered is None or answered.query != query:
            self._asked_for = (query, file)
        elif file in selectable(answered):
            self._selection.select(file)

    def ask_again(self) -> None:
        """Asks what was asked last, because something that it depends on has changed."""
        self._ask(self.typed, run=False, at_once=True)

    def _ask(self, query: str, run: bool, at_once: bool) -> None:
        if self._project.saved is not None:
            return
        self.typed = query
        if query != self._asked_for[0]:
            self._asked_for = ("", "")
        self._reasons.cancel_counterfactuals()
        view = self._services.store.view
        if not query.strip():
            self._clear()
        elif self._project.session is not None and view.project.overview is not None:
            self.prober.ask(query, view.query.scope, run, at_once=at_once)

    def _clear(self) -> None:
        self.prober.forget()
        store = self._services.store
        query, file = store.view.query, store.view.selection.file
        kept = not query.text.strip() or store.view.knows(file)
        store.update(
            query._replace(text=""),
            store.view.answer._replace(trace=None, serving=False),
            SelectionState(file if kept else ""),
        )

    def show_saved(self, saved: SavedTrace, overview: Overview) -> None:
        """Shows a saved trace as it was, in place of a project."""
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
        """Asks again, unless a model is writing the answer: that stays to be read, though it is of the tree before."""
        view = self._services.store.view
        live = view.model.live
        if live is None or not live.is_about(self.typed, view.query.scope, view.engine.name):
            self.ask_again()

    def scope_to(self, folder: str) -> None:
        """Keeps queries to ``folder``; empty for the whole tree."""
        if not self._project.refuses():
            store = self._services.store
            store.update(store.view.query._replace(scope=folder))
            self.ask_again()

    def pin(self) -> bool:
        """Pins the answer that is shown, or unpins it when it is the pinned one; whether one was pinned."""
        store = self._services.store
        trace = store.view.answered
        if self._project.refuses():
            return False
        if trace is None:
            self._services.notify(
                self._services.with_keys("ask something first: {answer.pin} then pins its answer"), timeout=4
            )
            return False
        if trace is store.view.pin.trace:
            store.update(PinState())
            self._services.notify("nothing is pinned any more", timeout=4)
            return False
        store.update(PinState(trace))
        read, say = partial(profiles_of, trace.engine), partial(self._say_pinned, trace)
        self._services.background.run(read, say, group="profiles")
        return True

    def _say_pinned(self, trace: Trace, profiles: tuple[str, ...]) -> None:
        """Says what to change before the next answer is compared with ``trace``, if that is still pinned."""
        if self._services.store.view.pin.trace is not trace:
            return
        ways = ["wording"]
        ways += ["profile ({engine.profile})"] if len(profiles) > 1 else []
        ways += ["engine ({engine.next})"] if self._project.has_other_engines else []
        others = " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))
        said = f"pinned: change {others}, then {{answer.compare}} compares"
        self._services.notify(self._services.with_keys(said), timeout=4)

    def _pause(self) -> None:
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self._services.set_timer(PAUSE_S, self.prober.go)

    # answering

    def _begin(self, request: QueryRequest) -> None:
        """Begins to answer. Where services take part, a probe is answered without them at once, and a run beside it."""
        from brvtui.engines.contract import Completes

        session, store = self._project.session, self._services.store
        if session is None:
            return
        chosen = store.view.engine
        if request.run and isinstance(session.engines.named(chosen.name), Completes):
            self._complete(request)
            return
        self.has_run |= request.run
        serving = request.run and answering.has_services(session)
        if serving != store.view.answer.serving:  # every pane that reads the answer would be built again
            store.update(store.view.answer._replace(serving=serving))
        answer = partial(answering.answer, session, self._project.overviews, request, chosen.name, chosen.mode)
        run = self._services.background.run
        failed = partial(self._failed, request)
        run(partial(answer, False), partial(self._answered, request), group="probe", exclusive=True, on_error=failed)
        if request.run:
            failed = partial(self._failed, None)
            run(partial(answer, True), self._served_by_services, group="serve", exclusive=True, on_error=failed)

    def _answered(self, request: QueryRequest, ended: Answered | EngineUnusable) -> None:
        if isinstance(ended, EngineUnusable):
            self.refused(ended)
            self.prober.failed(request.number)
        elif self.finished(ended) and self._served != ended.request.number:
            self.show(ended)

    def finished(self, answered: Answered) -> bool:
        """Begins the next request; whether ``answered`` is of the newest."""
        return self.prober.finished(answered.request.number, answered.took_ms)

    def _served_by_services(self, ended: Answered | EngineUnusable) -> None:
        if isinstance(ended, EngineUnusable):
            self.refused(ended)  # its probe ends by itself
            return
        self.remember(ended)
        session = self._project.session
        if session is not None:
            log = partial(answering.log, session, ended.trace, ended.took_ms)
            self._services.background.run(log, self._logged, group="log run")
        if ended.request.number == self.prober.newest:
            self._served = ended.request.number
            self._services.store.update(self._services.store.view.answer._replace(serving=False))
            self.show(ended)

    def remember(self, answered: Answered) -> None:
        """Takes over what a run changed: the history, and the tree where access hits were recorded."""
        store = self._services.store
        if answered.read is not None:
            self._project.show_tree(answered.read, by_a_run=True)
        if answered.history is not None:
            store.update(store.view.query._replace(history=answered.history))
        if answered.problem:
            self._services.notify(answered.problem, severity="warning")

    def show(self, answered: Answered) -> None:
        """Shows the answer in every pane."""
        from brvtui.engines.byterover.sections import CacheLook
        from brvtui.paint.score import ticks_of

        store, trace = self._services.store, answered.trace
        view = store.view
        same = (trace.query, trace.scope_option) == (view.query.text, view.query.scope)
        keeps = same and bool(view.selection.file)  # a note that is gone may come back
        selected = view.selection.file if keeps else next(iter(selectable(trace)), "")
        if trace.query == self._asked_for[0]:
            wanted, self._asked_for = self._asked_for[1], ("", "")
            selected = wanted if wanted in selectable(trace) else selected
        detail = answered.detail if answered.detail is not None and answered.detail.path == selected else None
        before = view.answer.trace
        known = view.answer.ticks if before is not None and before.engine == trace.engine else {}
        store.update(
            view.query._replace(text=trace.query),
            view.answer._replace(trace=trace, ticks={**known, **ticks_of(trace)}),
            SelectionState(selected, detail),
            CacheState(),
        )
        if detail is None:
            self._selection.explain_score()
        self._find_causes(trace)
        cache = trace.find(CacheLook)
        if cache is not None and (trace.ran or cache.entries):
            self._cache.look()
        self._probe_once_expired(trace)

    def _probe_once_expired(self, trace: Trace) -> None:
        """Has a probe that the cache answered asked again once the cache gives another answer; a run was given its."""
        if self._expiring is not None:
            self._expiring.stop()
        view = self._services.store.view
        lasts_s = view.presentation.lasts_s(trace)
        if lasts_s is not None and not trace.ran and not view.engine.frozen:
            self._expiring = self._services.set_timer(lasts_s + _MARGIN_S, partial(self._expired, trace))

    def _expired(self, trace: Trace) -> None:
        """Asks again where the cached answer is still shown."""
        if self._services.store.view.answered is trace:
            self.tree_changed()

    def _find_causes(self, trace: Trace) -> None:
        """Finds out why ``trace`` differs from the pinned answer, where the same was asked of the same engine."""
        pin, session, background = self._services.store.view.pin, self._project.session, self._services.background
        background.cancel("causes")
        if pin.trace is None or pin.trace is trace or session is None:
            return
        asked = [(one.engine, one.query, one.scope_option, one.options) for one in (pin.trace, trace)]
        if asked[0] != asked[1] or answering.has_services(session):  # which must not be asked only for this
            self._services.store.update(PinState(pin.trace))
            return
        find = partial(answering.causes, session, pin.trace)
        background.run(find, partial(self._causes_found, trace), group="causes", exclusive=True)

    def _causes_found(self, trace: Trace, diff: AnswerDiff | None) -> None:
        store = self._services.store
        if diff is not None and store.view.pin.trace is diff.then and store.view.answered is trace:
            store.update(PinState(diff.then, diff))

    def _failed(self, request: QueryRequest | None, why: str) -> None:
        """Says why a request broke down, and begins the next one."""
        self._services.notify(why, severity="error", timeout=10)
        if request is not None:
            self.prober.failed(request.number)
        else:
            store = self._services.store
            store.update(store.view.answer._replace(serving=False))

    def refused(self, refused: EngineUnusable) -> None:
        """Says why the engine cannot be asked as it is set; the default one answers instead.

        A refusal of an older request, or by an engine that was chosen before, changes nothing.
        """
        request, chosen = refused.request, self._services.store.view.engine.name
        if refused.engine != chosen or (request is not None and request.number != self.prober.newest):
            return
        instead = f"; {DEFAULT} answers" if chosen != DEFAULT else ""
        self._services.notify(f"{refused.why}{instead}", severity="error", timeout=10)
        if chosen != DEFAULT:
            self.use(DEFAULT)

    # choosing

    def use(self, engine: str) -> None:
        """Asks ``engine`` the same query, in its first mode; selects its first result."""
        session, store = self._project.session, self._services.store
        assert session is not None
        mode = next(iter(session.engines.named(engine).modes), "")
        self._services.background.cancel("serve")
        self._cancel_model()
        selected = "" if self.typed.strip() else store.view.selection.file  # without a query, the same note
        store.update(
            store.view.engine._replace(name=engine, mode=mode, profile=session.engines.profile(engine)),
            store.view.answer._replace(trace=None, preparing="", serving=False),
            SelectionState(selected),
            CacheState(),
        )
        self.ask_again()
