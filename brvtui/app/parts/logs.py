"""The logs: read, asked again, and the engine followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Notifies, Posts, SwitchesModes
from brvtui.app.parts.shown import Shown
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.view import LogShown
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
        shown: Shown,
        fill: Callable[[str], None],
    ) -> None:
        """No log was looked at yet; ``fill`` puts a query into the Query screen's field."""
        self._fill = fill
        self._host = host
        self._threads = threads
        self._project = project
        self._shown = shown
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
        if session is None or self._shown.view.overview is None:
            return False
        self._threads.start(_COMPARE, engine.compare_logged, session, entry, self._host.post_message)
        return True

    async def ask_again(self, entry: LoggedQuery) -> None:
        """Puts the query of ``entry`` into the Query screen."""
        await self._host.switch_mode("query")
        self._fill(entry.query)

    def follow_engine(self) -> None:
        """Explains each query that the engine logs from now on, or no more."""
        log = self._shown.view.log
        if log is None:
            return
        following = not log.following
        self._shown.show(log=replace(log, following=following), followed=None)
        text = "each query that the engine logs is explained on the Query screen, re-computed here"
        self._host.notify(text if following else "the engine is no longer followed", timeout=4)

    def _was_read(self, event: news.LogRead) -> None:
        known = self._shown.view.log
        made = LogShown(tuple(event.entries), event.summary, event.problem)
        self._shown.show(log=replace(made, following=known.following, compared=known.compared) if known else made)

    def _compared(self, event: news.LogCompared) -> None:
        log = self._shown.view.log
        if log is not None:
            self._shown.show(log=replace(log, compared=event.compared))

    def _engine_answered(self, event: news.EngineAnswered) -> None:
        if self._project.session is not None:
            self._read(self._project.session)
        log = self._shown.view.log
        if log is not None and log.following and event.entries:
            newest = event.entries[-1]
            self._shown.show(followed=newest)
            self._fill(newest.query)

    def _logged(self, event: news.Logged) -> None:
        if event.problem:
            self._host.notify(event.problem, severity="warning")
        if self._begun and self._project.session is not None:
            self._read(self._project.session)

    def _read(self, session: Session) -> None:
        self._threads.start(_READ, engine.read_log, session, self._host.post_message)
