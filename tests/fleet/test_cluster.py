"""A Dask cluster gives the same answers as this machine, and reports missing parts."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from benchmarks.dripping import DrippingNetwork
from benchmarks.fleet_processes import FleetProcesses
from brvtui.fleet.answering import Asker, Replies
from brvtui.fleet.cluster import Cluster, ClusterError
from brvtui.fleet.fleet_file import AbsenceKind
from brvtui.fleet.one_ranking import one_ranking
from brvtui.fleet.opening import OpenMember
from brvtui.fleet.pool import MemberExecutor, ProcessPool
from brvtui.fleet.questions import Answering, StateRequest
from tests.support.fleets import MadeFleet, made_fleet, queries
from tests.support.trees import NOW_MS

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
MEMBERS = 60
TEXTS = queries(4)


@dataclass(frozen=True)
class Sleeping:
    """Answers after a delay."""

    seconds: float
    member: str

    def of(self, opened: OpenMember) -> str:
        """The member's name, returned late for one member."""
        time.sleep(self.seconds if opened.member.name == self.member else 0)
        return opened.member.name


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The data folders of all tests in this file, because the cluster and the members' signals outlive one test."""
    return {name: str(tmp_path_factory.mktemp(name)) for name in ("BRV_DATA_DIR", "BRV_TUI_DATA_DIR")}


@pytest.fixture(autouse=True)
def in_folders(own_data_folders: Path, monkeypatch: pytest.MonkeyPatch, folders: dict[str, str]) -> None:
    for name, folder in folders.items():
        monkeypatch.setenv(name, folder)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, folders: dict[str, str]) -> MadeFleet:
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in folders.items():
            patch.setenv(name, folder)
        return made_fleet(tmp_path_factory.mktemp("fleet"), members=MEMBERS, notes=8, with_merged=False)


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetProcesses]:
    """A scheduler and three workers, which :meth:`FleetProcesses.make_whole` starts within a test."""
    result = FleetProcesses(tmp_path_factory.mktemp("cluster"), 3)
    yield result
    result.end()


@pytest.fixture
def cluster(processes: FleetProcesses, in_folders: None) -> FleetProcesses:
    """A scheduler and three workers, whatever the previous test did to them."""
    processes.make_whole()
    return processes


def answers(where: MemberExecutor, fleet: MadeFleet) -> list[object]:
    """Every trace without its timings, and every ranking."""
    asker = Asker(where, NOW_MS)
    result: list[object] = []
    for text in TEXTS:
        replies = asker.ask(fleet.members, Answering(text, with_trace=True))
        assert replies.missing == ()
        for name, one in replies.values.items():
            result.append((name, replace(one, trace=replace(one.trace, timings={}))))
        result.append(one_ranking(asker, fleet.members, text))
    return result


def test_workers_give_the_same_answers_as_this_machine(fleet: MadeFleet, cluster: FleetProcesses) -> None:
    """Members of a killed worker move to the other workers, and a late worker receives some."""
    with closing(ProcessPool(fleet.members, 2)) as pool:
        here = answers(pool, fleet)
    with closing(Cluster(cluster.address, fleet.members)) as where:
        assert answers(where, fleet) == here
        killed: list[bool] = []

        def kill(_: object) -> None:
            if not killed:
                cluster.kill(0)
                killed.append(True)

        asker = Asker(where, NOW_MS, timeout_s=30, replied=kill)
        during = asker.ask(fleet.members, Sleeping(2.0, fleet.members[0].name))
        assert len(during.values) == MEMBERS, "its members were asked again on the others"
        assert len(where.workers) == 2
        cluster.kill(1)
        while len(where.workers) > 1:
            time.sleep(0.1)
        assert answers(where, fleet) == here
        cluster.add_worker()
        cluster.wait_for(2)
        assert len(asker.ask(fleet.members, StateRequest()).values) == MEMBERS
        assert len(where.workers) == 2
        assert set(where.places.values()) == set(where.workers)


def test_worker_that_hangs_is_reported_and_then_skipped(fleet: MadeFleet, cluster: FleetProcesses) -> None:
    with closing(Cluster(cluster.address, fleet.members)) as where:
        Asker(where, NOW_MS).ask(fleet.members, StateRequest())
        asker = Asker(where, NOW_MS, timeout_s=6)
        cluster.hang(1)
        during = asker.ask(fleet.members, StateRequest())
        [(why, kind)] = {(one.why, one.kind) for one in during.missing}
        assert kind is AbsenceKind.TIMEOUT
        worker = why.removeprefix("no answer from the worker ").removesuffix(" within 6 s")
        assert {one.member for one in during.missing} == {name for name, at in where.places.items() if at == worker}
        assert len(during.values) + len(during.missing) == MEMBERS
        assert len(asker.ask(fleet.members, StateRequest()).values) == MEMBERS
        assert worker not in where.places.values()
        cluster.go_on(1)
        for _ in range(60):
            time.sleep(0.2)
            if worker in where.workers:
                break
        asker.ask(fleet.members, StateRequest())
        assert worker in where.places.values(), "it has answered meanwhile"


def test_slow_network_is_reported_within_the_time_limit(fleet: MadeFleet, cluster: FleetProcesses) -> None:
    with DrippingNetwork(cluster.port) as network, closing(Cluster(network.address, fleet.members)) as where:
        Asker(where, NOW_MS).ask(fleet.members, StateRequest())

        def drip(_: object) -> None:
            network.bytes_per_s = 40

        begun = time.monotonic()
        during = Asker(where, NOW_MS, timeout_s=2, replied=drip).ask(fleet.members, Answering("ember", with_trace=True))
        assert 0 < len(during.values) < MEMBERS, "those that came before are kept"
        line = f"the scheduler at {network.address} did not answer within . s: it has stopped or hangs, "
        line += "or the network is too slow"
        for one in during.missing:
            assert re.fullmatch(line, one.why)
        with pytest.raises(ClusterError, match=line):
            Asker(where, NOW_MS, timeout_s=2).ask(fleet.members, StateRequest())
        assert time.monotonic() - begun < 2 * 2 + 10, "a reply that is on its way is waited for, 5 s at most"


def test_lost_worker_is_reported_in_one_line(
    fleet: MadeFleet, cluster: FleetProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brvtui.fleet.cluster._CONNECT_S", 3.0)
    with closing(Cluster(cluster.address, fleet.members)) as where:
        asker = Asker(where, NOW_MS, timeout_s=30)
        asker.ask(fleet.members, StateRequest())
        gone, elsewhere = Path(fleet.members[0].path), Path(f"{fleet.members[0].path}.moved")
        gone.rename(elsewhere)
        during = asker.ask(fleet.members, StateRequest())
        elsewhere.rename(gone)
        assert [one.why for one in during.missing] == [f"{gone}: its folder is gone"]

        def stop(_: object) -> None:
            cluster.scheduler.kill()

        late: Replies = replace(asker, replied=stop).ask(fleet.members, Sleeping(2.0, fleet.members[1].name))
        assert late.missing
        for one in late.missing:
            assert re.match(f"the scheduler at {cluster.address} has stopped: ", one.why)
        with pytest.raises(ClusterError, match="has stopped"):
            asker.ask(fleet.members, StateRequest())
    with pytest.raises(ClusterError, match="no scheduler answers there"):
        Cluster(cluster.address, fleet.members)
