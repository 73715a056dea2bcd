"""What is open: a project, which is read and followed, or a saved trace in its place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from textual.timer import Timer

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.memory import settle_memory
from brvtui.app.overview import Surveyor
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import Notifies, Posts, Times
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.states import Phase
from brvtui.app.store import ViewStore
from brvtui.paint.text import seconds
from brvtui.saved import is_saved

if TYPE_CHECKING:
    from brvtui.config import Configuration
    from brvtui.saved.traces import Saved
    from brvtui.session import Session

CATCHING_UP_S = 0.25
"""Reading what changed is said to go on when it takes longer."""
_NOT_HERE = "a saved trace: its project is not open, so there is nothing to ask"


@dataclass(frozen=True, slots=True)
class Opening:
    """What to open, as the command line said it."""

    start: Path | None = None
    profile: str | None = None
    now_ms: float | None = None
    signals_file: Path | None = None


class Host(Notifies, Posts, Times, Protocol):
    """What a project needs of the app."""

    def adopt(self, configuration: Configuration) -> None:
        """Puts settings into effect."""

    def tell_problems(self) -> None:
        """Says what is wrong with the settings."""


class Project:
    """Opens what is asked for, and reads what changes on disk; every call of the engine runs in a thread."""

    def __init__(
        self,
        opening: Opening,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        store: ViewStore,
        tree_changed: Callable[[], None],
    ) -> None:
        """Nothing is open yet; ``tree_changed`` is called when another state of the tree is shown."""
        self._opening = opening
        self._host = host
        self._threads = threads
        self._store = store
        self._tree_changed = tree_changed
        self.session: Session | None = None
        """None while no project is open."""
        self.saved: Saved | None = None
        """None while no saved trace is shown."""
        self.surveyor = Surveyor()
        self._following = False
        self._changed_again = False
        self._late: Timer | None = None
        self.load = Job("load", tell=lambda what: host.post_message(news.Failed(what)))
        """Reading the tree; when that breaks down, it counts as a tree that cannot be read."""
        self._reload = Job("load", ended=self._caught_up, tell=self.load.tell)
        hearing.hear(news.Opened, self._opened)
        hearing.hear(news.Progressed, self._progressed)
        hearing.hear(news.Loaded, self._loaded)
        hearing.hear(news.Failed, self._failed)
        hearing.hear(news.WatchBegun, self._watching)
        hearing.hear(news.Changed, self._changed)

    def refuses(self) -> bool:
        """Whether a saved trace is shown in place of a project; then it is said that there is nothing to ask."""
        if self.saved is not None:
            self._host.notify(_NOT_HERE, timeout=4)
        return self.saved is not None

    def hold(self, saved: Saved) -> None:
        """Has ``saved`` in place of a project."""
        self.saved = saved

    def open(self) -> None:
        """Opens the project and begins watching it; or opens a saved trace."""
        self._threads.start(self.load, self._open)

    def close(self) -> None:
        """Keeps what was read, and ends watching."""
        self._changed_again = False
        if self.session is not None:
            with suppress(OSError):  # said when it was first tried
                self.session.keep(everything=True)
            self.session.close()

    def follow(self) -> None:
        """Reads what changed on disk: at once, or once more after the reading that is under way."""
        if self.session is None:
            return
        if self._following:
            self._changed_again = True
            return
        self._following = True
        self._late = self._host.set_timer(
            CATCHING_UP_S, lambda: self._store.update(replace(self._store.view.watch, catching_up=True))
        )
        self._read_again(self.session)

    def _read_again(self, session: Session) -> None:
        self._changed_again = False
        self._threads.start(self._reload, self.read_tree, session)

    def read_tree(self, session: Session) -> None:
        """Reads what changed on disk, now. It blocks."""
        engine.read_tree(session, self.surveyor, self._host.post_message, self._store.view.project.generation)

    # in threads

    def _open(self) -> None:
        asked, post = self._opening, self._host.post_message
        if asked.start is not None and is_saved(asked.start):
            engine.reopen(asked.start, post)
            return
        given = (asked.start, asked.profile, asked.now_ms, asked.signals_file)
        session = engine.open_project(*given, self.surveyor, post)
        if session is not None:
            engine.watch(session, post)
            # What changed before watching began.
            engine.read_tree(session, self.surveyor, post, session.snapshot.generation)
            engine.keep(session, post)
            settle_memory()  # of what the next change is put into

    # news

    def _caught_up(self) -> None:
        """What is under way is known in the app's thread alone: what changes meanwhile is not missed."""
        if self._changed_again and self.session is not None:
            self._read_again(self.session)
            return
        self._following = False
        if self._late is not None:
            self._late.stop()
            self._late = None
        if self._store.view.watch.catching_up:
            self._store.update(replace(self._store.view.watch, catching_up=False))

    def _opened(self, event: news.Opened) -> None:
        session = self.session = event.session
        self._host.adopt(session.configuration)
        self._store.update(
            replace(
                self._store.view.engine,
                profile=session.profile.name,
                frozen=session.frozen,
                recording=session.recording,
            )
        )

    def _progressed(self, event: news.Progressed) -> None:
        if self._store.view.project.phase is Phase.LOADING:
            self._store.update(replace(self._store.view.project, done=event.done, total=event.total))

    def _loaded(self, event: news.Loaded) -> None:
        first = self._store.view.project.overview is None
        self._store.update(
            replace(self._store.view.project, phase=Phase.READY, problem="", overview=event.overview),
            replace(self._store.view.note, text=None),
        )
        if first:
            settle_memory()
            self._store.update(replace(self._store.view.query, history=tuple(event.history)))
            for notice in event.overview.notices:
                self._host.notify(notice, timeout=8)
        if not event.by_the_run:
            self._tree_changed()

    def _failed(self, event: news.Failed) -> None:
        if self._store.view.project.overview is None:
            settle_memory()
            self._host.tell_problems()
            self._store.update(replace(self._store.view.project, phase=Phase.FAILED, problem=event.what))
        else:
            self._host.notify(event.what, severity="error", timeout=10)

    def _watching(self, event: news.WatchBegun) -> None:
        self._store.update(replace(self._store.view.watch, active=event.active, why=event.why, poll_s=event.poll_s))
        if event.poll_s:
            often = f"so all files are looked at every {seconds(event.poll_s)}, or less often when there are many"
            self._host.notify(f"{event.why}; {often}", severity="warning", timeout=10)

    def _changed(self, _: news.Changed) -> None:
        self.follow()
