"""Cache: the answers that the engine keeps, counting down."""

from __future__ import annotations

from brvtui.app.states import AnswerState, CacheState, EngineState, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line

_SAVED = "as it was when the trace was saved"


class CachePane(Pane):
    """Entries with tier, age, time left, fingerprint and similarity to the query; the fingerprint that is held."""

    TITLE = "Cache"
    READS = (QueryState, AnswerState, CacheState, EngineState, ProjectState)
    HELP_TEXT = (
        "What the router's cache would hold if the queries that you ran here had gone to the engine. It is a "
        "simulation: the engine keeps its cache in its own process. An entry answers the same query at tier 0 and a "
        "similar one at tier 1, while it is fresh and the tree's fingerprint is the same. Below a stale entry stands "
        "what changed since. The engine looks at the tree only now and then (cache.fingerprint_seconds, "
        "limits.index_seconds); until it does, it may give an old answer. {cache.clear} empties the cache, and so "
        "does another profile."
    )

    def heading(self, view: View) -> str:
        """Returns the title: how full the cache is."""
        if view.opening:
            return self.TITLE
        return view.presentation.cache_title(view.answer.trace, view.cache.seen, self.content_size.width)

    def build(self, view: View, width: int) -> list[Line]:
        """The engine's own account of it."""
        if view.opening:
            return []
        lines = view.presentation.cache(view.answer.trace, view.cache.seen, width, self.glyphs)
        is_as_saved = bool(view.project.saved) and view.presentation.caches
        return [*wrapped(_SAVED, width), *lines] if is_as_saved else lines
