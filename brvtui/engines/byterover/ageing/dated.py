"""What time brings to a note, as every engine with forecasts says it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from brvtui.engines.byterover.ageing.board import Board
from brvtui.engines.byterover.ageing.forecast import Forecast, UpcomingEvent
from brvtui.engines.byterover.ageing.words import HAPPENS, key_of
from brvtui.engines.byterover.context import Context
from brvtui.trace import DatedEvent, DocumentForecast, Part


def forecast_of(context: Context, day: float) -> Forecast:
    """The forecast of all notes of ``context``, ``day`` days on."""
    return Forecast(Board(context.snapshot, context.constants, context.now_ms), day)


def note_forecast(forecast: Forecast, path: str) -> DocumentForecast | None:
    """What time does to the note at ``path``; None for a file that is not searched."""
    board = forecast.board
    position = board.snapshot.by_path.get(path)
    if position is None:
        return None
    ceiling = float(board.today.ceiling[position])
    reach = board.profile.score.cap
    lack = Part("signals and age", ceiling - reach)
    return DocumentForecast(
        ceiling=reach + lack.value,
        reach=reach,
        lacks=(lack,) if lack.value else (),
        ceiling_then=float(forecast.then.ceiling[position]),
        events=tuple(_dated(coming, board.now_ms) for coming in forecast.coming(position)),
    )


def _dated(coming: UpcomingEvent, now_ms: float) -> DatedEvent:
    return DatedEvent(
        key_of(coming.event), coming.days, _date(now_ms, coming.days) if coming.days else "", HAPPENS[coming.event]
    )


def _date(now_ms: float, days: float) -> str:
    try:
        return (datetime.fromtimestamp(now_ms / 1000, UTC) + timedelta(days=days)).date().isoformat()
    except (OverflowError, OSError, ValueError):  # beyond what a calendar holds
        return ""
