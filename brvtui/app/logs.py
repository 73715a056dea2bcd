"""The part of the app that reads the logs, asks logged queries again, and follows the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.screens.query import QueryScreen
from brvtui.app.sharing import SharingApp
from brvtui.app.view import LogShown
from brvtui.tree.logged_query import LoggedQuery

if TYPE_CHECKING:
    from brvtui.session import Session


class LogApp(SharingApp):
    """Reads both logs when they are first looked at, and again whenever one grows."""

    _log_begun = False

    def read_log(self) -> None:
        """Reads both logs; from the first time on, the engine's is watched."""
        if self.session is None:
            return
        self._read_log(self.session)
        if not self._log_begun:
            self._log_begun = True
            self._watch_log(self.session)

    def compare_logged(self, entry: LoggedQuery) -> None:
        """Asks a logged query again, on an empty cache, and shows what is different."""
        if self.session is not None and self.view.overview is not None:
            self._compare_logged(self.session, entry)

    async def ask_again(self, entry: LoggedQuery) -> None:
        """Puts the query of ``entry`` into the Query screen."""
        await self.switch_mode("query")
        self._fill(entry.query)

    def _fill(self, query: str) -> None:
        screen = self.get_screen_stack("query")[0]
        if isinstance(screen, QueryScreen):
            screen.field.value = query
            screen.field.cursor_position = len(query)

    def follow_engine(self) -> None:
        """Explains each query that the engine logs from now on, or no more."""
        if self.view.log is None:
            return
        following = not self.view.log.following
        self.show(log=replace(self.view.log, following=following), followed=None)
        text = "each query that the engine logs is explained on the Query screen, re-computed here"
        self.notify(text if following else "the engine is no longer followed", timeout=4)

    @on(news.LogRead)
    def _log_read(self, event: news.LogRead) -> None:
        known = self.view.log
        made = LogShown(tuple(event.entries), event.summary, event.problem)
        self.show(log=replace(made, following=known.following, compared=known.compared) if known else made)

    @on(news.LogCompared)
    def _log_compared(self, event: news.LogCompared) -> None:
        if self.view.log is not None:
            self.show(log=replace(self.view.log, compared=event.compared))

    @on(news.EngineAnswered)
    def _engine_answered(self, event: news.EngineAnswered) -> None:
        if self.session is not None:
            self._read_log(self.session)
        if self.view.log is not None and self.view.log.following and event.entries:
            newest = event.entries[-1]
            self.show(followed=newest)
            self._fill(newest.query)

    @on(news.Logged)
    def _logged(self, event: news.Logged) -> None:
        if event.problem:
            self.notify(event.problem, severity="warning")
        if self._log_begun and self.session is not None:
            self._read_log(self.session)

    @work(thread=True, exclusive=True, group="log", exit_on_error=False)
    def _read_log(self, session: Session) -> None:
        engine.read_log(session, self.post_message)

    @work(thread=True, exclusive=True, group="log compare", exit_on_error=False)
    def _compare_logged(self, session: Session, entry: LoggedQuery) -> None:
        engine.compare_logged(session, entry, self.post_message)

    @work(thread=True, group="log watch", exit_on_error=False)
    def _watch_log(self, session: Session) -> None:
        engine.watch_log(session, self.post_message)
