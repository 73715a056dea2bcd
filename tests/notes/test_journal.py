"""The journal of changes: undo in order, and problems of topics at their places."""

from __future__ import annotations

import pytest

from brvtui.notes.journal import Journal
from brvtui.notes.plan import ChangedMeanwhile, FileContent, Move, MoveFolder, NoteError, Plan, Write


def clock() -> float:
    return 0.0


def plan(title: str, size: int = 1) -> Plan:
    return Plan(title, (Write(f"{title}.md", None, FileContent(b"x" * size)),))


class Applied:
    """The applied plans as titles, with ``-`` before those that were undone."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.refused = False

    def __call__(self, asked: Plan) -> tuple[str, ...]:
        if self.refused:
            raise NoteError("the file has changed")
        step = asked.steps[0]
        assert isinstance(step, Write)
        self.titles.append(asked.title if step.before is None else f"-{asked.title}")
        return (f"did {asked.title}",)


def test_newest_plan_is_undone_first_and_redone_last() -> None:
    journal, applied = Journal(clock), Applied()
    for title in "abc":
        journal.add(plan(title))
    assert journal.done == ("a", "b", "c")
    undone, message = journal.undo(applied)
    assert (undone.title, message) == ("c", ("did c",))
    journal.undo(applied)
    assert (journal.done, journal.undone) == (("a",), ("c", "b"))
    journal.redo(applied)
    assert (journal.done, journal.undone) == (("a", "b"), ("c",))
    assert journal.depth == 2
    assert applied.titles == ["-c", "-b", "b"]


def test_new_change_clears_the_redo_list() -> None:
    journal, applied = Journal(clock), Applied()
    journal.add(plan("a"))
    journal.undo(applied)
    journal.add(plan("b"))
    assert (journal.done, journal.undone) == (("b",), ())
    with pytest.raises(NoteError, match="nothing to redo"):
        journal.redo(applied)


def test_plan_that_cannot_be_undone_is_dropped() -> None:
    def refused(_: Plan) -> tuple[str, ...]:
        raise ChangedMeanwhile("a;b.md", "the file has changed")

    journal, applied = Journal(clock), Applied()
    for title in "ab":
        journal.add(plan(title))
    with pytest.raises(NoteError) as result:
        journal.undo(refused)
    forgotten = "a;b.md: the file has changed: b can no longer be undone"
    assert str(result.value) == f"{forgotten}; the next undo is the change before it"
    assert (journal.done, journal.undone) == (("a",), ())
    assert journal.undo(applied)[0].title == "a"


def test_message_names_no_other_plan_if_the_only_one_is_dropped() -> None:
    def refused(_: Plan) -> tuple[str, ...]:
        raise ChangedMeanwhile("a.md", "the file has changed")

    journal = Journal(clock)
    journal.add(plan("a"))
    with pytest.raises(NoteError) as result:
        journal.undo(refused)
    assert str(result.value) == "a.md: the file has changed: a can no longer be undone"


def test_undo_without_changes_is_refused() -> None:
    with pytest.raises(NoteError, match="nothing to undo in this session"):
        Journal(clock).undo(Applied())


def test_refused_undo_changes_nothing() -> None:
    journal, applied = Journal(clock), Applied()
    journal.add(plan("a"))
    journal.add(plan("b"))
    journal.undo(applied)
    applied.refused = True
    for turn in (journal.undo, journal.redo):
        with pytest.raises(NoteError, match="the file has changed"):
            turn(applied)
    assert (journal.done, journal.undone) == (("a",), ("b",))


def test_oldest_plans_are_dropped_at_the_limit() -> None:
    journal = Journal(clock, most_plans=3)
    for title in "abcde":
        journal.add(plan(title))
    assert journal.done == ("c", "d", "e")
    journal = Journal(clock, most_bytes=10)
    for title in "abc":
        journal.add(plan(title, 4))
    assert journal.done == ("b", "c")
    journal.add(plan("large", 100))
    assert journal.done == ("large",)


def test_journal_finds_the_current_path_of_a_moved_note() -> None:
    journal = Journal(clock)
    journal.add(Plan("rename", (Move("a/one.md", "a/two.md", "0"),)))
    journal.add(Plan("move the folder", (MoveFolder("a", "b"),)))
    assert journal.path_now("a/one.md", 0) == "b/two.md"
    assert journal.path_now("a/other/three.md", 0) == "b/other/three.md"
    assert journal.path_now("ab/four.md", 0) == "ab/four.md"
    journal.undo(lambda plan: ())
    assert journal.path_now("a/one.md", 0) == "a/two.md"
    journal.undo(lambda plan: ())
    assert journal.path_now("a/two.md", 0) == "a/one.md", "it was there until that was undone"


def test_journal_finds_the_note_that_had_a_path_at_a_time() -> None:
    times = iter((10.0, 20.0, 30.0))
    journal = Journal(lambda: next(times))
    journal.add(Plan("rename", (Move("a/x.md", "b/x.md", "0"),)))
    journal.add(Plan("new note a/x.md", (Write("a/x.md", None, FileContent(b"another")),)))
    journal.add(Plan("move the folder", (MoveFolder("a", "c"),)))
    assert [journal.path_now("a/x.md", at_ms) for at_ms in (5, 10, 15, 30, 35)] == [
        "b/x.md", "b/x.md", "c/x.md", "c/x.md", "a/x.md",
    ]  # fmt: skip


def test_journal_remembers_only_the_newest_moves() -> None:
    journal = Journal(clock)
    for number in range(1001):
        journal.add(Plan("rename", (Move(f"{number}.md", f"{number}/moved.md", "0"),)))
    assert (journal.path_now("0.md", 0), journal.path_now("1.md", 0)) == ("0.md", "1/moved.md")


def test_move_that_can_no_longer_be_undone_remains_in_effect() -> None:
    journal = Journal(clock)
    journal.add(Plan("rename", (Move("x.md", "y.md", "0"),)))

    def refuse(plan: Plan) -> tuple[str, ...]:
        raise ChangedMeanwhile("y.md", "it changed since")

    with pytest.raises(NoteError, match="can no longer be undone"):
        journal.undo(refuse)
    assert (journal.path_now("x.md", 0), journal.depth) == ("y.md", 0)
