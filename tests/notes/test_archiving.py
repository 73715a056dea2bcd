"""Archiving and restoring: files equal the engine's, no text is lost, and no path points outside the tree."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.notes import applying
from brvtui.notes.applying import PlanTarget, apply
from brvtui.notes.operations import plan_archive, plan_restore
from brvtui.notes.plan import NoteError, Plan, Step
from brvtui.notes.signals import SignalSources
from brvtui.store.overlay import Overlay
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.reading.files import ARCHIVE
from brvtui.tree.reading.signals import Source, defaults
from tests.notes.conftest import Files, files_of
from tests.support.archived import AGAIN, BACKSLASH, CASES, NOT_UTF8, RECORDED_MS, TWICE, as_bytes
from tests.support.examples import examples
from tests.support.trees import BRV3, NOW_MS, Tree, stored

REFUSED = {NOT_UTF8, BACKSLASH, TWICE}
NONE = SignalSources()
STUB = "---\noriginal_path: {original}\npoints_to: {full}\ntype: archive_stub\n---\ncue..."
OVERLAY = stored(importance=77, source=Source.OVERLAY)


def contents(files: Files) -> dict[str, bytes]:
    return {path: data for path, (data, _) in files.items()}


def recorded(files: dict[str, Any]) -> dict[str, bytes]:
    return {path: as_bytes(data) for path, data in files.items()}


def written(tree: Tree, case: dict[str, Any]) -> None:
    for path, data in case["before"].items():
        tree.file(path, as_bytes(data), days=3)
    for path, signals in case["signals"].items():
        tree.sidecar_file(path, signals)


@pytest.mark.parametrize("case", [case for name, case in CASES.items() if name not in REFUSED], ids=lambda c: c["id"])
def test_archived_files_match_the_engine(tree: Tree, case: dict[str, Any], files: Callable[[], Files]) -> None:
    written(tree, case)
    before = files()
    notes = tree.session(now_ms=RECORDED_MS).notes
    notes.apply(notes.plan_archive(case["path"]))
    archived = files()
    assert contents(archived) == recorded(case["after_archive"])
    for path, text in case["rewritten"].items():
        tree.file(path, text)
    stub = archived_as(case["path"]).stub
    if case["id"] == AGAIN:
        with pytest.raises(NoteError, match="exists again with a different text"):
            notes.plan_restore(stub)
        (tree.tree / case["path"]).unlink()
    else:
        notes.apply(notes.plan_restore(stub))
        assert contents(files()) == recorded(case["after_restore"])
        notes.undo()
        assert contents(files()) == contents(archived)
    notes.undo()
    assert files() == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (NOT_UTF8, "byte 7 is not UTF-8"),
        (BACKSLASH, "cannot restore a note with"),
        (TWICE, r"is archived as _archived/yard/gates/north\.stub\.md; restore or move that one first"),
    ],
)
def test_archiving_that_loses_text_in_the_engine_is_refused(
    tree: Tree, name: str, message: str, files: Callable[[], Files]
) -> None:
    case = CASES[name]
    written(tree, case)
    before = files()
    with pytest.raises(NoteError, match=message):
        tree.session().notes.plan_archive(case["path"])
    assert files() == before


def test_read_only_note_is_not_changed(tree: Tree, files: Callable[[], Files]) -> None:
    note = tree.file("yard/gates/north.md", "# North\n\ngate\n")
    note.chmod(0o444)
    before = files()
    notes = tree.session().notes
    with pytest.raises(NoteError, match=r"^yard/gates/north.md is read-only; make it writable and try again$"):
        notes.apply(notes.plan_archive("yard/gates/north.md"))
    assert files() == before


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("_archived/a.stub.md", "only notes can be archived"),
        ("_archived/a.full.md", r"this note is archived already; restore it from its stub _archived/a\.stub\.md"),
        ("_archived/a.md", "only notes can be archived"),
        ("a/_index.md", "only notes can be archived"),
        ("a/b.abstract.md", "only notes can be archived"),
        ("a/b.txt", r"must end in \.md"),
    ],
)
def test_only_notes_are_archived(tree: Tree, path: str, message: str) -> None:
    tree.file(path, "x")
    with pytest.raises(NoteError, match=message):
        plan_archive(tree.tree, path, NONE, NOW_MS, BRV3)


@pytest.mark.parametrize("path", ["../out.md", "a/../../out.md", "/out.md", "gone.md", "a/.hidden.md"])
def test_paths_that_are_not_notes_are_refused(tree: Tree, path: str) -> None:
    tree.note("a/n.md", "N")
    (tree.tree.parent / "out.md").write_text("secret")
    with pytest.raises(NoteError):
        plan_archive(tree.tree, path, NONE, NOW_MS, BRV3)


@pytest.mark.parametrize(
    ("original", "full"),
    [
        ("../../../escaped.md", "_archived/a.full.md"),
        ("/tmp/escaped.md", "_archived/a.full.md"),
        ("a/.git/escaped.md", "_archived/a.full.md"),
        (".escaped.md", "_archived/a.full.md"),
        ("a/b.md", "../config.full.md"),
        ("a/b.md", "_archived/../../config.full.md"),
        ("a/b.md", "a/other.md"),
        ("a/b.md", "_archived/gone.full.md"),
        ("a/b.md", "_archived/link.full.md"),
    ],
)
def test_stubs_that_point_elsewhere_are_refused(
    tree: Tree, original: str, full: str, files: Callable[[], Files]
) -> None:
    tree.file("_archived/a.full.md", "full")
    tree.file("a/other.md", "other")
    (tree.root / "secret.md").write_text("secret")
    (tree.tree / "_archived/link.full.md").symlink_to(tree.root / "secret.md")
    tree.file("_archived/a.stub.md", STUB.format(original=original, full=full))
    before = files()
    with pytest.raises(NoteError):
        plan_restore(tree.tree, "_archived/a.stub.md", NONE)
    assert files() == before


@pytest.mark.parametrize("path", ["a/n.md", "_archived/a.full.md", "../x.stub.md", "_archived/gone.stub.md"])
def test_files_that_are_not_stubs_are_refused(tree: Tree, path: str) -> None:
    tree.note("a/n.md", "N")
    tree.file("_archived/a.full.md", "full")
    with pytest.raises(NoteError):
        plan_restore(tree.tree, path, NONE)


class Killed(BaseException):
    """Simulates the end of the process, without any cleanup."""


def killed_before(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Ends the process before the step with this number."""
    original = applying._apply_step
    taken = 0

    def take(place: PlanTarget, step: Step) -> list[str]:
        nonlocal taken
        if taken == number:
            raise Killed
        taken += 1
        return original(place, step)

    monkeypatch.setattr(applying, "_apply_step", take)


