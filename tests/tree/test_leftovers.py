"""Leftovers of killed saves: removed if the text is known, passed on if they may be the only copy."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.disk.locks import locked
from brvtui.store.drafts import DraftStore
from brvtui.tree.saving import leftovers
from brvtui.tree.saving.file_version import digest
from brvtui.tree.saving.leftovers import OLD_SECONDS, ClearedLeftovers, UnsavedText, clear_leftovers
from tests.support.trees import Tree

LATER = time.time() + OLD_SECONDS + 86_400
_HOLDS_THE_LOCK = """
import sys
from pathlib import Path
from brvtui.disk.locks import locked
with locked(Path(sys.argv[1])):
    print("has it", flush=True)
    input()
"""
OLD, NEW, THEIRS = b"# Old\n", b"# New\n", b"# Theirs\n"


def dead_process() -> int:
    """The id of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


DEAD = dead_process()


def left_by(folder: Path, name: str, data: bytes, process: int = DEAD) -> Path:
    """Writes a file like one left behind by a save in ``process``."""
    file = folder / name.replace(f"-{os.getpid()}-", f"-{process}-")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def whole(note: str = "n.md") -> str:
    return leftovers.whole_name(note, digest(NEW), digest(OLD))


def part(note: str = "n.md") -> str:
    return leftovers.part_name(note, digest(NEW), digest(OLD))


def cleared(tree: Path, now_s: float | None = None) -> tuple[ClearedLeftovers, list[UnsavedText]]:
    """The cleared files, and the texts that were passed on."""
    texts: list[UnsavedText] = []

    def keep(text: UnsavedText) -> bool:
        texts.append(text)
        return True

    return clear_leftovers(tree, now_s or time.time(), keep), texts


