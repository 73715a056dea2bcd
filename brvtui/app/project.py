"""An app with one open project: session, view, and the workers that ask the engine. Screens are shown the view."""

from __future__ import annotations

import gc
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.timer import Timer
from textual.worker import Worker, WorkerState, get_current_worker

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.configured import ConfiguredApp
from brvtui.app.overview import Surveyor
from brvtui.app.paint.text import seconds
from brvtui.app.parts.hearing import Hearing, News
from brvtui.app.parts.shown import Shown
from brvtui.app.parts.threads import Threads
from brvtui.app.prober import PAUSE_S, Prober
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.screens.why import why_screen
from brvtui.app.view import Phase, TakesShown, View, constants_of, selectable
from brvtui.saved import is_saved
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.config import Configuration
    from brvtui.session import Session

_COLLECTIONS = (10_000, 5, 20)
"""How many new objects lead to a collection of these (Python's 700), and how many of those to one of older ones."""
CATCHING_UP_S = 0.25
"""Reading what changed is said to go on when it takes longer."""
PROFILES = ("brv-3", "docs", "combined")


@dataclass(frozen=True, slots=True)
class Opening:
    """What to open, as the command line said it."""

    start: Path | None = None
    profile: str | None = None
    now_ms: float | None = None
    signals_file: Path | None = None