def after_a_crash(
    tree: Tree, place: PlanTarget, plan: Plan, monkeypatch: pytest.MonkeyPatch, number: int
) -> dict[str, bytes]:
    """The files after ``plan`` was killed before step ``number``. The text is in one of them."""
    with monkeypatch.context() as patch:
        killed_before(patch, number)
        with pytest.raises(Killed):
            apply(place, plan)
    found = contents(files_of(tree.tree))
    assert b"the text" in found.values()
    return found


@pytest.mark.parametrize("number", range(4))
def test_interrupted_archiving_keeps_all_text_and_can_resume(
    tree: Tree, place: PlanTarget, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    tree.file("a/n.md", "the text", days=3)
    place.overlay.write({"a/n.md": OVERLAY})
    known = SignalSources(overlay=OVERLAY)
    plan = plan_archive(tree.tree, "a/n.md", known, NOW_MS, BRV3)
    assert len(plan.steps) == 4
    found = after_a_crash(tree, place, plan, monkeypatch, number)
    if "a/n.md" in found:
        apply(place, plan_archive(tree.tree, "a/n.md", known, NOW_MS, BRV3))
    assert set(files_of(tree.tree)) == {"_archived/a/n.full.md", "_archived/a/n.stub.md"}
    assert (tree.tree / "_archived/a/n.full.md").read_text() == "the text"
    apply(place, plan_restore(tree.tree, "_archived/a/n.stub.md", NONE))
    assert contents(files_of(tree.tree)) == {"a/n.md": b"the text"}


@pytest.mark.parametrize("number", range(3))
def test_interrupted_restoring_keeps_all_text_and_can_resume(
    tree: Tree, place: PlanTarget, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    tree.file("a/n.md", "the text", days=3)
    apply(place, plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3))
    plan = plan_restore(tree.tree, "_archived/a/n.stub.md", NONE)
    assert len(plan.steps) == 3
    found = after_a_crash(tree, place, plan, monkeypatch, number)
    if "_archived/a/n.stub.md" in found:
        apply(place, plan_restore(tree.tree, "_archived/a/n.stub.md", NONE))
    found = contents(files_of(tree.tree))
    assert found.pop("a/n.md") == b"the text"
    assert set(found) <= {"_archived/a/n.full.md"}
    apply(place, plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3))
    assert set(files_of(tree.tree)) == {"_archived/a/n.full.md", "_archived/a/n.stub.md"}


