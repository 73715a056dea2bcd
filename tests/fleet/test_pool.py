"""Process and cluster pools: replies are passed on as they arrive, and a hung or dead member becomes a line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from brvtui import programs
from brvtui.disk.locks import is_running
from brvtui.fleet.answering import Asker, AskingStopped
from brvtui.fleet.asking import MemberQuestion
from brvtui.fleet.fleet_file import AbsenceKind, Member
from brvtui.fleet.opening import OpenMember
from brvtui.fleet.pool import ProcessPool, placed
from tests.support.recorded import REPOSITORY
from tests.support.trees import NOW_MS, Tree


@dataclass(frozen=True)
class Doing:
    """Performs the action given by its name, in the process that answers."""

    what: str

    def of(self, opened: OpenMember) -> tuple[int, str]:
        """The process, and the member."""
        if self.what == "hang":
            time.sleep(60)
        if self.what == "die":
            os._exit(1)
        if self.what.startswith("/"):  # starts a child that outlives the question, and writes its id to this file
            child = subprocess.Popen(["/bin/sleep", "300"])
            Path(self.what).write_text(str(child.pid))
            time.sleep(60)
        return os.getpid(), opened.member.name


@pytest.fixture
def members(tmp_path: Path) -> list[Member]:
    result = []
    for number in range(6):
        tree = Tree(tmp_path / f"m{number}")
        tree.note("a/b/c.md", "A note")
        result.append(Member(f"m{number}", str(tree.root)))
    return result


@pytest.fixture
def pool(members: list[Member]) -> Iterator[ProcessPool]:
    result = ProcessPool(members, 2)
    yield result
    result.close()


@pytest.mark.long
def test_pool_keeps_members_in_place_and_reports_failed_ones(pool: ProcessPool, members: list[Member]) -> None:
    def ask(doing: dict[str, str], timeout_s: float = 60.0) -> dict[str, object]:
        questions = [MemberQuestion(one, Doing(doing.get(one.name, "")), NOW_MS) for one in members]
        replies = list(pool.ask(questions, timeout_s))
        return {one.member: (one.failure, one.kind) if one.failure else one.value[0] for one in replies}

    first = ask({})
    assert len(set(first.values())) == 2
    assert ask({}) == first, "each is asked in the process that has it open"
    second = ask({"m1": "die"})
    assert second.pop("m1") == ("the process that asked it was ended", AbsenceKind.PROCESS_ENDED)
    assert all(isinstance(value, int) for value in second.values())
    third = ask({"m2": "hang"}, 3.0)
    assert third.pop("m2") == ("no answer within 3 s", AbsenceKind.TIMEOUT)
    assert all(isinstance(value, int) for value in third.values())
    assert len(ask({})) == 6


@pytest.mark.long
def test_stopping_returns_at_once_and_keeps_the_processes(pool: ProcessPool, members: list[Member]) -> None:
    def ask(what: str, timeout_s: float = 60.0) -> dict[str, object]:
        questions = [MemberQuestion(one, Doing(what), NOW_MS) for one in members]
        return {reply.member: reply.failure or reply.value[0] for reply in pool.ask(questions, timeout_s)}

    first = ask("")
    questions = [MemberQuestion(one, Doing("hang"), NOW_MS) for one in members]
    begun = time.monotonic()
    assert list(pool.ask(questions, 60.0, lambda: time.monotonic() - begun > 0.2)) == []
    assert time.monotonic() - begun < 5
    again = ask("", 2.0)
    assert again.keys() == first.keys()
    assert not set(again.values()) & set(first.values()), "those that went on hanging were started again"
    replies = pool.ask([MemberQuestion(one, Doing(""), NOW_MS) for one in members], 60.0)
    next(replies)
    replies.close()  # type: ignore[attr-defined]
    assert ask("") == again, "what was being answered is dropped, and the processes stay"


def _written(file: Path, seconds: float = 60.0) -> int:
    """The id of the child that was started for the question ``file``."""
    until = time.monotonic() + seconds
    while not (text := file.read_text() if file.exists() else ""):
        assert time.monotonic() < until
        time.sleep(0.05)
    return int(text)


def _ends(process: int, seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while is_running(process) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_running(process)


def test_idle_worker_exits_when_its_connection_closes() -> None:
    worker = programs.Worker("brvtui.fleet.pool")
    worker.connection.close()
    assert worker.process.wait(60) in (0, -signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize("end", ["close", "timeout", "killed"])
def test_children_of_a_worker_end_with_the_worker(members: list[Member], tmp_path: Path, end: str) -> None:
    file, pool = tmp_path / "child", ProcessPool(members, 1)
    replies = pool.ask([MemberQuestion(members[0], Doing(str(file)), NOW_MS)], 4.0 if end == "timeout" else 60.0)
    with ThreadPoolExecutor() as threads:
        asking = threads.submit(next, replies)
        child = _written(file)
        assert is_running(child)
        if end == "close":
            pool.close()
        elif end == "killed":
            os.kill(os.getpgid(child), signal.SIGKILL)
        assert _ends(child)
        if end in ("timeout", "killed"):
            assert asking.result(60).kind in (AbsenceKind.TIMEOUT, AbsenceKind.PROCESS_ENDED)
        else:
            with pytest.raises((OSError, ValueError, KeyError)):
                asking.result(60)
    pool.close()


def test_children_end_when_the_parent_is_killed(members: list[Member], tmp_path: Path) -> None:
    file = tmp_path / "child"
    code = (
        "from brvtui.fleet.asking import MemberQuestion; from brvtui.fleet.fleet_file import Member\n"
        "from brvtui.fleet.pool import ProcessPool; from tests.fleet.test_pool import Doing, NOW_MS\n"
        f"member = Member('m0', {members[0].path!r}); pool = ProcessPool([member], 1)\n"
        f"list(pool.ask([MemberQuestion(member, Doing({str(file)!r}), NOW_MS)], 60.0))"
    )
    asking = subprocess.Popen([sys.executable, "-c", code], cwd=REPOSITORY)
    child = _written(file)
    worker = os.getpgid(child)
    asking.kill()
    asking.wait()
    assert _ends(child)
    assert _ends(worker)


def test_questions_of_a_failed_attempt_are_dropped(members: list[Member], monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ProcessPool(members, 2)
    start = pool._worker

    def failing(name: str) -> object:
        if name == "process 2":
            raise BlockingIOError("Resource temporarily unavailable")
        return start(name)

    monkeypatch.setattr(pool, "_worker", failing)
    questions = [MemberQuestion(one, Doing(""), NOW_MS) for one in members]
    with pytest.raises(BlockingIOError):
        list(pool.ask(questions, 60.0))
    monkeypatch.setattr(pool, "_worker", start)
    assert sorted(reply.member for reply in pool.ask(questions, 60.0)) == [one.name for one in members]
    pool.close()


def test_stopped_query_is_reported(pool: ProcessPool, members: list[Member]) -> None:
    heard: list[str] = []
    asker = Asker(pool, NOW_MS, replied=lambda reply: heard.append(reply.member), stopped=lambda: bool(heard))
    with pytest.raises(AskingStopped):
        asker.ask(members, Doing(""))
    assert 1 <= len(heard) < len(members)


def test_placement_balances_weight_and_moves_few_members() -> None:
    members = [Member(f"m{number}", weight=50.0 if number == 0 else 1.0) for number in range(100)]
    three = placed(members, ["a", "b", "c"])
    loads = {worker: sum(one.weight for one in members if three[one.name] == worker) for worker in "abc"}
    assert max(loads.values()) <= 1.1 * 149 / 3
    two = placed(members, ["a", "b"])
    moved = [one.name for one in members if three[one.name] != two[one.name] and three[one.name] != "c"]
    assert len(moved) < 25
    assert placed(list(reversed(members)), ["c", "a", "b"]) == three
    assert placed(members, []) == {}
