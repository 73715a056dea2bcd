"""Measures knowing on a repository: the first reading, reopening, and answers with their whole trace.

    python -m benchmarks.knowing_code_speed REPOSITORY

Prints wall and processor time. On a busy machine, processor time is more meaningful, but it excludes the processes that
read files. The tasks are the first words of docstrings from all over the repository.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.soleri_speed import timed
from benchmarks.timings import percentile, setting
from brvtui.corpus.code.snapshot import RepositorySnapshot
from brvtui.engines.contract import Context, Query
from brvtui.engines.knowing.engine import Knowing
from brvtui.engines.knowing.profile import load_profile
from brvtui.garbage import garbage_collector_paused
from brvtui.session import Session

_TASKS = 200
_WORDS = 7
_LEAST_WORDS = 4


def main() -> None:
    """Prints the setting, then a line for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["BRV_TUI_CACHE_DIR"] = cache
        _measure(given.repository)


def _measure(repository: Path) -> None:
    first = Session.open(repository=repository)
    read = timed(partial(_load, first))
    first.keep()
    session = Session.open(repository=repository)
    opened = timed(partial(_load, session))
    snapshot = session.snapshot
    assert isinstance(snapshot, RepositorySnapshot)
    files = {page.symbol.path for page in snapshot.pages.by_path.values()}
    print(setting(), f"{len(files)} files with {len(snapshot.notes)} symbols", sep="\n")
    _print_one("reading the first time", read)
    _print_one("opening from what was kept", opened)
    engine, context = Knowing(), Context(snapshot, load_profile(), session.clock())
    _print_one("graph and indexes of the engine", timed(partial(engine.prepare, context, _nothing, _never)))
    times = [timed(partial(engine.answer, context, Query(task))) for task in _tasks(snapshot)]
    for kind, place in (("wall", 0), ("processor", 1)):
        each = [time[place] for time in times]
        p50, p95 = percentile(each, 0.5), percentile(each, 0.95)
        print(f"answer with its trace, {kind}: p50 {p50:.1f} ms, p95 {p95:.1f} ms ({len(each)} tasks)")
    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"most memory of one process: {most / 1024:.0f} MB")


def _load(session: Session) -> None:
    with garbage_collector_paused():
        session.load()


def _tasks(snapshot: RepositorySnapshot) -> list[str]:
    pages = snapshot.pages.by_path.values()
    said = dict.fromkeys(" ".join(page.symbol.doc.split()[:_WORDS]) for page in pages)
    tasks = [text for text in said if len(text.split()) >= _LEAST_WORDS]
    return tasks[:: max(1, len(tasks) // _TASKS)][:_TASKS]


def _nothing(made: int, wanted: int) -> None:
    """Follows no progress."""


def _never() -> bool:
    return False


def _print_one(name: str, times: tuple[float, float]) -> None:
    print(f"{name}: {times[0] / 1000:.2f} s, processor {times[1] / 1000:.2f} s")


if __name__ == "__main__":
    main()
