"""Measures knowing on one tree: building the graph and the indexes, and answers with their whole trace.

    python -m benchmarks.knowing_speed TREE [--profile knowing-code]

TREE is a project that contains ``queries.json`` and ``now.txt``. Prints wall and processor time, measured in this
process; on a busy machine, processor time is more meaningful.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from benchmarks.many_terms import time_of
from benchmarks.soleri_speed import timed
from benchmarks.timings import percentile, setting
from brvtui.engines.contract import Context, Query
from brvtui.engines.knowing.engine import Knowing
from brvtui.engines.knowing.note_index import index_notes
from brvtui.engines.knowing.profile import load_profile
from brvtui.session import Session

_QUERIES = 200
_TOGETHER = 3
"""The number of queries that are joined to make a long one."""


def opened(tree: Path, profile: str = "") -> tuple[Knowing, Context, list[str]]:
    """The engine, the open project and the queries of ``tree``."""
    rows = json.loads((tree / "queries.json").read_text(encoding="utf-8"))
    session = Session.open(tree, now_ms=time_of(tree))
    session.load()
    context = Context(session.snapshot, load_profile(profile), session.clock())
    return Knowing(), context, [row["query"] for row in rows][:_QUERIES]


def measure(tree: Path) -> list[float]:
    """The wall and processor milliseconds within which 95 % of the answers arrive."""
    engine, context, queries = opened(tree)
    engine.prepare(context, _nothing, _never)
    times = [timed(partial(engine.answer, context, Query(query))) for query in queries]
    return [percentile(each, 0.95) for each in zip(*times, strict=True)]


def main() -> None:
    """Prints the setting, then a line for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--profile", default="")
    given = parser.parse_args()
    engine, context, queries = opened(given.tree, given.profile)
    snapshot, profile = context.snapshot, load_profile(given.profile)
    print(setting(), f"{len(snapshot.notes)} notes, {len(queries)} queries", sep="\n")
    _print_one("graph and indexes", timed(partial(engine.prepare, context, _nothing, _never)))
    before = index_notes(snapshot, profile)
    _print_one("the same, with nothing changed", timed(partial(index_notes, snapshot, profile, before)))
    long = [" ".join(queries[at : at + _TOGETHER]) for at in range(0, len(queries), _TOGETHER)]
    for name, asked in (("answer with its trace", queries), ("answer to a long question", long)):
        times = [timed(partial(engine.answer, context, Query(query))) for query in asked]
        for kind, place in (("wall", 0), ("processor", 1)):
            each = [time[place] for time in times]
            print(f"{name}, {kind}: p50 {percentile(each, 0.5):.1f} ms, p95 {percentile(each, 0.95):.1f} ms")


def _nothing(made: int, wanted: int) -> None:
    """Follows no progress."""


def _never() -> bool:
    return False


def _print_one(name: str, times: tuple[float, float]) -> None:
    print(f"{name}: {times[0] / 1000:.2f} s, processor {times[1] / 1000:.2f} s")


if __name__ == "__main__":
    main()
