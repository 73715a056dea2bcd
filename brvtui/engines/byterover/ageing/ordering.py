"""The notes of a forecast by maturity, each maturity in one of several orders."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover.ageing.board import Board, Event, Floats
from brvtui.engines.byterover.ageing.forecast import Forecast
from brvtui.ranking.maturity import LEVELS

Positions = NDArray[np.int64]


class BoardOrder(StrEnum):
    """What the notes are sorted by: the greatest first, but for events, promotions and titles."""

    IMPORTANCE = "importance"
    EVENT = "next event"
    PROMOTION = "promotion"
    CEILING = "ceiling"
    RECENCY = "recency"
    ACCESSES = "access hits"
    UPDATES = "updates"
    TITLE = "title"


def columns(forecast: Forecast, order: BoardOrder, only: Event | None = None) -> tuple[Positions, ...]:
    """Positions in the snapshot for each of :data:`brvtui.ranking.maturity.LEVELS`, sorted; equal ones by path.

    ``only`` keeps the notes to which that event has come by the day of the forecast.
    """
    board = forecast.board
    ranked = np.lexsort((board.path_ranks, _keys(forecast, order)))
    if only is not None:
        ranked = ranked[forecast.then.has_come[only][ranked]]
    levels = board.snapshot.columns.maturity[ranked]
    return tuple(ranked[levels == level] for level in range(len(LEVELS)))


def _keys(forecast: Forecast, order: BoardOrder) -> Floats:
    """What is sorted by, ascending."""
    board, then = forecast.board, forecast.then
    if order is BoardOrder.EVENT:
        return soonest(board)
    if order is BoardOrder.PROMOTION:
        return board.hits_to_promotion
    if order is BoardOrder.TITLE:
        return board.title_ranks.astype(np.float64)
    if order is BoardOrder.ACCESSES or order is BoardOrder.UPDATES:
        signals = board.snapshot.signals
        hits = [entry.access_count if order is BoardOrder.ACCESSES else entry.update_count for entry in signals]
        return -np.asarray(hits, dtype=np.float64)
    values = {
        BoardOrder.IMPORTANCE: then.importance,
        BoardOrder.CEILING: then.ceiling,
        BoardOrder.RECENCY: then.recency,
    }
    return -values[order]


def soonest(board: Board) -> Floats:
    """Days until the next event that has not come yet; infinite where none is left."""
    ahead = [np.where(days > 0, days, np.inf) for days in board.days_until.values()]
    return np.asarray(np.minimum.reduce(ahead), dtype=np.float64)
