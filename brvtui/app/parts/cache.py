"""The simulated cache: looked at, and emptied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Notifies, Posts
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.store import ViewStore
from brvtui.engines.byterover.sections import CacheLook

_LOOK = Job("cache", exclusive=True)


class Host(Notifies, Posts, Protocol):
    """What the cache needs of the app."""


class Cache:
    """Looks at the cache that a run would find."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: HasSession,
        store: ViewStore,
        put_again: Callable[[], None],
    ) -> None:
        """``put_again`` asks the query anew when the cache would answer otherwise."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._put_again = put_again
        hearing.hear(news.CacheSeen, self._seen)

    def look(self) -> None:
        """Looks at the simulated cache as it is now."""
        session, view = self._project.session, self._store.view
        if session is not None and view.project.overview is not None and view.answer.trace is not None:
            self._threads.start(_LOOK, engine.cache, session, view.answer.trace.query, self._host.post_message)

    def clear(self) -> None:
        """Empties the simulated cache."""
        session = self._project.session
        if session is not None:
            session.clear_cache()
            self._host.notify("the simulated cache is empty", timeout=2)
            self._put_again()

    def _seen(self, event: news.CacheSeen) -> None:
        trace = self._store.view.answer.trace
        if trace is None or trace.query != event.query:
            return
        before, now = trace.section(CacheLook), event.shown.look
        self._store.update(replace(self._store.view.cache, seen=event.shown))
        if (before.exact, before.fuzzy) != (now.exact, now.fuzzy) and trace.mode == "probe":
            self._put_again()
