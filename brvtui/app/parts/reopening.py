"""A trace that was saved, shown again where its project is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.app import messages as news
from brvtui.app.memory import settle_memory
from brvtui.app.parts.hearing import Hearing
from brvtui.app.states import AnswerState, Phase
from brvtui.app.store import ViewStore
from brvtui.app.view import selectable
from brvtui.paint.score import ticks_of

if TYPE_CHECKING:
    from brvtui.saved.traces import Saved


class Reopening:
    """Shows a saved trace as it was."""

    def __init__(
        self,
        hearing: Hearing,
        store: ViewStore,
        hold: Callable[[Saved], None],
        type_query: Callable[[str], None],
        select: Callable[[str], None],
    ) -> None:
        """``hold`` has a saved trace in place of a project, ``type_query`` a query as the one that was typed."""
        self._store = store
        self._hold = hold
        self._type_query = type_query
        self._select = select
        hearing.hear(news.Reopened, self._reopened)

    def _reopened(self, event: news.Reopened) -> None:
        settle_memory()
        saved, trace = event.saved, event.trace
        self._hold(saved)
        self._type_query(trace.query)
        moment = f" at {saved.saved_at}" if saved.saved_at else ""
        view = self._store.view
        by = f"saved by {saved.saved_by or 'brv-tui'}{moment}"
        self._store.update(
            replace(view.project, phase=Phase.READY, problem="", overview=event.overview, saved=by),
            replace(view.engine, name=trace.engine, profile=trace.profile, frozen=True),
            replace(view.query, text=trace.query, scope=trace.scope_option),
            AnswerState(trace=trace, ticks=ticks_of(trace)),
        )
        self._select(next(iter(selectable(trace)), ""))
