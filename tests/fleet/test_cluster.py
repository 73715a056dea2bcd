"""A Dask cluster answers as this machine alone does, and says what is missing while it is."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from benchmarks.fleet_processes import FleetProcesses
from brvtui.fleet.answering import Asker, Replies
from brvtui.fleet.cluster import Cluster, ClusterError
from brvtui.fleet.one_ranking import one_ranking
from brvtui.fleet.opening import OpenMember
from brvtui.fleet.pool import Asks, ProcessPool
from brvtui.fleet.questions import Answering, StateOf
from tests.support.fleets import MadeFleet, made_fleet, queries
from tests.support.trees import NOW_MS

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
TEXTS = queries(12)


@dataclass(frozen=True)
class Sleeping:
    """Answers after a while."""

    seconds: float
    member: str

    def of(self, opened: OpenMember) -> str:
        """Its name, late for one member."""
        time.sleep(self.seconds if opened.member.name == self.member else 0)
        return opened.member.name


@pytest.fixture
def fleet(tmp_path: Path) -> MadeFleet:
    return made_fleet(tmp_path / "fleet", members=24, notes=8, with_merged=False)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[FleetProcesses]:
    with FleetProcesses(tmp_path, 3) as made:
        yield made


def answers(where: Asks, fleet: MadeFleet) -> list[object]:
    """Every trace but for its timings, and every ranking."""
    asker = Asker(where, NOW_MS)
    made: list[object] = []
    for text in TEXTS:
        replies = asker.ask(fleet.members, Answering(text, with_trace=True))
        assert replies.missing == ()
        for name, one in replies.values.items():
            made.append((name, replace(one, trace=replace(one.trace, timings={}))))
        made.append(one_ranking(asker, fleet.members, text))
    return made


def test_one_and_three_workers_answer_as_this_machine(fleet: MadeFleet, cluster: FleetProcesses) -> None:
    with closing(ProcessPool(fleet.members, 2)) as pool:
        here = answers(pool, fleet)
    with closing(Cluster(cluster.address, fleet.members)) as three:
        assert answers(three, fleet) == here
    cluster.kill(0)
    cluster.kill(1)
    with closing(Cluster(cluster.address, fleet.members)) as one:
        assert len(one.workers) == 1
        assert answers(one, fleet) == here


def test_a_killed_worker_is_replaced_and_a_late_one_joins(fleet: MadeFleet, cluster: FleetProcesses) -> None:
    with closing(Cluster(cluster.address, fleet.members)) as where:
        asker = Asker(where, NOW_MS, timeout_s=30)
        first = asker.ask(fleet.members, Sleeping(2.0, ""))
        assert len(first.values) == 24
        questions = Sleeping(3.0, fleet.members[0].name)
        killed: list[bool] = []

        def kill(_: object) -> None:
            if not killed:
                cluster.kill(0)
                killed.append(True)

        during = replace(asker, replied=kill).ask(fleet.members, questions)
        assert len(during.values) == 24, "its members were asked again on the others"
        assert len(where.workers) == 2
        cluster.add_worker()
        cluster.wait_for(3)
        assert len(asker.ask(fleet.members, StateOf()).values) == 24
        assert set(where.places.values()) == set(where.workers)


def test_a_hanging_worker_is_a_line_and_left_out_then(fleet: MadeFleet, cluster: FleetProcesses) -> None:
    with closing(Cluster(cluster.address, fleet.members)) as where:
        asker = Asker(where, NOW_MS, timeout_s=12)
        asker.ask(fleet.members, StateOf())
        cluster.hang(1)
        during = asker.ask(fleet.members, StateOf())
        [why] = {one.why for one in during.missing}
        worker = why.removeprefix("no answer from the worker ").removesuffix(" within 12 s")
        assert {one.member for one in during.missing} == {name for name, at in where.places.items() if at == worker}
        assert len(during.values) + len(during.missing) == 24
        assert len(asker.ask(fleet.members, StateOf()).values) == 24
        assert worker not in where.places.values()
        cluster.go_on(1)
        for _ in range(60):
            time.sleep(0.2)
            if worker in where.workers:
                break
        asker.ask(fleet.members, StateOf())
        assert worker in where.places.values(), "it has answered meanwhile"


def test_what_goes_away_is_a_line(fleet: MadeFleet, cluster: FleetProcesses) -> None:
    with closing(Cluster(cluster.address, fleet.members)) as where:
        asker = Asker(where, NOW_MS, timeout_s=30)
        asker.ask(fleet.members, StateOf())
        shutil.rmtree(fleet.members[0].path)
        during = asker.ask(fleet.members, StateOf())
        assert [one.why for one in during.missing] == [f"{fleet.members[0].path}: its folder is gone"]
        assert cluster.scheduler is not None
        stopped: list[bool] = []

        def stop(_: object) -> None:
            if not stopped:
                cluster.scheduler.kill()  # type: ignore[union-attr]
                stopped.append(True)

        gone: Replies = replace(asker, replied=stop).ask(fleet.members, Sleeping(2.0, fleet.members[1].name))
        line = f"the scheduler at {cluster.address} went away: start it again, or leave out --scheduler"
        assert {one.why for one in gone.missing} <= {line, f"{fleet.members[0].path}: its folder is gone"}
        with pytest.raises(ClusterError, match="went away"):
            asker.ask(fleet.members, StateOf())
    with pytest.raises(ClusterError, match="no scheduler answers there"):
        Cluster(cluster.address, fleet.members)
