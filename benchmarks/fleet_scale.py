"""Measures fleets of generated trees of increasing size: opening, queries, memory, and network traffic.

    python -m benchmarks.fleet_scale FOLDER [--members 10 100 1000] [--notes 1000] [--workers 2] [--queries 20]

FOLDER keeps the trees. For each number of members, prints the wall and processor seconds for opening all members, first
without stored indexes and then with them, in new processes; the milliseconds of a warm query (median and 95th
percentile) for both ways of merging, with its processor time and the kilobytes of pickled questions and replies; and
the megabytes of each process.
"""

from __future__ import annotations

import argparse
import os
import pickle
import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fleet_trees import NOW_MS, common_queries, make_fleet, rare_queries, some_queries
from benchmarks.timings import setting
from brvtui.fleet.answering import Asker
from brvtui.fleet.asking import MemberQuestion, MemberReply
from brvtui.fleet.fleet_file import Member
from brvtui.fleet.one_ranking import one_ranking
from brvtui.fleet.pool import ProcessPool, Stopped, never_stopped
from brvtui.fleet.questions import Answering, StateRequest

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONG_S = 3_600.0


class CountedPool(ProcessPool):
    """A pool that counts the bytes that it sends and receives."""

    travelled = 0

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        self.travelled += sum(len(pickle.dumps(one)) for one in questions)
        for reply in super().ask(questions, timeout_s, stopped):
            self.travelled += len(pickle.dumps(reply))
            yield reply

    @property
    def processes(self) -> list[int]:
        return [worker.process.process.pid for worker in self._workers.values()]

    @property
    def cpu_s(self) -> float:
        fields = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.processes)
        return sum(int(one[11]) + int(one[12]) for one in fields) / _TICKS

    @property
    def megabytes(self) -> list[float]:
        return [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6 for pid in self.processes]


@dataclass(frozen=True)
class Spent:
    """The times of several queries."""

    ms: list[float]
    cpu_ms: float
    kilobytes: float

    @property
    def p95(self) -> float:
        return sorted(self.ms)[max(0, round(len(self.ms) * 0.95) - 1)]

    def __str__(self) -> str:
        middle = statistics.median(self.ms)
        return f"{middle:.0f} / {self.p95:.0f} ms, {self.cpu_ms:.0f} ms of processor, {self.kilobytes:.0f} kB"


@dataclass(frozen=True)
class Measured:
    """The measurements of one fleet: openings in wall and processor seconds, queries, and each process's MB."""

    notes: int
    first_opening: tuple[float, float]
    opening: tuple[float, float]
    each: list[Spent]
    """The queries of each kind, answered by each member's own engine."""
    one: list[Spent]
    """The same queries, in one ranking."""
    megabytes: list[float]


def spent(pool: CountedPool, texts: Sequence[str], ask: Callable[[str], object]) -> Spent:
    """Runs each of ``texts`` once as a query."""
    ms, bytes_before, cpu_before = [], pool.travelled, pool.cpu_s
    for text in texts:
        begun = time.perf_counter()
        ask(text)
        ms.append((time.perf_counter() - begun) * 1000)
    count = len(texts)
    cpu_ms = (pool.cpu_s - cpu_before) * 1000 / count
    return Spent(ms, cpu_ms, (pool.travelled - bytes_before) / 1000 / count)


def measure(members: Sequence[Member], workers: int, kinds: Sequence[Sequence[str]], cache: Path) -> Measured:
    """Opens the fleet twice, and runs the queries of each of ``kinds``."""
    shutil.rmtree(cache, ignore_errors=True)
    os.environ["BRV_TUI_DATA_DIR"] = str(cache)
    pool, notes, first_opening = opened(members, workers)
    pool.close()
    pool, notes, opening = opened(members, workers)
    asker = Asker(pool, NOW_MS, _LONG_S, fresh_s=_LONG_S)
    one_ranking(asker, members, kinds[0][0])
    each = [spent(pool, texts, lambda text: asker.ask(members, Answering(text))) for texts in kinds]
    one = [spent(pool, texts, lambda text: one_ranking(asker, members, text)) for texts in kinds]
    measured = Measured(notes, first_opening, opening, each, one, pool.megabytes)
    pool.close()
    return measured


def opened(members: Sequence[Member], workers: int) -> tuple[CountedPool, int, tuple[float, float]]:
    """A pool that has opened all members, their total number of notes, and the wall and processor seconds it took."""
    pool = CountedPool(members, workers)
    begun = time.perf_counter()
    replies = Asker(pool, NOW_MS, _LONG_S, fresh_s=_LONG_S).ask(members, StateRequest())
    took = time.perf_counter() - begun
    assert not replies.missing, replies.missing[:3]
    return pool, sum(one.notes for one in replies.values.values()), (took, pool.cpu_s)


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("folder", type=Path)
    read.add_argument("--members", type=int, nargs="+", default=[10, 100, 1000])
    read.add_argument("--notes", type=int, default=1000)
    read.add_argument("--workers", type=int, default=2)
    read.add_argument("--queries", type=int, default=20)
    given = read.parse_args()
    print(setting())
    for count in given.members:
        members = make_fleet(given.folder / "trees", count, given.notes)
        texts = {
            "mixed words": some_queries(given.queries),
            "rare words": rare_queries(given.queries, count),
            "common words": common_queries(given.queries),
        }
        found = measure(members, given.workers, list(texts.values()), given.folder / "own")
        print(f"\n{len(members)} members, {found.notes} notes, {given.workers} processes")
        for name, (wall, cpu) in (
            ("first opening", found.first_opening),
            ("opening with kept indexes", found.opening),
        ):
            print(f"  {name}: {wall:.1f} s, {cpu:.1f} s of processor")
        for place, kind in enumerate(texts):
            print(f"  warm query, {kind}, each: {found.each[place]}")
            print(f"  warm query, {kind}, one ranking: {found.one[place]}")
        print(f"  memory of each process: {', '.join(f'{size:.0f} MB' for size in found.megabytes)}", flush=True)


if __name__ == "__main__":
    main()