def test_leftovers_with_known_text_are_removed(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(NEW)
    replaced = left_by(tmp_path, whole(), OLD)
    removed_note = left_by(tmp_path / "a", leftovers.whole_name("gone.md", old=digest(OLD)), OLD)
    saved = left_by(tmp_path, whole(), NEW)
    empty = left_by(tmp_path / "a" / "b", part(), b"")
    files = (replaced, removed_note, saved, empty)
    found, texts = cleared(tmp_path)
    assert (found.kept, texts) == ((), [])
    assert sorted(found.removed) == sorted(file.relative_to(tmp_path).as_posix() for file in files)
    assert not any(file.exists() for file in files)


@pytest.mark.parametrize(("named", "data", "is_whole"), [(whole, NEW, True), (part, NEW, True), (part, NEW[:3], False)])
@pytest.mark.parametrize("on_disk", [OLD, THEIRS, None])
def test_unsaved_text_is_handed_on(
    tmp_path: Path, named: Callable[[], str], data: bytes, is_whole: bool, on_disk: bytes | None
) -> None:
    file = left_by(tmp_path / "a", named(), data)
    if on_disk:
        (tmp_path / "a/n.md").write_bytes(on_disk)
    base = digest(OLD) if on_disk == OLD else ""
    made_ms = file.stat().st_mtime * 1000
    assert cleared(tmp_path)[1] == [UnsavedText("a/n.md", data, base, made_ms, DEAD, is_whole)]
    assert not file.exists()


def test_unsaved_new_note_is_handed_on(tmp_path: Path) -> None:
    left_by(tmp_path, leftovers.whole_name("n.md", digest(NEW)), NEW)
    (text,) = cleared(tmp_path)[1]
    assert (text.path, text.data, text.base) == ("n.md", NEW, None)


def test_text_from_another_program_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(NEW)
    left_by(tmp_path, whole(), THEIRS)
    (text,) = cleared(tmp_path)[1]
    assert (text.path, text.data, text.base, text.is_whole) == ("n.md", THEIRS, "", True)


def test_leftover_that_nobody_accepts_is_kept(tmp_path: Path) -> None:
    file = left_by(tmp_path, whole(), NEW)
    assert clear_leftovers(tmp_path, LATER, lambda _: False).kept == (file.name,)
    assert file.read_bytes() == NEW


@pytest.mark.parametrize("note", ["n" * 200 + ".md", "é" * 100 + ".md", "a\nb.md", "caf\udce9.md", ".whole.part.md"])
def test_note_of_a_leftover_is_found_by_any_name(tmp_path: Path, note: str) -> None:
    name = whole(note)
    assert len(os.fsencode(name)) <= 255
    assert leftovers.is_leftover(name)
    (tmp_path / note).write_bytes(OLD)
    (tmp_path / "other.md").write_bytes(OLD)
    left_by(tmp_path, name, NEW)
    (text,) = cleared(tmp_path)[1]
    assert (text.path, text.base) == (note, digest(OLD))


def test_opening_a_project_turns_unsaved_texts_into_drafts(tree: Tree) -> None:
    tree.note("auth/a.md", "A")
    before = (tree.tree / "auth/a.md").read_bytes()
    folder = tree.tree / "auth"
    saving = {
        left_by(folder, leftovers.whole_name("a.md", digest(NEW), digest(before)), NEW),
        left_by(folder, leftovers.part_name("b.md", digest(NEW)), NEW[:2]),
        left_by(folder, leftovers.whole_name("a.md", digest(NEW), digest(before)), THEIRS),
    }
    session = tree.session()
    assert not any(file.exists() for file in saving)
    drafts = DraftStore(tree.tree).all()
    assert {(draft.path, draft.data) for draft in drafts} == {
        ("auth/a.md", NEW),
        ("auth/a.md", THEIRS),
        ("auth/b.md", NEW[:2]),
    }
    assert not any(draft.is_being_edited for draft in drafts)
    assert [draft.is_on(digest(before)) for draft in drafts if draft.data == NEW] == [True]
    assert session.snapshot.notices == ()
    later = left_by(folder, part(), NEW)
    session.load()
    assert later.exists()


def test_partial_text_covered_by_a_draft_is_removed(tree: Tree) -> None:
    tree.note("auth/a.md", "A")
    DraftStore(tree.tree).keep("auth/a.md", NEW, None, 0)
    torn = left_by(tree.tree / "auth", part("a.md"), NEW[:3])
    tree.session()
    assert not torn.exists()
    assert [draft.data for draft in DraftStore(tree.tree).all()] == [NEW]


def test_leftover_that_cannot_become_a_draft_is_reported(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    tree.note("auth/a.md", "A")
    file = left_by(tree.tree / "auth", whole("a.md"), NEW)
    monkeypatch.setattr(DraftStore, "add", full)
    assert tree.session().snapshot.notices == (
        f"auth/{file.name}: this text is left over from an interrupted save; read it, then remove it",
    )
    assert file.read_bytes() == NEW


def test_files_of_a_save_in_progress_are_kept(tmp_path: Path) -> None:
    mine = left_by(tmp_path, part(), NEW, os.getpid())
    os.utime(mine, (1, 1))
    assert cleared(tmp_path)[0].removed == ()
    gone = left_by(tmp_path, part(), NEW)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS_THE_LOCK, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as saving:
        assert saving.stdout
        assert saving.stdout.readline() == "has it\n"
        assert cleared(tmp_path) == (ClearedLeftovers(), [])
        saving.communicate("\n")
    assert cleared(tmp_path)[0].removed == (gone.name,)
    assert mine.exists()
    assert cleared(tmp_path, LATER)[0].removed == (mine.name,)  # the process id has been reused by another process


def test_files_open_in_another_program_are_kept(tmp_path: Path) -> None:
    left = left_by(tmp_path, whole(), OLD)
    with left.open("ab"):
        assert cleared(tmp_path)[0] == ClearedLeftovers((), (left.name,))
    assert cleared(tmp_path)[0].removed == (left.name,)


def test_each_opening_clears_a_limited_number_of_leftovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_MOST", 2)
    monkeypatch.setattr(leftovers, "_MOST_BYTES", 100)
    for _ in range(5):
        left_by(tmp_path, whole(), NEW)
    huge = left_by(tmp_path / "a", whole(), bytes(101))
    assert [len(cleared(tmp_path)[0].removed) for _ in range(4)] == [2, 2, 1, 0]
    assert huge.exists()


def test_opening_a_tree_examines_a_limited_number_of_leftovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_MOST", 3)
    for _ in range(9):
        left_by(tmp_path, whole(), NEW)
    asked: list[UnsavedText] = []
    found = clear_leftovers(tmp_path, LATER, lambda text: bool(asked.append(text)))
    assert (len(found.kept), len(asked)) == (3, 3)


def test_files_with_other_names_are_kept(tmp_path: Path) -> None:
    known = f"-n{'0' * 32}.n.part"
    others = (
        f".brv-tui-1-abc{known}",
        f".brv-tui-x-01234567{known}",
        f".brv-tui-1-01234567{known}.md",
        f"brv-tui-1-01234567{known}",
        ".brv-tui.toml",
        "note.md",
        ".note.md.swp",
        ".brv-tui-1-01234567-nabc.n.whole",
    )
    for name in others:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".git").mkdir()
    left_by(tmp_path / ".git", part(), b"")
    (tmp_path / "link").symlink_to(tmp_path / ".git")
    (tmp_path / f".brv-tui-{10**30}-01234567{known}").write_bytes(b"")
    (tmp_path / f".brv-tui-{DEAD}-01234567{known}").mkdir()
    (tmp_path / f".brv-tui-{DEAD}-01234568{known}").symlink_to("note.md")
    found = cleared(tmp_path, LATER)[0]
    assert found.removed == (f".brv-tui-{10**30}-01234567{known}",)
    assert {file.name for file in tmp_path.iterdir()} >= set(others)
    assert cleared(tmp_path / "missing") == (ClearedLeftovers(), [])


def test_clearing_without_leftovers_waits_for_no_lock(tmp_path: Path) -> None:
    with locked(tmp_path):
        assert cleared(tmp_path)[0] == ClearedLeftovers()