class ProjectApp(ConfiguredApp):
    """Holds the one :class:`View`; every call of the engine runs in a thread and comes back as a message."""

    def __init__(self, opening: Opening) -> None:
        """An app that will open what ``opening`` says once it is painted."""
        super().__init__()
        self.opening = opening
        self.session: Session | None = None
        self.shown = Shown(View(frozen=opening.now_ms is not None), self._draw)
        self.hearing = Hearing()
        self.threads = Threads(self)
        self.typed = ""
        """What stands in the query's field."""
        self.surveyor = Surveyor()
        self.prober = Prober(self._begin, self._pause)
        self.answering: Worker[None] | None = None
        """Answers the newest request that was begun."""
        self._pausing: Timer | None = None
        self._following = False
        self._changed_again = False
        self._late: Timer | None = None
        self._text_asked: tuple[str, object] = ("", None)

    @property
    def frame(self) -> FrameScreen | None:
        """The screen in front, below any modal; None while there is none yet."""
        first = self.screen_stack[0] if self.screen_stack else None
        return first if isinstance(first, FrameScreen) else None

    @property
    def shown_generation(self) -> int:
        """Of the snapshot that the screens show; 0 before the first."""
        return self.view.overview.generation if self.view.overview is not None else 0

    @property
    def view(self) -> View:
        """What is shown."""
        return self.shown.view

    def show(self, **changes: object) -> None:
        """Changes the view and shows it."""
        self.shown.show(**changes)

    def _draw(self, view: View) -> None:
        if self.frame is not None:
            self.frame.show(view)

    @on(News)
    async def _news(self, event: News) -> None:
        await self.hearing.tell(event)

    def adopt(self, configuration: Configuration) -> None:
        """Puts the settings ``configuration`` into effect, as far as they differ from those so far."""
        records = self.configuration.settings.recording
        super().adopt(configuration)
        session = self.session
        if session is not None and session.configuration is not configuration:
            session.configuration = configuration
            if configuration.settings.recording != records:
                session.recording = configuration.settings.recording
        self.show(recording=session.recording if session is not None else False)

    def on_ready(self) -> None:
        """The project is opened only after the first paint."""
        self.screen.call_after_refresh(self.open_project)

    def on_unmount(self) -> None:
        """Keeps what was read, and ends watching."""
        if self.session is not None:
            with suppress(OSError):  # said when it was first tried
                self.session.keep(everything=True)
            self.session.close()

    # asking

    def put(self, query: str, run: bool = False) -> None:
        """Puts ``query`` to the engine, or shows the empty state when it is blank."""
        self.typed = query
        self._stop_trying()
        if not query.strip():
            self.prober.forget()
            kept = not self.view.query.strip() or self.view.knows(self.view.selected)
            selected = self.view.selected if kept else ""
            self.show(query="", trace=None, selected=selected, detail=None)
        elif self.session is not None and self.view.overview is not None:
            self.prober.ask(query, self.view.scope, run)

    def put_again(self) -> None:
        """Asks what was asked last, because something that it depends on has changed."""
        self.put(self.typed)

    def scope_to(self, folder: str) -> None:
        """Keeps queries to ``folder``; empty for the whole tree."""
        self.show(scope=folder)
        self.put_again()

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on every screen."""
        if file != self.view.selected:
            self.show(selected=file, detail=None)
            self._explain_score()

    def want_text(self, file: str) -> None:
        """Reads the text of ``file`` into the view, unless that is under way."""
        wanted = (file, self.view.overview)
        if self.session is not None and wanted != self._text_asked:
            self._text_asked = wanted
            self._fetch_note(self.session, file)

    def explain(self, file: str) -> None:
        """Finds out why ``file`` is, or is not, in the answer, and shows that in a modal."""
        if self.session is None or self.view.trace is None or not file:
            self.notify("type a query and select a note: w then says why it is, or is not, in the answer", timeout=4)
        else:
            self._fetch_explanation(self.session, self.view.trace, file)

    def want_takes(self) -> None:
        """Finds out what it would take that the query needs no model; again after all of it was said."""
        trace, shown = self.view.trace, self.view.takes
        if self.session is None or trace is None or not self.view.may_take_less:
            self.notify(
                "nothing to find: only a query that needs a model, or that nothing covers, can need less", timeout=4
            )
        elif shown is None or shown.trace is not trace or shown.found is not None:
            self.show(takes=TakesShown(trace))
            self._try_changes(self.session, trace)

    def _stop_trying(self) -> None:
        """Ends trying changes: they are of an answer that is about to be replaced."""
        self.workers.cancel_group(self, "takes")
        if self.view.takes is not None and self.view.takes.found is None:
            self.show(takes=None)

    def look_at_cache(self) -> None:
        """Looks at the simulated cache as it is now."""
        if self.session is not None and self.view.overview is not None and self.view.trace is not None:
            self._look_at_cache(self.session, self.view.trace.query)

    def clear_cache(self) -> None:
        """Empties the simulated cache."""
        if self.session is not None:
            self.session.clear_cache()
            self.notify("the simulated cache is empty", timeout=2)
            self.put_again()

    def action_profile(self) -> None:
        """Switches to the next built-in profile."""
        session = self.session
        if session is None or self.view.overview is None:
            return
        current = session.profile.name
        following = PROFILES[(PROFILES.index(current) + 1) % len(PROFILES)] if current in PROFILES else PROFILES[0]
        self._switch_profile(session, following)

    def action_record(self) -> None:
        """Turns recording of access hits on or off."""
        if self.session is not None:
            self.session.recording = not self.session.recording
            self.show(recording=self.session.recording)
            on_text = "runs now record access hits in brv-tui's own overlay (the engine's files stay untouched)"
            self.notify(on_text if self.view.recording else "access hits are no longer recorded")

    # news of queries

    @on(news.Traced)
    def _traced(self, event: news.Traced) -> None:
        if event.history is not None:
            self.show(history=tuple(event.history))
        if event.problem:
            self.notify(event.problem, severity="warning")
        if not self.prober.finished(event.number, event.took_ms):
            return
        trace = event.trace
        same = trace.query == self.view.query and trace.scope_option == self.view.scope
        files = selectable(trace)
        keeps = same and bool(self.view.selected)  # a note that is gone may come back
        selected = self.view.selected if keeps else next(iter(files), "")
        constants = {**self.view.constants, **constants_of(trace)}
        detail = event.detail if event.detail is not None and event.detail.path == selected else None
        self.show(query=trace.query, trace=trace, selected=selected, detail=detail, constants=constants, cache=None)
        if detail is None:
            self._explain_score()
        if trace.mode == "run" or trace.cache.entries:
            self.look_at_cache()

    def _explain_score(self) -> None:
        hit = self.view.hit
        if self.session is None or self.view.trace is None:
            return
        if self.view.selected and (hit is None or hit.text is not None):
            self._fetch_detail(self.session, self.view.trace, self.view.selected)

    @on(news.Detailed)
    def _detailed(self, event: news.Detailed) -> None:
        if event.trace is self.view.trace and event.detail.path == self.view.selected:
            self.show(detail=event.detail, own=event.own)

    @on(news.Explained)
    def _explained(self, event: news.Explained) -> None:
        if event.trace is self.view.trace:
            self.push_screen(why_screen(event.explanation))

    @on(news.TakesFound)
    def _takes_found(self, event: news.TakesFound) -> None:
        if event.trace is self.view.trace:
            self.show(takes=TakesShown(event.trace, event.takes))

    @on(news.CacheSeen)
    def _cache_seen(self, event: news.CacheSeen) -> None:
        trace = self.view.trace
        if trace is None or trace.query != event.query:
            return
        before, now = trace.cache, event.shown.look
        self.show(cache=event.shown)
        if (before.exact, before.fuzzy) != (now.exact, now.fuzzy) and trace.mode == "probe":
            self.put_again()

    @on(news.NoteRead)
    def _note_read(self, event: news.NoteRead) -> None:
        self._text_asked = ("", None)
        self.show(note=event.note)

    # news of the project

    @on(news.Opened)
    def _opened(self, event: news.Opened) -> None:
        self.session = event.session
        self.adopt(event.session.configuration)
        self.show(profile=event.session.profile.name, frozen=event.session.frozen, recording=event.session.recording)

    @on(news.Progressed)
    def _progressed(self, event: news.Progressed) -> None:
        if self.view.phase is Phase.LOADING:
            self.show(done=event.done, total=event.total)

    @on(news.Loaded)
    def _loaded(self, event: news.Loaded) -> None:
        first = self.view.overview is None
        self.show(phase=Phase.READY, problem="", overview=event.overview, note=None)
        if first:
            settle_memory()
            self.show(history=tuple(event.history))
            for notice in event.overview.notices:
                self.notify(notice, timeout=8)
        if not event.by_the_run:
            self.put_again()

    @on(news.Failed)
    def _failed(self, event: news.Failed) -> None:
        if self.view.overview is None:
            settle_memory()
            self.tell_problems()
            self.show(phase=Phase.FAILED, problem=event.what)
        else:
            self.notify(event.what, severity="error", timeout=10)

    @on(news.WatchBegun)
    def _watching(self, event: news.WatchBegun) -> None:
        self.show(watching=event.active, watch_why=event.why, poll_s=event.poll_s)
        if event.poll_s:
            often = f"so all files are looked at every {seconds(event.poll_s)}, or less often when there are many"
            self.notify(f"{event.why}; {often}", severity="warning", timeout=10)

    @on(news.Changed)
    def _changed(self) -> None:
        if self.session is not None:
            self.follow(self.session)

    @on(news.ProfileSwitched)
    def _switched(self, event: news.ProfileSwitched) -> None:
        self.show(profile=event.name, constants={})
        self.notify(f"profile {event.name}: {event.summary}", timeout=4)
        self.put_again()

    # workers

    @work(thread=True, group="load", exit_on_error=False)
    def open_project(self) -> None:
        """Opens the project and begins watching it; or opens a saved trace."""
        asked = self.opening
        if asked.start is not None and is_saved(asked.start):
            engine.reopen(asked.start, self.post_message)
            return
        given = (asked.start, asked.profile, asked.now_ms, asked.signals_file)
        session = engine.open_project(*given, self.surveyor, self.post_message)
        if session is not None:
            engine.watch(session, self.post_message)
            # What changed before watching began.
            engine.read_tree(session, self.surveyor, self.post_message, session.snapshot.generation)
            engine.keep(session, self.post_message)
            settle_memory()  # of what the next change is put into

    def follow(self, session: Session) -> None:
        """Reads what changed on disk: at once, or once more after the reading that is under way."""
        self._changed_again = self._following
        if not self._following:
            self._following = True
            self._late = self.set_timer(CATCHING_UP_S, lambda: self.show(catching_up=True))
            self._reload(session)

    @work(thread=True, group="load", exit_on_error=False)
    def _reload(self, session: Session) -> None:
        try:
            while True:
                self._changed_again = False
                engine.read_tree(session, self.surveyor, self.post_message, self.shown_generation)
                if not self._changed_again:
                    return
        finally:
            self._following = False

    @work(thread=True, group="load", exit_on_error=False)
    def _switch_profile(self, session: Session, name: str) -> None:
        engine.use_profile(session, name, self.surveyor, self.post_message)

    @work(thread=True, exclusive=True, group="probe", exit_on_error=False)
    def _answer(self, session: Session, asked: engine.Ask) -> None:
        engine.answer(session, asked, self.surveyor, self.post_message)

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False, description="detail")
    def _fetch_detail(self, session: Session, trace: Trace, file: str) -> None:
        engine.detail(session, trace, file, self.post_message)

    @work(thread=True, exclusive=True, group="explain", exit_on_error=False, description="explain")
    def _fetch_explanation(self, session: Session, trace: Trace, file: str) -> None:
        engine.explain(session, trace, file, self.post_message)

    @work(thread=True, exclusive=True, group="takes", exit_on_error=False, description="takes")
    def _try_changes(self, session: Session, trace: Trace) -> None:
        worker = get_current_worker()
        engine.takes(session, trace, self.post_message, lambda: worker.is_cancelled)

    @work(thread=True, exclusive=True, group="note", exit_on_error=False)
    def _fetch_note(self, session: Session, file: str) -> None:
        engine.note(session, file, self.post_message)

    @work(thread=True, exclusive=True, group="cache", exit_on_error=False)
    def _look_at_cache(self, session: Session, query: str) -> None:
        engine.cache(session, query, self.post_message)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that broke down is told of; the rest goes on."""
        self.threads.changed(event)
        if event.worker.name == "_reload" and event.worker.is_finished:
            self._caught_up()
        if event.state is WorkerState.ERROR:
            what = self.told_of(event.worker.error, event.worker.name)
            if event.worker.group == "load":
                self.post_message(news.Failed(what))
                return
            self.notify(what, severity="error", timeout=10)
            if event.worker is self.answering:
                self.prober.failed()

    def _caught_up(self) -> None:
        if self._late is not None and not self._following:
            self._late.stop()
            self._late = None
            if self.view.catching_up:
                self.show(catching_up=False)

    def _begin(self, asked: engine.Ask) -> None:
        if self.session is not None:
            self.answering = self._answer(self.session, asked)

    def _pause(self) -> None:
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self.set_timer(PAUSE_S, self.prober.go)


def settle_memory() -> None:
    """Sets what was made while starting apart from garbage collection, and turns that on, seldom and in small steps.

    A collection holds up the event loop: one of everything that ten thousand notes leave behind takes 60 ms.
    """
    if not gc.isenabled():
        gc.set_threshold(*_COLLECTIONS)
    if gc.get_threshold() == _COLLECTIONS:
        gc.freeze()
        gc.enable()