@pytest.mark.parametrize(
    "there", [{"stub": "old", "full": "old"}, {"stub": "old"}, {"full": "old"}, {"stub": "old", "full": ""}]
)
def test_older_archived_note_with_the_same_name_is_kept(tree: Tree, there: dict[str, str]) -> None:
    tree.note("a/n.md", "N")
    for kind, text in there.items():
        tree.file(f"_archived/a/n.{kind}.md", text)
    with pytest.raises(NoteError, match="an older note with this name is archived as _archived/a/n"):
        plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3)


def test_changed_note_is_not_archived(tree: Tree, place: PlanTarget) -> None:
    tree.note("a/n.md", "N")
    plan = plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3)
    tree.note("a/n.md", "N, changed")
    with pytest.raises(NoteError, match="the file has changed"):
        apply(place, plan)
    assert set(files_of(tree.tree)) == {"a/n.md"}


def test_archived_note_keeps_its_permissions(tree: Tree, place: PlanTarget) -> None:
    tree.note("a/n.md", "N")
    (tree.tree / "a/n.md").chmod(0o600)
    apply(place, plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3))
    modes = {stat.S_IMODE(file.stat().st_mode) for file in (tree.tree / "_archived/a").iterdir()}
    assert modes == {0o600}
    apply(place, plan_restore(tree.tree, "_archived/a/n.stub.md", NONE))
    assert stat.S_IMODE((tree.tree / "a/n.md").stat().st_mode) == 0o600


def test_default_importance_in_a_stub_is_reported(tree: Tree) -> None:
    tree.note("a/n.md", "N")
    plan = plan_archive(tree.tree, "a/n.md", SignalSources(overlay=OVERLAY), NOW_MS, BRV3)
    assert len(plan.notices) == 1
    assert "50" in plan.notices[0]
    assert not plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3).notices


def test_default_importance_is_reported_once_and_only_if_it_differs(tree: Tree) -> None:
    Overlay(tree.tree).write({"a/m.md": OVERLAY, "a/n.md": OVERLAY, "a/o.md": stored(source=Source.OVERLAY)})
    for name in "mno":
        tree.note(f"a/{name}.md", name)
    notes = tree.session().notes
    assert len(notes.plan_archiving(["a/m.md", "a/n.md"]).notices) == 1
    assert not notes.plan_archiving(["a/o.md"]).notices
    for importance, count in ((50, 0), (70, 1)):
        tree.file("a/p.md", f"---\nimportance: {importance}\n---\n# P\n")
        plan = plan_archive(tree.tree, "a/p.md", SignalSources(reads_frontmatter=True), NOW_MS, BRV3)
        assert len(plan.notices) == count


def test_notes_with_links_to_archived_notes_are_named(tree: Tree) -> None:
    for name, text in (
        ("m", "@a/b/n.md"),
        ("n", "@a/b/m.md"),
        ("o", "[m](m.md) and @a/b/m.md, @a/b/n.md"),
        ("p", "@a/b/m.md"),
    ):
        tree.file(f"a/b/{name}.md", f"# {name}\n\n{text}\n")
    notes = tree.session().notes
    (one,) = notes.plan_archiving(["a/b/n.md"]).notices
    assert "2 notes link to a/b/n.md (a/b/m.md, a/b/o.md)" in one
    (both,) = notes.plan_archiving(["a/b/n.md", "a/b/m.md"]).notices
    assert "2 notes link to a/b/m.md (a/b/o.md, a/b/p.md)" in both
    assert "1 note links to a/b/n.md (a/b/o.md)" in both
    assert not notes.plan_archiving(["a/b/o.md"]).notices


