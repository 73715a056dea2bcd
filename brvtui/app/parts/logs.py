"""The logs: read, asked again, and the engine followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Notifies, Posts, SwitchesModes
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.store import ViewStore
from brvtui.tree.engine_files.logged_query import LoggedQuery

if TYPE_CHECKING:
    from brvtui.session import Session

_READ = Job("log", exclusive=True)
_COMPARE = Job("log compare", exclusive=True)
_WATCH = Job("log watch")


class Host(Notifies, Posts, SwitchesModes, Protocol):
    """What the logs need of the app."""


class Logs:
    """Reads both logs when they are first looked at, and again whenever one grows."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: HasSession,
        store: ViewStore,
        fill: Callable[[str], None],
    ) -> None:
        """No log was looked at yet; ``fill`` puts a query into the Query screen's field."""
        self._fill = fill
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._begun = False
        hearing.hear(news.LogRead, self._was_read)
        hearing.hear(news.LogCompared, self._compared)
        hearing.hear(news.EngineAnswered, self._engine_answered)
        hearing.hear(news.Logged, self._logged)

    def read(self) -> None:
        """Reads both logs; from the first time on, the engine's is watched."""
        session = self._project.session
        if session is None:
            return
        self._read(session)
        if not self._begun:
            self._begun = True
            self._threads.start(_WATCH, engine.watch_log, session, self._host.post_message)

    def compare(self, entry: LoggedQuery) -> bool:
        """Asks a logged query again, on an empty cache, and shows what is different; False before notes are read."""
        session = self._project.session
        if session is None or self._store.view.project.overview is None:
            return False
        self._threads.start(_COMPARE, engine.compare_logged, session, entry, self._host.post_message)
        return True

    async def ask_again(self, entry: LoggedQuery) -> None:
        """Puts the query of ``entry`` into the Query screen."""
        await self._host.switch_mode("query")
        self._fill(entry.query)

    def follow_engine(self) -> None:
        """Explains each query that the engine logs from now on, or no more."""
        log = self._store.view.log
        if log.entries is None:
            return
        following = not log.following
        self._store.update(replace(log, following=following), replace(self._store.view.query, followed=None))
        text = "each query that the engine logs is explained on the Query screen, re-computed here"
        self._host.notify(text if following else "the engine is no longer followed", timeout=4)

    def _was_read(self, event: news.LogRead) -> None:
        log = self._store.view.log
        self._store.update(replace(log, entries=tuple(event.entries), summary=event.summary, problem=event.problem))

    def _compared(self, event: news.LogCompared) -> None:
        self._store.update(replace(self._store.view.log, compared=event.compared))

    def _engine_answered(self, event: news.EngineAnswered) -> None:
        if self._project.session is not None:
            self._read(self._project.session)
        if self._store.view.log.following and event.entries:
            newest = event.entries[-1]
            self._store.update(replace(self._store.view.query, followed=newest))
            self._fill(newest.query)

    def _logged(self, event: news.Logged) -> None:
        if event.problem:
            self._host.notify(event.problem, severity="warning")
        if self._begun and self._project.session is not None:
            self._read(self._project.session)

    def _read(self, session: Session) -> None:
        self._threads.start(_READ, engine.read_log, session, self._host.post_message)
