"""Measures the board, the forecast and the curves on a tree in this process.

    python -m benchmarks.maturity TREE [--rounds 9] [--now 2026-11-20T12:00:00Z]

``benchmarks.many_terms`` generates such a tree. Prints milliseconds: the median, and the lowest and the highest round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.rounds import Times, opened_tree
from benchmarks.timings import setting
from brvtui.engines.ageing.board import Board
from brvtui.engines.ageing.forecast import Forecast, calendar
from brvtui.session import Session

_SHOWN_ROWS = 50


def one_round(session: Session, day: float, timed: Callable[[str, Callable[[], object]], None]) -> None:
    """Runs everything once, on arrays that no earlier round has computed, and calls ``timed`` with each measured
    function.
    """
    snapshot = replace(session.snapshot)
    snapshot.warm()
    board = Board(snapshot, session.profile.ageing, session.clock())
    forecast = Forecast(board, day)
    path = snapshot.notes[len(board) // 2].path
    timed("board: every note today", lambda: (board.today, board.hits_to_promotion))
    timed("board: days until every event", lambda: board.days_until)
    timed(f"board: {_SHOWN_ROWS} rows", lambda: [board.row(place) for place in range(_SHOWN_ROWS)])
    timed("forecast: another day", lambda: (forecast.any_change, forecast.changed))
    timed("forecast: the year's calendar", lambda: calendar(board))
    timed("curve of a note, a year", lambda: session.ageing.curve(path, board=board))


def main() -> None:
    """Reads the arguments and prints the table."""
    _, session, rounds = opened_tree(__doc__ or "", 9)
    print(f"{len(session.snapshot.notes)} notes; {setting()}")
    times = Times()
    for number in range(rounds):
        one_round(session, number * 40.0 % 365, times.timed)
    for name, half, least, most in times.rows():
        print(f"{name:32} {half:7.2f} ms ({least:.2f} to {most:.2f})")


if __name__ == "__main__":
    main()