def test_sidecar_signals_are_kept_and_reported(tree: Tree) -> None:
    tree.note("a/n.md", "N")
    kept = tree.sidecar_file("a/n.md", {"importance": 33.25, "maturity": "validated"})
    before = kept.read_bytes()
    notes = tree.session().notes
    done = notes.apply(notes.plan_archive("a/n.md"))
    assert done.notices == ("a/n.md: its signals remain in ByteRover's own store; brv itself would remove them",)
    assert "evicted_importance: 33.25\n" in (tree.tree / "_archived/a/n.stub.md").read_text()
    done = notes.apply(notes.plan_restore("_archived/a/n.stub.md"))
    was = "(importance 33.25, validated)"
    message = f"a/n.md: starts with the signals in ByteRover's own store {was}; brv itself would reset them"
    assert done.notices == (message,)
    assert kept.read_bytes() == before


def test_overlay_signals_are_archived_and_restored(tree: Tree) -> None:
    tree.note("a/n.md", "N")
    overlay = Overlay(tree.tree)
    overlay.write({"a/n.md": OVERLAY})
    base = defaults(BRV3.signals)
    notes = tree.session().notes
    notes.apply(notes.plan_archive("a/n.md"))
    assert overlay.read(base) == {}
    assert "evicted_importance: 50\n" in (tree.tree / "_archived/a/n.stub.md").read_text()
    notes.undo()
    assert overlay.read(base) == {"a/n.md": OVERLAY}
    notes.redo()
    notes.apply(notes.plan_restore("_archived/a/n.stub.md"))
    assert overlay.read(base) == {}


def test_restoring_keeps_invalid_utf8_bytes(tree: Tree, place: PlanTarget) -> None:
    tree.file("_archived/a/n.full.md", b"# \xe4\n")
    tree.file("_archived/a/n.stub.md", STUB.format(original="a/n.md", full="_archived/a/n.full.md"))
    apply(place, plan_restore(tree.tree, "_archived/a/n.stub.md", NONE))
    assert contents(files_of(tree.tree)) == {"a/n.md": b"# \xe4\n"}


def test_restoring_a_note_resets_its_age(tree: Tree, place: PlanTarget) -> None:
    tree.note("a/n.md", "N", days=90)
    old = (tree.tree / "a/n.md").stat().st_mtime_ns
    apply(place, plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3))
    apply(place, plan_restore(tree.tree, "_archived/a/n.stub.md", NONE))
    assert (tree.tree / "a/n.md").stat().st_mtime_ns > old


@given(st.text(), st.sampled_from(["n.md", "a/n.md", "a/b/c/d/n.md", "a/context.md", "a/n m.md", "日/本.md"]))
@examples(50)
def test_restoring_an_archived_note_restores_every_byte(
    tmp_path_factory: pytest.TempPathFactory, text: str, path: str
) -> None:
    tree = Tree(tmp_path_factory.mktemp("tree") / "p")
    place = PlanTarget(tree.tree, Overlay(tree.tree), defaults(BRV3.signals))
    tree.file(path, text.encode("utf-8", "replace"), days=3)
    before = files_of(tree.tree)
    plan: Plan = plan_archive(tree.tree, path, NONE, NOW_MS, BRV3)
    apply(place, plan)
    assert all(name.startswith(f"{ARCHIVE}/") for name in files_of(tree.tree))
    apply(place, plan_restore(tree.tree, archived_as(path).stub, NONE))
    assert contents(files_of(tree.tree)) == contents(before)
    apply(place, plan_archive(tree.tree, path, NONE, NOW_MS, BRV3))
    apply(place, plan.reverse())
    assert files_of(tree.tree) == before


def test_archiving_changes_no_other_file(tree: Tree, place: PlanTarget) -> None:
    outside = Path(tree.root / "notes.md")
    outside.write_text("mine")
    tree.note("a/n.md", "N")
    tree.note("a/m.md", "M")
    apply(place, plan_archive(tree.tree, "a/n.md", NONE, NOW_MS, BRV3))
    assert outside.read_text() == "mine"
    assert (tree.tree / "a/m.md").read_text() == "# M\n\n\n"
