"""The pool of processes: replies as they come; a member that hangs or kills its process is a line."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from brvtui.fleet.asking import MemberQuestion
from brvtui.fleet.members import Member
from brvtui.fleet.opening import OpenMember
from brvtui.fleet.placing import placed
from brvtui.fleet.pool import ProcessPool
from tests.support.trees import NOW_MS, Tree


@dataclass(frozen=True)
class Doing:
    """Does what its name says in the process that asks."""

    what: str

    def of(self, opened: OpenMember) -> tuple[int, str]:
        """The process, and the member."""
        if self.what == "hang":
            time.sleep(60)
        if self.what == "die":
            os._exit(1)
        return os.getpid(), opened.member.name


@pytest.fixture
def members(tmp_path: Path) -> list[Member]:
    made = []
    for number in range(6):
        tree = Tree(tmp_path / f"m{number}")
        tree.note("a/b/c.md", "A note")
        made.append(Member(f"m{number}", str(tree.root)))
    return made


@pytest.fixture
def pool(members: list[Member]) -> Iterator[ProcessPool]:
    made = ProcessPool(members, 2)
    yield made
    made.close()


def test_members_stay_where_they_are_and_one_that_hangs_or_dies_is_a_line(
    pool: ProcessPool, members: list[Member]
) -> None:
    def ask(doing: dict[str, str], timeout_s: float = 60.0) -> dict[str, object]:
        questions = [MemberQuestion(one, Doing(doing.get(one.name, "")), NOW_MS) for one in members]
        return {reply.member: reply.failure or reply.value[0] for reply in pool.ask(questions, timeout_s)}

    first = ask({})
    assert len(set(first.values())) == 2
    assert ask({}) == first, "each is asked in the process that has it open"
    second = ask({"m1": "die"})
    assert second.pop("m1") == "the process that asked it was ended"
    assert all(isinstance(value, int) for value in second.values())
    third = ask({"m2": "hang"}, 3.0)
    assert third.pop("m2") == "no answer within 3 s"
    assert all(isinstance(value, int) for value in third.values())
    assert len(ask({})) == 6


def test_cancelling_ends_what_is_busy(pool: ProcessPool, members: list[Member]) -> None:
    questions = [MemberQuestion(one, Doing("" if one.name == "m0" else "hang"), NOW_MS) for one in members]
    replies = pool.ask(questions, 60.0)
    assert next(replies).member == "m0"
    begun = time.monotonic()
    replies.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < 5


def test_placing_is_by_weight_and_moves_few() -> None:
    members = [Member(f"m{number}", weight=50.0 if number == 0 else 1.0) for number in range(100)]
    three = placed(members, ["a", "b", "c"])
    loads = {worker: sum(one.weight for one in members if three[one.name] == worker) for worker in "abc"}
    assert max(loads.values()) <= 1.1 * 149 / 3
    two = placed(members, ["a", "b"])
    moved = [one.name for one in members if three[one.name] != two[one.name] and three[one.name] != "c"]
    assert len(moved) < 25
    assert placed(list(reversed(members)), ["c", "a", "b"]) == three
    assert placed(members, []) == {}
