"""The simulated cache: looked at, and emptied."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import CacheState
from brvtui.engines.registry import presentation

if TYPE_CHECKING:
    from brvtui.engines.byterover.route.tree_changes import CacheNow


class Cache:
    """Looks at the cache that a run would find."""

    def __init__(self, services: AppServices, project: Project, ask_again: Callable[[], None]) -> None:
        """``ask_again`` asks the query anew when the cache would answer otherwise."""
        self._services = services
        self._project = project
        self._ask_again = ask_again

    def look(self) -> None:
        """Looks at the simulated cache as it is now."""
        session, view = self._project.session, self._services.store.view
        if session is not None and view.project.overview is not None and view.answer.trace is not None:
            query = view.answer.trace.query
            look = partial(session.cache_now, query)
            self._services.background.run(look, partial(self._seen, query), group="cache", exclusive=True)

    def clear(self) -> None:
        """Empties the simulated cache."""
        session, shown = self._project.session, presentation(self._services.store.view.engine.name)
        if session is not None and not shown.caches:
            self._services.notify(f"{shown.title} keeps no answers: there is no cache to empty", timeout=4)
        elif session is not None:
            session.clear_cache()
            self._services.notify("the simulated cache is empty", timeout=2)
            self._ask_again()

    def _seen(self, query: str, seen: CacheNow) -> None:
        from brvtui.engines.byterover.sections import CacheLook

        trace = self._services.store.view.answer.trace
        before = trace.find(CacheLook) if trace is not None and trace.query == query else None
        if trace is None or before is None:
            return  # of another query by now, or answered by an engine without a cache
        self._services.store.update(CacheState(seen))
        now = seen.look
        if (before.exact, before.fuzzy) != (now.exact, now.fuzzy) and not trace.ran:
            self._ask_again()
