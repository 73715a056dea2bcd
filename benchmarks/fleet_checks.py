"""Checks that a fleet gives the same answers in processes and on Dask, and that every query ends if a worker is killed.

    python -m benchmarks.fleet_checks FOLDER [--members 100] [--notes 20] [--queries 200]

Compares the traces of all members without their timings (by digests) and, for every fifth query, one ranking, between
processes on this machine, one Dask worker and three workers. Then repeats the queries on three workers, and kills one
of them with SIGKILL during a query.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.fleet_digests import TraceDigestOf, digest
from benchmarks.fleet_processes import FleetProcesses
from benchmarks.fleet_trees import NOW_MS, make_fleet, some_queries
from brvtui.fleet.answering import Asker
from brvtui.fleet.asking import MemberReply
from brvtui.fleet.cluster import Cluster
from brvtui.fleet.fleet_file import Member
from brvtui.fleet.one_ranking import one_ranking
from brvtui.fleet.pool import MemberExecutor, ProcessPool

Answers = tuple[dict[str, str], str]
"""The digest of each member's trace, and the digest of one ranking (empty if it was not requested)."""
_RANKED_EVERY = 5
_KILLED_OF = 30
"""The number of members that are queried while a worker is killed."""


def answered(where: MemberExecutor, members: Sequence[Member], texts: Sequence[str], name: str) -> list[Answers]:
    """The digests of the answers to each of ``texts``: by each member's own engine, and in one ranking."""
    asker = Asker(where, NOW_MS, 300.0)
    begun, made = time.perf_counter(), []
    for number, text in enumerate(texts):
        replies = asker.ask(members, TraceDigestOf(text))
        assert not replies.missing, replies.missing[:3]
        ranked = ""
        if number % _RANKED_EVERY == 0:
            ranking = one_ranking(asker, members, text)
            assert not ranking.missing, ranking.missing[:3]
            ranked = digest(ranking)
        made.append((replies.values, ranked))
    print(f"{name}: {len(texts)} queries on {len(members)} members in {time.perf_counter() - begun:.0f} s", flush=True)
    return made


def killed_meanwhile(
    cluster: FleetProcesses, members: Sequence[Member], texts: Sequence[str], expected: Sequence[Answers]
) -> None:
    """Runs ``texts`` as queries, and kills a worker halfway through the middle one."""
    middle, incomplete, slowest = len(texts) // 2, [], 0.0
    with closing(Cluster(cluster.address, members)) as where:
        for number, text in enumerate(texts):
            heard: Iterator[None] = iter([None])

            def kill(_: MemberReply, number: int = number, heard: Iterator[None] = heard) -> None:
                if number == middle and next(heard, 1) is None:
                    cluster.kill(0)

            begun = time.perf_counter()
            replies = Asker(where, NOW_MS, 20.0, replied=kill).ask(members, TraceDigestOf(text))
            slowest = max(slowest, time.perf_counter() - begun)
            assert len(replies.replies) == len(members)
            if replies.missing:
                incomplete.append((number, [one.member for one in replies.missing]))
            else:
                assert replies.values == {one.name: expected[number][0][one.name] for one in members}, text
        print(
            f"kill -9 of a worker during query {middle + 1} of {len(texts)}: all ended, {len(incomplete)} with members"
        )
        print(
            f"missing {incomplete}; the slowest took {slowest:.1f} s; {len(where.workers)} workers are left", flush=True
        )


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("folder", type=Path)
    read.add_argument("--members", type=int, default=100)
    read.add_argument("--notes", type=int, default=20)
    read.add_argument("--queries", type=int, default=200)
    given = read.parse_args()
    os.environ["BRV_TUI_DATA_DIR"] = str(given.folder / "own")
    members = make_fleet(given.folder / f"trees-{given.notes}", given.members, given.notes)
    texts = some_queries(given.queries)
    with closing(ProcessPool(members, 2)) as pool:
        here = answered(pool, members, texts, "two processes")
    with FleetProcesses(given.folder, 1) as cluster, closing(Cluster(cluster.address, members)) as where:
        assert answered(where, members, texts, "one Dask worker") == here
    with FleetProcesses(given.folder, 3) as cluster:
        with closing(Cluster(cluster.address, members)) as where:
            assert answered(where, members, texts, "three Dask workers") == here
        print("all answers are equal", flush=True)
        killed_meanwhile(cluster, members[:_KILLED_OF], texts, here)


if __name__ == "__main__":
    main()
