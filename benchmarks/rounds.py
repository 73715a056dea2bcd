"""Timed rounds over the tree named on the command line, shared by the benchmarks that run in one process."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from statistics import median
from time import perf_counter

from brvtui.session import Session


def opened_tree(about: str, rounds: int) -> tuple[Path, Session, int]:
    """The tree from the command line, its loaded session, and the number of rounds; ``about`` is the command's help."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--now", default="2026-11-20T12:00:00+00:00")
    args = parser.parse_args()
    session = Session.open(args.tree, None, datetime.fromisoformat(args.now).timestamp() * 1000)
    session.load()
    return args.tree, session, args.rounds


class Times:
    """The milliseconds of each round, keyed by the name of the measurement."""

    def __init__(self) -> None:
        self._measured: dict[str, list[float]] = {}

    def timed(self, name: str, act: Callable[[], object]) -> None:
        """Runs ``act`` once, and records its time under ``name``."""
        start = perf_counter()
        act()
        self._measured.setdefault(name, []).append((perf_counter() - start) * 1000)

    def rows(self) -> Iterator[tuple[str, float, float, float]]:
        """The name of each measurement with the median, lowest and highest time of its rounds."""
        for name, times in self._measured.items():
            yield name, median(times), min(times), max(times)
