"""The simulated cache: its pane, and the controller that reads and clears it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import AnswerState, CacheState, EngineState, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.engines.registry import presentation
from brvtui.paint.line import Line

if TYPE_CHECKING:
    from brvtui.paint.blocks import Titled
    from brvtui.trace.routing import CacheNow

# The Cache pane: the entries of the engine's cache with their remaining time.


SAVED = "as it was when the trace was saved"


class CachePane(Pane):
    """The cached entries with their tier, age, time left, fingerprint and similarity, and the current fingerprint."""

    TITLE = "Cache"
    READS = (QueryState, AnswerState, CacheState, EngineState, ProjectState)
    HELP_TEXT = (
        "This pane simulates the engine's cache, as if it had received the queries that you ran here; the engine "
        "keeps the real cache in its own process. An entry answers the same query at tier 0 and a similar one at tier "
        "1, as long as it is fresh and the tree's fingerprint (a digest of its files) is unchanged. Below a stale "
        "entry are the changes since then. The engine checks the tree only now and then (cache.fingerprint_seconds, "
        "limits.index_seconds), and may give an old answer until it does. Press {cache.clear} to clear the cache; "
        "switching to another profile also clears it."
    )

    def heading(self, view: View) -> str:
        """Returns the title with the number of entries."""
        if view.opening:
            return self.TITLE
        return self._cache(view, self.content_size.width).title

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the engine's description of its cache, as lines."""
        if view.opening:
            return []
        from brvtui.paint.blocks import lines_of

        lines = lines_of(self._cache(view, width).blocks, width, self.glyphs)
        is_as_saved = bool(view.project.saved) and view.presentation.caches
        return [*wrapped(SAVED, width), *lines] if is_as_saved else lines

    def _cache(self, view: View, width: int) -> Titled:
        return view.presentation.cache(view.answer.trace, view.cache.seen, width, self.glyphs)


class Cache:
    """Reads the simulated cache that a run would use, and clears it."""

    def __init__(self, services: AppServices, project: Project, ask_again: Callable[[], None]) -> None:
        """Creates a controller. ``ask_again`` repeats the query when a change of the cache may change its answer."""
        self._services = services
        self._project = project
        self._ask_again = ask_again

    def look(self) -> None:
        """Reads the current state of the simulated cache in a worker."""
        session, view = self._project.session, self._services.store.view
        trace, is_read = view.answer.trace, view.project.overview is not None
        if session is not None and is_read and view.presentation.caches:
            query = trace.query if trace is not None else ""
            look = partial(session.cache_now, query, view.engine.name)
            self._services.background.run(look, partial(self._seen, query), group="cache", exclusive=True)

    def clear(self) -> None:
        """Clears the simulated cache and repeats the query."""
        session, shown = self._project.session, presentation(self._services.store.view.engine.name)
        if session is not None and not shown.caches:
            self._services.notify(f"{shown.title} has no cache: there is nothing to clear", timeout=4)
        elif session is not None:
            session.engines.clear_caches()
            self._services.notify("the simulated cache is empty", timeout=2)
            self._ask_again()

    def _seen(self, query: str, seen: CacheNow) -> None:
        from brvtui.trace.routing import CacheLook

        trace = self._services.store.view.answer.trace
        before = trace.find(CacheLook) if trace is not None else None
        if (trace.query if trace is not None else "") != query or (trace is not None and before is None):
            return  # the query has changed, or its engine has no cache
        self._services.store.update(CacheState(seen))
        if trace is None or before is None:
            return
        now = seen.look
        if (before.exact, before.fuzzy) != (now.exact, now.fuzzy) and not trace.ran:
            self._ask_again()
