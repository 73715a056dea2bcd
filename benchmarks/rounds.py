"""Rounds over a tree that the command line names, and what they took; shared by benchmarks in process."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from statistics import median
from time import perf_counter

from brvtui.session import Session


def opened_tree(about: str, rounds: int) -> tuple[Path, Session, int]:
    """The tree of the command line, the session over it, loaded, and how many rounds; ``about`` is its help."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--now", default="2026-11-20T12:00:00+00:00")
    args = parser.parse_args()
    session = Session.open(args.tree, None, datetime.fromisoformat(args.now).timestamp() * 1000)
    session.load()
    return args.tree, session, args.rounds


class Times:
    """Milliseconds by what was measured, one for each round."""

    def __init__(self) -> None:
        self._measured: dict[str, list[float]] = {}

    def timed(self, name: str, act: Callable[[], object]) -> None:
        """Does ``act`` once, under ``name``."""
        start = perf_counter()
        act()
        self._measured.setdefault(name, []).append((perf_counter() - start) * 1000)

    def rows(self) -> Iterator[tuple[str, float, float, float]]:
        """The name of the measure, and the median, lowest and highest of its rounds."""
        for name, times in self._measured.items():
            yield name, median(times), min(times), max(times)
