"""The pools of processes and of a cluster: replies as they come; a member that hangs or dies is a line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from brvtui import programs
from brvtui.disk.locks import is_running
from brvtui.fleet import finding
from brvtui.fleet.answering import Asker, AskingStopped
from brvtui.fleet.asking import MemberQuestion
from brvtui.fleet.finding import entry_for, fleet_of, fleet_over
from brvtui.fleet.fleet_file import AbsenceKind, FleetEntry, FleetError, Member, add_entry, read_entries
from brvtui.fleet.opening import OpenMember
from brvtui.fleet.pool import ProcessPool, placed
from tests.support.recorded import REPOSITORY
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
        if self.what.startswith("/"):  # a file: a child's id is written to it, and the child outlives the question
            child = subprocess.Popen(["/bin/sleep", "300"])
            Path(self.what).write_text(str(child.pid))
            time.sleep(60)
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


@pytest.mark.long
def test_members_stay_where_they_are_and_one_that_hangs_or_dies_is_a_line(
    pool: ProcessPool, members: list[Member]
) -> None:
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
def test_stopping_waits_for_nobody_and_keeps_the_processes(pool: ProcessPool, members: list[Member]) -> None:
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


def test_a_process_ends_when_nobody_asks_any_more() -> None:
    worker = programs.Worker("brvtui.fleet.pool")
    worker.connection.close()
    assert worker.process.wait(60) in (0, -signal.SIGKILL)


@pytest.mark.long
@pytest.mark.parametrize("end", ["close", "timeout", "killed"])
def test_children_of_a_process_end_with_it(members: list[Member], tmp_path: Path, end: str) -> None:
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


def test_children_of_a_process_end_when_the_process_that_asks_is_killed(members: list[Member], tmp_path: Path) -> None:
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


def test_questions_of_an_attempt_that_failed_are_not_answered_later(
    members: list[Member], monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_an_asker_says_that_it_was_stopped(pool: ProcessPool, members: list[Member]) -> None:
    heard: list[str] = []
    asker = Asker(pool, NOW_MS, replied=lambda reply: heard.append(reply.member), stopped=lambda: bool(heard))
    with pytest.raises(AskingStopped):
        asker.ask(members, Doing(""))
    assert 1 <= len(heard) < len(members)


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


MakeTree = Callable[[str], Tree]


def test_folders_globs_and_names(make_tree: MakeTree, tmp_path: Path) -> None:
    for name in ("a/shop", "b/shop", "orders"):
        make_tree(name).note("d/t/n.md", "A note")
    (tmp_path / "empty").mkdir()
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "mirror.git")], check=True)
    file = tmp_path / "fleet.toml"
    file.write_text(
        'name = "all"\n[[member]]\npath = "*"\nowner = "ops"\n[[member]]\npath = "*/shop"\n'
        '[[member]]\npath = "orders"\n[[member]]\npath = "gone"\n[[member]]\npath = "x"\nspeed = 3\n[[member]]\n'
    )
    made = fleet_of(file)
    assert made.name == "all"
    assert [(one.name, one.owner) for one in made.members] == [
        ("mirror", "ops"), ("orders", "ops"), ("shop", ""), ("b-shop", ""), ("gone", "")
    ]  # fmt: skip
    assert made.members[0].repository == str(tmp_path / "mirror.git")
    lines = [one.why for one in made.absent]
    assert lines == [
        f"{file}: member 5: unknown key speed; known: name, path, repository, spaces, revision, folder, engine, "
        "profile, weight, owner",
        f"{file}: member 6: give one of path, repository and spaces",
    ]
    assert {one.kind for one in made.absent} == {AbsenceKind.ENTRY}
    assert made.notices == (
        f"{tmp_path}/*: 4 places are no memory: no .brv, and no bare repository",
        f"{tmp_path}/orders: is listed more than once; it is one member, orders",
    )


def test_a_glob_without_a_memory_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    made = fleet_over(["p*"], tmp_path)
    assert not made.members
    assert [one.why for one in made.absent] == [
        f"{tmp_path}/p*: no memory there; name folders with .brv, or bare repositories"
    ]


def test_each_space_of_a_data_folder_is_a_member(tmp_path: Path) -> None:
    spaces = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
    for number, space in enumerate(spaces):
        tree = tmp_path / "data" / "projects" / space / "context-tree"
        tree.mkdir(parents=True)
        (tree.parent / "metadata.json").write_text(f'{{"space_name": "Space {number}"}}')
    made = fleet_over(["data"], tmp_path)
    assert [one.name for one in made.members] == ["Space 0", "Space 1"]
    assert made.members[0].path.endswith(f"{spaces[0]}/context-tree")


def test_adding_keeps_the_file_and_refuses_twice(tmp_path: Path, make_tree: MakeTree) -> None:
    make_tree("shop")
    file = tmp_path / "fleet.toml"
    file.write_text('# ours\nname = "all"\n\n[[member]]\npath = "a" # first\n')
    add_entry(file, entry_for("shop", tmp_path, FleetEntry(owner="ops", weight=2.0)))
    assert file.read_text().startswith('# ours\nname = "all"\n\n[[member]]\npath = "a" # first\n')
    assert read_entries(file)[1][1] == FleetEntry(path="shop", owner="ops", weight=2.0)
    for spelling in ("shop", "./shop", str(tmp_path / "shop")):
        with pytest.raises(FleetError, match="shop is listed already"):
            add_entry(file, FleetEntry(path=spelling))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"\xff", "cannot be read as a fleet"),
        (b"members = 3\n", "members cannot be used: a fleet has a name and tables"),
        (b"member = 3\n", "member or name cannot be used"),
    ],
)
def test_a_file_that_is_no_fleet_is_refused(tmp_path: Path, text: bytes, line: str) -> None:
    file = tmp_path / "fleet.toml"
    file.write_bytes(text)
    with pytest.raises(FleetError, match=line):
        fleet_of(file)


def test_a_folder_that_vanishes_leaves_the_others(
    make_tree: MakeTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree("b/shop").note("d/t/n.md", "A note")
    (tmp_path / "a").mkdir()
    scan = os.scandir

    def scandir(folder: str) -> object:
        if folder == f"{tmp_path}/a":
            (tmp_path / "a").rmdir()
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [one.name for one in fleet_over(["*/*"], tmp_path).members] == ["shop"]


def test_a_pattern_stops_at_its_limits_and_keeps_what_it_found(
    make_tree: MakeTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree("shop").note("d/t/n.md", "A note")
    for number in range(30):
        (tmp_path / "deep" / f"{number}" / "inner").mkdir(parents=True)
    monkeypatch.setattr(finding, "_MOST_LOOKED", 60)
    made = fleet_over(["**"], tmp_path)
    assert "shop" in [one.name for one in made.members]
    why = f"{tmp_path}/**: stopped after 60 files and folders; name folders further down"
    assert [one.why for one in made.absent] == [why]
    monkeypatch.setattr(finding, "_MOST_SECONDS", 0.0)
    assert "stopped after 0 files and folders" in fleet_over(["**"], tmp_path).absent[0].why


@pytest.mark.parametrize("part", ["[" * 50_000, "[!" * 50_000, "*a" * 50_000, "?" * 50_000])
def test_a_pattern_with_a_long_name_is_refused(part: str, tmp_path: Path) -> None:
    made = fleet_over([f"x/{part}"], tmp_path)
    assert made.members == ()
    assert "more than 1,000 characters" in made.absent[0].why
    assert len(made.absent[0].why) < 400


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("**", 2),
        ("**/", 2),
        ("**/shop", 1),
        ("sh[o]p/../*", 1),
        ("*/*", 1),
        ("links/**", 0),
        ("no/*/such", 0),
        ("[", 0),
    ],
)
def test_patterns_find_a_memory_once_however_many_links_lead_to_it(
    make_tree: MakeTree, tmp_path: Path, pattern: str, count: int
) -> None:
    make_tree("shop").note("d/t/n.md", "A note")
    (tmp_path / "links").mkdir()
    for number in range(3):
        (tmp_path / "links" / f"{number}").symlink_to(tmp_path / "shop")
    assert len(fleet_over([pattern], tmp_path).members) == count
