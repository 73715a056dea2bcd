"""Plans: all steps are applied or none, other writers' changes are kept, and undoing restores every byte."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.notes import applying
from brvtui.notes.applying import PlanTarget, apply, read_content
from brvtui.notes.plan import FileContent, Move, MoveFolder, NoteError, Plan, Record, Recorded, Step, Write
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import Source, defaults
from brvtui.tree.saving.file_version import FileVersion, digest
from brvtui.tree.saving.note_files import Saved, SaveError
from tests.notes.conftest import Files, files_of
from tests.support.trees import BRV3, Tree, stored

SIGNALS = stored(importance=77, source=Source.OVERLAY)
OTHERS = stored(importance=12, source=Source.OVERLAY)


@pytest.fixture
def three(tree: Tree) -> Tree:
    for number, name in enumerate(("a", "b", "c"), start=1):
        tree.file(f"x/{name}.md", name, days=number)
    return tree


def steps_of(tree: Path) -> tuple[Step, ...]:
    """One step of each kind."""
    return (
        Write("x/a.md", read_content(tree, "x/a.md"), FileContent(b"A", read_content(tree, "x/a.md").mtime_ns)),
        Write("new/n.md", None, FileContent(b"new", 5_000_000_000, 0o640)),
        Write("x/b.md", read_content(tree, "x/b.md"), None),
        Move("x/c.md", "y/c.md", digest(b"c")),
        Record((Recorded("x/a.md", None, SIGNALS),)),
        MoveFolder("x", "z/x"),
        Write("z/x/a.md", FileContent(b"A"), FileContent(b"AA")),
    )


def test_every_kind_of_step_is_applied_and_undone(three: Tree, place: PlanTarget, files: Callable[[], Files]) -> None:
    before = files()
    plan = Plan("all", steps_of(three.tree))
    assert apply(place, plan) == ()
    after = files()
    assert {path: data for path, (data, _) in after.items()} == {"new/n.md": b"new", "y/c.md": b"c", "z/x/a.md": b"AA"}
    assert after["new/n.md"][1] == 5_000_000_000
    assert after["y/c.md"] == before["x/c.md"]
    assert stat.S_IMODE((three.tree / "new/n.md").stat().st_mode) == 0o640
    assert place.overlay.read(place.defaults) == {"x/a.md": SIGNALS}
    apply(place, plan.reverse())
    assert files() == before
    assert place.overlay.read(place.defaults) == {}


@pytest.mark.parametrize("failing", range(7))
def test_failing_step_undoes_earlier_steps(
    three: Tree, place: PlanTarget, files: Callable[[], Files], monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    before = files()
    taken = 0
    original = applying._apply_step

    def take(place: PlanTarget, step: Step) -> list[str]:
        nonlocal taken
        taken += 1
        if taken == failing + 1:
            raise OSError(28, "No space left on device")
        return original(place, step)

    monkeypatch.setattr(applying, "_apply_step", take)
    with pytest.raises(NoteError, match=r"^No space left on device$"):
        apply(place, Plan("all", steps_of(three.tree)))
    assert files() == before
    assert place.overlay.read(place.defaults) == {}


def test_impossible_undo_is_reported(three: Tree, place: PlanTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    original = applying._apply_step

    def take(place: PlanTarget, step: Step) -> list[str]:
        if isinstance(step, Move):
            (three.tree / "x/a.md").write_text("somebody else's")
            raise OSError(28, "No space left on device")
        return original(place, step)

    monkeypatch.setattr(applying, "_apply_step", take)
    message = (
        "^No space left on device; and the changes made before that could not be undone: x/a.md: the file has changed"
    )
    with pytest.raises(NoteError, match=message):
        apply(place, Plan("all", steps_of(three.tree)))
    assert (three.tree / "x/a.md").read_text() == "somebody else's"


def test_undo_keeps_the_last_copy_of_a_note(three: Tree, place: PlanTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    def remove(tree: Path, path: str, seen: FileVersion) -> Saved:
        (tree / path).unlink()
        raise SaveError(f"{path}: not done: Input/output error; fix that and try again")

    monkeypatch.setattr(applying.note_files, "remove", remove)
    plan = Plan(
        "archive",
        (Write("y/copy.md", None, FileContent(b"a")), Write("x/a.md", read_content(three.tree, "x/a.md"), None)),
    )
    with pytest.raises(NoteError, match=r"^x/a.md: not done: .*; the changes made before that remain$"):
        apply(place, plan)
    assert (three.tree / "y/copy.md").read_bytes() == b"a"


def test_plan_is_undone_if_a_file_vanishes_while_it_is_applied(
    three: Tree, place: PlanTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = Move("x/a.md", "y/a.md", digest(b"a"))
    plan = Plan("move", (move, Write("x/b.md", read_content(three.tree, "x/b.md"), FileContent(b"see y/a.md"))))
    original = applying._apply_step

    def take(place: PlanTarget, step: Step) -> list[str]:
        if isinstance(step, Write):
            (three.tree / "x/b.md").unlink()
        return original(place, step)

    monkeypatch.setattr(applying, "_apply_step", take)
    with pytest.raises(NoteError, match=r"^x/b\.md: not done: there is no such file or folder; [^;]*$"):
        apply(place, plan)
    assert (three.tree / "x/a.md").read_bytes() == b"a"
    assert not (three.tree / "y").exists()


def test_unconfirmed_change_is_applied_and_reported(
    three: Tree, place: PlanTarget, files: Callable[[], Files], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files()
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(5, "Input/output error")
        sync(descriptor)

    (three.tree / "y").mkdir()
    plan = Plan("all", (Write("x/n.md", None, FileContent(b"n")), Move("x/c.md", "y/c.md", digest(b"c"))))
    monkeypatch.setattr(os, "fsync", fsync)
    message = apply(place, plan)
    assert [line.partition(":")[0] for line in message] == ["x/n.md", "y/c.md"]
    assert {"x/n.md", "y/c.md"} <= set(files())
    monkeypatch.setattr(
        applying.note_files, "remove", lambda *_: (_ for _ in ()).throw(SaveError("x/b.md: not done: no; try again"))
    )
    (three.tree / "x/n.md").unlink()
    os.replace(three.tree / "y/c.md", three.tree / "x/c.md")
    plan = Plan(
        "two", (Move("x/c.md", "y/c.md", digest(b"c")), Write("x/b.md", read_content(three.tree, "x/b.md"), None))
    )
    with pytest.raises(NoteError, match=r"^x/b.md: not done: no; try again$"):
        apply(place, plan)
    assert files() == before


@pytest.mark.parametrize(
    ("step", "change", "message"),
    [
        (Write("x/a.md", FileContent(b"a"), FileContent(b"A")), "x/a.md", "x/a.md: the file has changed"),
        (Write("x/a.md", FileContent(b"a"), None), "x/a.md", "x/a.md: the file has changed"),
        (Write("x/n.md", None, FileContent(b"n")), "x/n.md", "x/n.md: already exists"),
        (Move("x/a.md", "x/n.md", digest(b"a")), "x/a.md", "x/a.md: the file has changed"),
        (Move("x/a.md", "x/n.md", digest(b"a")), "x/n.md", "x/n.md: already exists"),
        (MoveFolder("x", "y"), "y/n.md", "y: already exists"),
    ],
)
def test_plan_is_refused_if_a_file_changed(
    three: Tree, place: PlanTarget, files: Callable[[], Files], step: Step, change: str, message: str
) -> None:
    plan = Plan("one", (Write("first.md", None, FileContent(b"first")), step))
    three.file(change, "somebody else's")
    before = files()
    with pytest.raises(NoteError, match=message):
        apply(place, plan)
    assert files() == before


@pytest.mark.parametrize(
    "step", [Write("x/a.md", FileContent(b"a"), FileContent(b"A")), Move("x/a.md", "x/n.md", digest(b"a"))]
)
def test_plan_is_refused_if_a_note_is_gone(three: Tree, place: PlanTarget, step: Step) -> None:
    (three.tree / "x/a.md").unlink()
    with pytest.raises(NoteError, match=r"x/a.md: "):
        apply(place, Plan("one", (step,)))


def test_change_after_the_first_check_is_refused(
    three: Tree, place: PlanTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "_check", lambda place, steps: None)
    three.file("x/a.md", "somebody else's")
    three.file("x/n.md", "somebody else's")
    for step, message in (
        (Write("x/a.md", FileContent(b"a"), FileContent(b"A")), "x/a.md: the file has changed"),
        (Write("x/a.md", FileContent(b"a"), None), "x/a.md: the file has changed"),
        (Write("x/n.md", None, FileContent(b"n")), "x/n.md: already exists"),
        (Move("x/a.md", "x/m.md", digest(b"a")), "x/a.md: the file has changed"),
        (Record((Recorded("x/a.md", SIGNALS, None),)), "x/a.md: its recorded signals have changed"),
    ):
        with pytest.raises(NoteError, match=message):
            apply(place, Plan("one", (step,)))


def test_plan_is_refused_if_recorded_signals_changed(three: Tree, place: PlanTarget) -> None:
    place.overlay.write({"x/a.md": OTHERS, "x/b.md": SIGNALS})
    plan = Plan("one", (Record((Recorded("x/b.md", SIGNALS, None), Recorded("x/a.md", SIGNALS, None))),))
    with pytest.raises(NoteError, match=r"x/a.md: its recorded signals have changed"):
        apply(place, plan)
    assert place.overlay.read(place.defaults) == {"x/a.md": OTHERS, "x/b.md": SIGNALS}


def test_save_messages_are_returned(three: Tree, place: PlanTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(*_: object, **__: object) -> Saved:
        return Saved(None, ("owner",), "x/.kept")

    monkeypatch.setattr(applying.note_files, "save", save)
    message = apply(place, Plan("one", (Write("x/a.md", FileContent(b"a"), FileContent(b"A")),)))
    assert message == (
        "x/a.md: its owner could not be preserved",
        "x/a.md: another program has it open; whatever that program writes is kept in x/.kept",
    )


@pytest.mark.parametrize("path", ["../out.md", "/tmp/out.md", "x/.hidden.md", "x/out.txt"])
def test_paths_outside_the_tree_are_refused(three: Tree, place: PlanTarget, path: str) -> None:
    for step in (Write(path, None, FileContent(b"n")), Move("x/a.md", path, digest(b"a"))):
        with pytest.raises(NoteError):
            apply(place, Plan("one", (step,)))
    assert (three.tree / "x/a.md").read_text() == "a"


@pytest.mark.parametrize(("path", "target"), [("x", "x/y"), ("x", "x"), ("x", "../x"), ("x", ".x"), ("x/a.md", "y")])
def test_impossible_folder_moves_are_refused(three: Tree, place: PlanTarget, path: str, target: str) -> None:
    with pytest.raises(NoteError):
        apply(place, Plan("one", (MoveFolder(path, target),)))
    assert (three.tree / "x/a.md").read_text() == "a"


NAMES = st.sampled_from(["x/a.md", "x/b.md", "y/c.md", "d.md"])


@given(st.lists(st.tuples(NAMES, st.one_of(NAMES, st.binary(max_size=4), st.none())), max_size=8))
def test_undo_of_any_plan_restores_every_byte(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[str, str | bytes | None]]
) -> None:
    tree = Tree(tmp_path_factory.mktemp("tree") / "p")
    place = PlanTarget(tree.tree, Overlay(tree.tree), defaults(BRV3.signals))
    tree.file("x/a.md", "a", days=1)
    tree.file("x/b.md", "b", days=2)
    before = files_of(tree.tree)
    now: dict[str, FileContent] = {path: read_content(tree.tree, path) for path in before}
    steps: list[Step] = []
    for path, change in moves:
        if isinstance(change, str):
            if path not in now or change in now:
                continue
            steps.append(Move(path, change, digest(now[path].data)))
            now[change] = now.pop(path)
        elif change is not None or path in now:
            after = None if change is None else FileContent(change)
            steps.append(Write(path, now.get(path), after))
            now = {name: kept for name, kept in now.items() if name != path} | ({path: after} if after else {})
    plan = Plan("any", tuple(steps))
    apply(place, plan)
    after_all = {path: data for path, (data, _) in files_of(tree.tree).items()}
    assert after_all == {path: kept.data for path, kept in now.items()}
    apply(place, plan.reverse())
    assert files_of(tree.tree) == before
    apply(place, plan)
    assert {path: data for path, (data, _) in files_of(tree.tree).items()} == after_all
