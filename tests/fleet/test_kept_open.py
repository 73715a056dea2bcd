"""Members stay open while there is room for their notes; those that nobody asks make room."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.fleet.asking import IDLE_S, MemberQuestion, OpenMembers, ask, close_members, most_notes
from brvtui.fleet.fleet_file import Member
from brvtui.fleet.questions import StateOf
from tests.support.trees import NOW_MS, Tree


@pytest.fixture
def members(make_tree: Callable[[str], Tree]) -> list[Member]:
    """Three members of two notes each."""
    made = []
    for name in ("one", "two", "three"):
        tree = make_tree(name)
        for note in ("b", "c"):
            tree.note(f"a/{name}/{note}.md", "A note")
        made.append(Member(name, str(tree.root)))
    return made


def test_what_finds_no_room_is_opened_for_one_question(members: list[Member], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = OpenMembers(most=5)
    monkeypatch.setattr("brvtui.fleet.asking._open_members", kept)
    now = [1_000.0]
    monkeypatch.setattr("brvtui.fleet.asking.time.monotonic", lambda: now[0])

    def opened() -> list[str]:
        return [one.name for one in members if kept._open.get(one)]

    for _ in range(2):
        assert [ask(MemberQuestion(one, StateOf(), NOW_MS)).value.notes for one in members] == [2, 2, 2]
        assert opened() == ["one", "two"], "they stay, though the third was asked later"
    now[0] += IDLE_S
    for one in members[1:]:
        assert not ask(MemberQuestion(one, StateOf(), NOW_MS)).failure
    assert opened() == ["two", "three"], "nobody asked the first for long"
    close_members()
    assert opened() == []


def test_one_that_is_larger_than_the_room_stays_when_it_is_alone(
    members: list[Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = OpenMembers(most=1)
    monkeypatch.setattr("brvtui.fleet.asking._open_members", kept)
    for one in members:
        assert not ask(MemberQuestion(one, StateOf(), NOW_MS)).failure
    assert list(kept._open) == members[:1]


def test_notes_that_a_member_gained_while_it_is_open_are_counted(
    members: list[Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = OpenMembers(most=5)
    monkeypatch.setattr("brvtui.fleet.asking._open_members", kept)
    assert not ask(MemberQuestion(members[0], StateOf(), NOW_MS)).failure
    for name in ("d", "e"):
        (Path(members[0].path) / f".brv/context-tree/a/one/{name}.md").write_text("# A note\n")
    assert ask(MemberQuestion(members[0], StateOf(), NOW_MS, 0.0)).value.notes == 4
    assert not ask(MemberQuestion(members[1], StateOf(), NOW_MS)).failure
    assert list(kept._open) == members[:1]


def test_the_room_is_a_part_of_this_machine() -> None:
    assert 1_000 < most_notes() < 1_000_000_000
