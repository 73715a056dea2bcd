"""Measures the board, the forecast and the curves on a tree, in process.

    python -m benchmarks.maturity TREE [--rounds 9] [--now 2026-11-20T12:00:00Z]

``benchmarks.many_terms`` makes such a tree. Prints milliseconds, the median and the lowest and highest round.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.timings import setting
from brvtui.inquire.board import Board
from brvtui.inquire.forecast import Forecast, calendar
from brvtui.session import Session

_SHOWN_ROWS = 50


def one_round(session: Session, day: float, timed: Callable[[str, Callable[[], object]], None]) -> None:
    """Everything once, on arrays that no earlier round has made; ``timed`` is called with what is measured."""
    snapshot = replace(session.snapshot)
    snapshot.warm()
    board = Board(snapshot, session.profile, session.clock())
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--now", default="2026-11-20T12:00:00+00:00")
    args = parser.parse_args()
    session = Session.open(args.tree, None, datetime.fromisoformat(args.now).timestamp() * 1000)
    session.load()
    print(f"{len(session.snapshot.notes)} notes; {setting()}")
    measured: dict[str, list[float]] = {}

    def timed(name: str, act: Callable[[], object]) -> None:
        start = perf_counter()
        act()
        measured.setdefault(name, []).append((perf_counter() - start) * 1000)

    for number in range(args.rounds):
        one_round(session, number * 40.0 % 365, timed)
    for name, times in measured.items():
        print(f"{name:32} {median(times):7.2f} ms ({min(times):.2f} to {max(times):.2f})")


if __name__ == "__main__":
    main()
