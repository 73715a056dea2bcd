"""A screen with an engine behind it: every call of the engine runs in a thread and comes back as a message."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from textual import work
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerState

from brvtui.app import engine
from brvtui.app.messages import Failed
from brvtui.app.prober import PAUSE_S, Prober
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.app.app import Opening
    from brvtui.session import Session


class AskingScreen(Screen[None]):
    """Owns the session once it is open, and the order in which queries are put to it."""

    def __init__(self, opening: Opening) -> None:
        """A screen that will open what ``opening`` says once it is painted."""
        super().__init__()
        self.opening = opening
        self.session: Session | None = None
        self.prober = Prober(self._begin, self._pause)
        self._pausing: Timer | None = None
        self._following = False
        self._changed_again = False

    def on_mount(self) -> None:
        """The project is opened only after the first paint."""
        self.call_after_refresh(self.open_project)

    def on_unmount(self) -> None:
        """Ends watching."""
        if self.session is not None:
            self.session.close()

    @work(thread=True, group="load", exit_on_error=False)
    def open_project(self) -> None:
        """Opens the project and begins watching it."""
        asked = self.opening
        session = engine.open_project(asked.start, asked.profile, asked.now_ms, asked.signals_file, self.post_message)
        if session is not None:
            engine.watch(session, self.post_message)
            engine.read_tree(session, self.post_message)  # what changed before watching began

    def follow(self, session: Session) -> None:
        """Reads what changed on disk: at once, or once more after the reading that is under way."""
        self._changed_again = self._following
        if not self._following:
            self._following = True
            self._reload(session)

    @work(thread=True, group="load", exit_on_error=False)
    def _reload(self, session: Session) -> None:
        try:
            while True:
                self._changed_again = False
                engine.read_tree(session, self.post_message)
                if not self._changed_again:
                    return
        finally:
            self._following = False

    @work(thread=True, group="load", exit_on_error=False)
    def switch_profile(self, session: Session, name: str) -> None:
        """Reads the tree with the constants of another profile."""
        engine.use_profile(session, name, self.post_message)

    @work(thread=True, exclusive=True, group="probe", exit_on_error=False)
    def ask(self, session: Session, asked: engine.Ask) -> None:
        """Probes or runs."""
        engine.answer(session, asked, self.post_message)

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def fetch_detail(self, session: Session, trace: Trace, file: str) -> None:
        """Works out the term × field detail of one note."""
        engine.detail(session, trace, file, self.post_message)

    @work(thread=True, exclusive=True, group="explain", exit_on_error=False)
    def fetch_explanation(self, session: Session, trace: Trace, file: str) -> None:
        """Finds out why a note is, or is not, in the answer, and what would bring it in."""
        engine.explain(session, trace, file, self.post_message)

    @work(thread=True, exclusive=True, group="note", exit_on_error=False)
    def fetch_note(self, session: Session, file: str) -> None:
        """Reads the text of one note."""
        engine.note(session, file, self.post_message)

    @work(thread=True, exclusive=True, group="cache", exit_on_error=False)
    def look_at_cache(self, session: Session, query: str) -> None:
        """Looks at the simulated cache as it is now."""
        engine.cache(session, query, self.post_message)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that broke down is told of; the rest goes on."""
        if event.state is WorkerState.ERROR:
            error = event.worker.error
            what = f"{event.worker.name} failed: {error!r}"
            if event.worker.group == "load":
                self.post_message(Failed(what))
                return
            self.notify(what, severity="error", timeout=10, markup=False)
            if event.worker.group == "probe":
                self.prober.failed()

    def _begin(self, asked: engine.Ask) -> None:
        if self.session is not None:
            self.ask(self.session, asked)

    def _pause(self) -> None:
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self.set_timer(PAUSE_S, self.prober.go)


def settle_memory() -> None:
    """Sets what was made while starting apart from garbage collection, and turns that on."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
