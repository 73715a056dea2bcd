"""A trace that was saved, shown again where its project is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from brvtui.app import messages as news
from brvtui.app.memory import settle_memory
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.shown import Shown
from brvtui.app.view import AnyTrace, Phase, constants_of, selectable
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.saved.traces import Saved


class Reopening:
    """Shows a saved trace as it was."""

    def __init__(
        self,
        hearing: Hearing,
        shown: Shown,
        hold: Callable[[Saved], None],
        type_query: Callable[[str], None],
        select: Callable[[str], None],
    ) -> None:
        """``hold`` has a saved trace in place of a project, ``type_query`` a query as the one that was typed."""
        self._shown = shown
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
        self._shown.show(
            phase=Phase.READY, problem="", overview=event.overview, profile=trace.profile, frozen=True,
            saved=f"saved by {saved.saved_by or 'brv-tui'}{moment}", query=trace.query, **_answer(trace),
        )  # fmt: skip
        self._select(next(iter(selectable(trace)), ""))


def _answer(trace: AnyTrace) -> dict[str, object]:
    """What of the view is made of ``trace``."""
    match trace:
        case Trace():
            return {"trace": trace, "scope": trace.scope_option, "constants": constants_of(trace)}
        case HybridTrace():
            return {"foreign": trace, "pipeline": trace.pipeline, "mode": trace.requested_mode.value}
