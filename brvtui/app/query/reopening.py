"""A trace that was saved, shown again where its project is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.app.services import AppServices
from brvtui.app.states import AnswerState, Overview, Phase
from brvtui.app.view import selectable
from brvtui.paint.score import ticks_of

if TYPE_CHECKING:
    from brvtui.saved.traces import SavedTrace


def show_saved(services: AppServices, saved: SavedTrace, overview: Overview) -> None:
    """Shows a saved trace as it was."""
    trace, store = saved.trace, services.store
    moment = f" at {saved.saved_at}" if saved.saved_at else ""
    by = f"saved by {saved.saved_by or 'brv-tui'}{moment}"
    store.update(
        replace(store.view.project, phase=Phase.READY, problem="", overview=overview, saved=by),
        replace(store.view.engine, name=trace.engine, profile=trace.profile, frozen=True),
        replace(store.view.query, text=trace.query, scope=trace.scope_option),
        AnswerState(trace=trace, ticks=ticks_of(trace)),
    )
    services.select(next(iter(selectable(trace)), ""))
