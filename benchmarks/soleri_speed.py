"""Measures Soleri's vault search on one tree: building the index, answers with their whole trace, and SQLite's share.

    python -m benchmarks.soleri_speed TREE

TREE is a project that contains ``queries.json`` and ``now.txt``. Prints wall and processor time, measured in this
process; on a busy machine, processor time is more meaningful.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from benchmarks.many_terms import time_of
from benchmarks.timings import percentile, setting
from brvtui.engines.contract import Context, Query
from brvtui.engines.soleri.engine import Soleri
from brvtui.engines.soleri.index import index_notes
from brvtui.engines.soleri.matching import alternatives
from brvtui.engines.soleri.profile import SoleriProfile, load_profile
from brvtui.session import Session
from brvtui.text.fts import FullText, FullTextError

_QUERIES = 200


def main() -> None:
    """Prints the setting, then a line for each measurement."""
    project = Path(sys.argv[1])
    queries = [row["query"] for row in json.loads((project / "queries.json").read_text(encoding="utf-8"))][:_QUERIES]
    session = Session.open(project, now_ms=time_of(project))
    session.load()
    snapshot, profile = session.snapshot, load_profile("")
    print(setting(), f"{len(snapshot.notes)} notes, {len(queries)} queries", sep="\n")
    wall, processor = time.perf_counter(), time.process_time()
    vault = index_notes(snapshot, profile).vault
    print(f"index: {time.perf_counter() - wall:.2f} s, processor {time.process_time() - processor:.2f} s")
    engine, context = Soleri(), Context(snapshot, profile, session.clock())
    engine.answer(context, Query("warm"))
    gc.collect()
    gc.freeze()  # as in the app after a tree was read
    answers, matches = [], []
    for query in queries:
        answers.append(timed(partial(engine.answer, context, Query(query))))
        matches.append(timed(partial(matched, vault.tiers[0].text, query, profile)))
    for name, times in (("answer with its trace", answers), ("SQLite's statement alone", matches)):
        for kind, place in (("wall", 0), ("processor", 1)):
            each = [time[place] for time in times]
            print(f"{name}, {kind}: p50 {percentile(each, 0.5):.1f} ms, p95 {percentile(each, 0.95):.1f} ms")
    share = sum(time[1] for time in matches) / sum(time[1] for time in answers)
    print(f"SQLite's share of the processor time: {share:.0%}")


def timed(task: Callable[[], object]) -> tuple[float, float]:
    """The wall and processor time of ``task`` in milliseconds."""
    wall, processor = time.perf_counter(), time.process_time()
    task()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000


def matched(text: FullText, query: str, profile: SoleriProfile) -> None:
    """Fetches the pool for ``query`` from SQLite."""
    with suppress(FullTextError):
        text.search(
            alternatives(query, profile.as_run), profile.columns.weights, profile.pool.size(profile.limits.full)
        )


if __name__ == "__main__":
    main()
