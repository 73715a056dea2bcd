"""Measures *edit and see* on a tree: the answer to a query after an edit of one note, without writing anything.

    python -m benchmarks.preview TREE [--rounds 40] [--now 2026-11-20T12:00:00Z]

``benchmarks.many_terms`` generates such a tree with its queries. Each round edits a different note and runs a different
query, as typing would. For busy machines, the thread's processor time is printed next to the wall time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from time import perf_counter, thread_time

from benchmarks.rounds import opened_tree
from benchmarks.timings import percentile, setting


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """The wall and processor time in milliseconds."""
    wall, used = perf_counter(), thread_time()
    act()
    return (perf_counter() - wall) * 1000, (thread_time() - used) * 1000


def main() -> None:
    """Reads the arguments and prints the table."""
    tree, session, rounds = opened_tree(__doc__ or "", 40)
    queries = [asked["query"] for asked in json.loads((tree / "queries.json").read_text(encoding="utf-8"))]
    notes = session.snapshot.notes
    print(f"{len(notes)} notes; {setting()}")
    for name, keep_mtime in (("saved now", False), ("modification time kept", True)):
        times = []
        for number in range(rounds):
            query = queries[number % len(queries)]
            path = notes[number * 97 % len(notes)].path
            data = f"{session.snapshot.text(path)} {query} typed{number}".encode()
            times.append(timed(partial(session.preview_edit, query, path, data, keep_mtime)))
        for kind, values in zip(("passed", "processor"), zip(*times, strict=True), strict=True):
            half, most = percentile(values, 0.5), percentile(values, 0.95)
            print(f"{name:24} {kind:10} half within {half:6.1f} ms, 95 % within {most:6.1f} ms")


if __name__ == "__main__":
    main()
