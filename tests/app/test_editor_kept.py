"""No text is lost: drafts until exit, undo across line ends, binary files, and late notes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.editing import note_on_disk, note_saving
from brvtui.app.editing.note_on_disk import MOST_CHARS, DraftRequest, NoteOpened, OnDisk
from brvtui.app.editing.note_saving import SaveConflict, SaveResult
from brvtui.app.editing.questions import ConflictDialog, DiffPane, DraftDialog, GoneDialog, LeavingDialog
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.query.screen import QueryScreen
from brvtui.session import Session
from brvtui.store.drafts import DraftStore
from brvtui.tree.saving.note_files import read_note_file
from tests.app import waiting
from tests.app.driving import WIDE, ask, at_once, on, settled, until
from tests.app.editing import NOTE, area, drafted, looked, type_in_note, type_keys
from tests.app.looking import AppPilot, brv, flat, frame, shown, toast_text, view
from tests.support.trees import NOW_MS, Tree

pytestmark = pytest.mark.long

_TEXT = "# Rollback\n👩\u200d🚀 ❤\ufe0f می\u200cخواهم \u00ad\none\ntwo\n"


@pytest.fixture
def garden(garden: Tree) -> Tree:
    """The garden with a note of a few lines."""
    garden.file(NOTE, _TEXT, 3)
    return garden


def _on_disk(garden: Tree) -> bytes:
    return (garden.tree / NOTE).read_bytes()


async def _changed(pilot: AppPilot, garden: Tree, theirs: bytes | None, key: str = "x") -> None:
    """Types ``key`` while another program writes or removes the note."""
    await type_in_note(pilot, key)
    if theirs is None:
        (garden.tree / NOTE).unlink()
    else:
        garden.file(NOTE, theirs, 0)
    await until(pilot, lambda: view(pilot).editor.edit and view(pilot).editor.edit.on_disk)  # type: ignore[union-attr]


async def _asked(pilot: AppPilot) -> None:
    await on(pilot, ConflictDialog, "ctrl+s")
    await settled(pilot)


# drafts


async def test_saving_on_quit_leaves_no_draft(app: BrvTui, garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the draft is still being written when the app quits."""
    is_wanted = threading.Event()
    keep = note_on_disk.write_draft

    def late(session: Session, request: DraftRequest) -> None:
        is_wanted.wait(20)
        keep(session, request)

    monkeypatch.setattr(note_on_disk, "write_draft", late)
    async with app.run_test(size=WIDE) as pilot:
        await type_in_note(pilot, "x")
        await until(pilot, lambda: brv(pilot).editing.editor and brv(pilot).editing.editor.is_drafting)  # type: ignore[union-attr]
        at_once(pilot, "ctrl+q", "s")
        await until(pilot, lambda: view(pilot).editor.edit is None)
        is_wanted.set()
        await until(pilot, lambda: app.return_code is not None)
    assert drafted(garden.root) is None
    assert _on_disk(garden) == f"x{_TEXT}".encode()


async def test_taking_a_draft_keeps_its_file(app: BrvTui, garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as gone:
        gone.setattr("brvtui.store.drafts.os.getpid", lambda: 2**22 + 1)
        DraftStore(garden.tree).keep(NOTE, b"draft\n", None, NOW_MS)
    monkeypatch.setattr("brvtui.app.editing.drafts.DRAFT_S", 60)
    monkeypatch.setattr(DraftStore, "drop", lambda *_: pytest.fail("dropped"))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await on(pilot, DraftDialog, "escape", "e")
        await pilot.press("m")
        await until(pilot, lambda: view(pilot).editor.edit)
        await settled(pilot)
        draft = DraftStore(garden.tree).read(NOTE)
        assert draft is not None
        assert (draft.data, draft.process) == (b"draft\n", os.getpid())


# text from another program


async def test_my_text_survives_any_text_written_by_another_program(app: BrvTui, garden: Tree) -> None:
    theirs = b"\xef\xbb\xbf" + _TEXT.replace("\n", "\r\n").encode() + b"\x1b \xff"
    async with app.run_test(size=WIDE) as pilot:
        await _changed(pilot, garden, theirs)
        await _asked(pilot)
        await pilot.press("t")
        await looked(pilot)
        assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]
        await pilot.press("ctrl+z")
        await looked(pilot)
        assert area(pilot).text == f"x{_TEXT}"
        garden.file(NOTE, b"a\0b", 0)
        await _asked(pilot)
        assert "can no longer be edited here (contains NUL bytes" in flat(pilot)
        assert "m keep mine" in shown(pilot)
        assert not any(words in shown(pilot) for words in ("take theirs", "edit merge"))
        await pilot.press("t", "e")
        assert isinstance(pilot.app.screen, ConflictDialog)
        await pilot.press("m")
        await until(pilot, lambda: b"\0" not in _on_disk(garden))
        assert _on_disk(garden) == b"\xef\xbb\xbf" + f"x{_TEXT}".replace("\n", "\r\n").encode()


async def test_note_that_became_too_long_for_the_editor_is_not_loaded(garden: Tree, pilot: AppPilot) -> None:
    await _changed(pilot, garden, b"word\n" * (MOST_CHARS // 5 + 1))
    await _asked(pilot)
    assert f"can no longer be edited here ({MOST_CHARS + 5} characters are too many" in flat(pilot)
    assert not pilot.app.screen.query(DiffPane)
    assert not any(words in shown(pilot) for words in ("take theirs", "edit merge"))
    await pilot.press("m")
    await until(pilot, lambda: _on_disk(garden) == f"x{_TEXT}".encode())
    garden.file(NOTE, "word\n" * (MOST_CHARS // 5 + 1), 0)
    await until(pilot, lambda: "characters are too many to edit here" in toast_text(pilot))
    assert area(pilot).text == f"x{_TEXT}"


async def test_unedited_text_can_be_written_again_or_reloads(garden: Tree, pilot: AppPilot) -> None:
    await _changed(pilot, garden, None)
    await pilot.press("backspace")
    await looked(pilot)
    await on(pilot, GoneDialog, "ctrl+s")
    await pilot.press("m")
    await until(pilot, (garden.tree / NOTE).exists)
    await looked(pilot)
    assert _on_disk(garden) == _TEXT.encode()
    await type_keys(pilot, "x")
    garden.file(NOTE, "theirs\n", 0)
    await until(pilot, lambda: "CHANGED ON DISK" in shown(pilot))
    await pilot.press("backspace")
    await until(pilot, lambda: area(pilot).text == "theirs\n")
    assert "ON DISK" not in shown(pilot)
    brv(pilot).project.session.close()  # type: ignore[union-attr]  # nothing is watched any more
    garden.file(NOTE, "again\n", 0)
    await pilot.press("ctrl+s")
    await until(pilot, lambda: area(pilot).text == "again\n")


async def test_moved_note_is_saved_at_its_new_path(garden: Tree, pilot: AppPilot) -> None:
    await _changed(pilot, garden, None)
    garden.file("auth/moved.md", _TEXT, 0)
    await until(pilot, lambda: view(pilot).knows("auth/moved.md"))
    await looked(pilot)
    await on(pilot, GoneDialog, "ctrl+s")
    pilot.app.screen.listen()  # type: ignore[attr-defined]
    await until(pilot, lambda: "f save there" in shown(pilot))
    assert "its text is now in auth/moved.md" in flat(pilot)
    await pilot.press("f")
    moved = garden.tree / "auth/moved.md"
    await until(pilot, lambda: moved.read_bytes() == f"x{_TEXT}".encode())
    await looked(pilot)
    assert not (garden.tree / NOTE).exists()
    assert view(pilot).editor.edit.path == "auth/moved.md"  # type: ignore[union-attr]
    assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]
    assert view(pilot).selection.file == "auth/moved.md"
    await until(pilot, lambda: not brv(pilot).drafts.is_busy)
    assert view(pilot).editor.drafts == ()


@pytest.mark.parametrize(
    ("before", "mine", "theirs", "both"),
    [
        (b"a\r\nb\r\nc\r\n", b"X\r\nb\r\nc\r\n", b"a\r\nb\r\nc\r\nd\n", b"X\r\nb\r\nc\r\nd\n"),
        (b"a\nb\nc\r\n", b"X\nb\nc\r\n", b"a\nb\nY\r\n", b"X\nb\nY\r\n"),
        (b"a\nb\nc\n", b"X\nb\nc\n", b"a\r\nb\r\nY\r\n", b"X\nb\nY\n"),
        (b"a\nb\nc\n", b"\xef\xbb\xbfX\nb\nc\n", b"a\nb\n\xff\x1b\n", b"\xef\xbb\xbfX\nb\n\xff\x1b\n"),
        (b"a\n", b"mine\n", b"a\0", None),
        (b"a\n", b"mine\0", b"theirs\n", None),
    ],
)
def test_merging_keeps_the_line_ending_of_each_line(
    tree: Tree, before: bytes, mine: bytes, theirs: bytes, both: bytes | None
) -> None:
    tree.file("a/b.md", before)
    session = tree.session()
    disk = OnDisk("a/b.md", *read_note_file(tree.tree, "a/b.md"))
    tree.file("a/b.md", theirs)
    conflict = note_saving.save(session, disk, mine, False)
    assert isinstance(conflict, SaveConflict)
    assert conflict.merged == both
    assert conflict.undecided == 0


# another note is opened in the meantime

_OTHER = "deploy/freeze_window.md"


async def _open_other(pilot: AppPilot) -> None:
    """Discards the text of the open note, and opens another note."""
    brv(pilot).editing.edit(_OTHER)
    await on(pilot, LeavingDialog)
    await pilot.press("d")
    await until(pilot, lambda: view(pilot).editor.edit and view(pilot).editor.edit.path == _OTHER)  # type: ignore[union-attr]
    await waiting.at_rest(pilot.app, stuck="save")


@pytest.fixture
def save_is_wanted(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Makes saving ``NOTE`` wait for this event, as on a slow disk."""
    is_wanted = threading.Event()
    save = note_saving.save

    def late(session: Session, disk: OnDisk, *given: Any) -> SaveResult:
        if disk.path == NOTE:
            assert is_wanted.wait(20)
        return save(session, disk, *given)

    monkeypatch.setattr(note_saving, "save", late)
    yield is_wanted
    is_wanted.set()


@pytest.mark.parametrize("theirs", [b"theirs\n", None], ids=["changed", "gone"])
async def test_conflict_of_a_closed_note_becomes_a_draft(
    garden: Tree, save_is_wanted: threading.Event, theirs: bytes | None, pilot: AppPilot
) -> None:
    await type_in_note(pilot, "x")
    await pilot.press("ctrl+s")
    await _open_other(pilot)
    other = area(pilot).text
    if theirs is None:
        (garden.tree / NOTE).unlink()
    else:
        garden.file(NOTE, theirs, 0)
    save_is_wanted.set()
    await until(pilot, lambda: drafted(garden.root) == f"x{_TEXT}".encode())
    await looked(pilot)
    assert "changed on disk; your text is kept as a draft" in toast_text(pilot)
    assert isinstance(pilot.app.screen, EditorScreen)
    assert area(pilot).text == other
    assert "ON DISK" not in shown(pilot)
    assert (_on_disk(garden) if theirs else None) == theirs


async def test_note_is_saved_without_waiting_for_another_save(
    garden: Tree, save_is_wanted: threading.Event, pilot: AppPilot
) -> None:
    await type_in_note(pilot, "x")
    await pilot.press("ctrl+s", "ctrl+s")
    await _open_other(pilot)
    await type_keys(pilot, "y")
    await pilot.press("ctrl+s")
    await until(pilot, lambda: (garden.tree / _OTHER).read_text().startswith("y#"))
    await until(pilot, lambda: not view(pilot).editor.edit.dirty)  # type: ignore[union-attr]
    assert _on_disk(garden) == _TEXT.encode()
    await type_keys(pilot, "z")
    save_is_wanted.set()
    await until(pilot, lambda: f"saved {NOTE}" in toast_text(pilot))
    await looked(pilot)
    assert _on_disk(garden) == f"x{_TEXT}".encode()
    assert area(pilot).text.startswith("yz#")
    assert view(pilot).editor.edit.dirty  # type: ignore[union-attr]


@pytest.mark.parametrize(("theirs", "key"), [(b"theirs\n", "m"), (b"theirs\n", "t"), (None, "m"), (None, "d")])
async def test_answer_to_a_conflict_does_not_affect_another_note(
    garden: Tree, theirs: bytes | None, key: str, pilot: AppPilot
) -> None:
    await _changed(pilot, garden, theirs)
    await pilot.press("ctrl+s")
    await until(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog | GoneDialog))
    await _open_other(pilot)
    other = area(pilot).text
    await until(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog | GoneDialog))
    await pilot.press(key)
    await until(pilot, lambda: drafted(garden.root) == f"x{_TEXT}".encode())
    await looked(pilot)
    assert "your text is kept as a draft" in toast_text(pilot)
    assert area(pilot).text == other
    assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]
    assert ((garden.tree / NOTE).read_bytes() if theirs else None) == theirs
    assert (garden.tree / NOTE).exists() == (theirs is not None)


# late results, and changes by other programs


async def test_late_note_does_not_replace_a_newer_one_and_cut_text_pastes_back(
    app: BrvTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_read = threading.Event()
    is_wanted = threading.Event()
    read = note_on_disk.open_note

    def late(session: Session, path: str, outside: bool, key: str) -> NoteOpened:
        if path != NOTE:
            is_read.set()
            is_wanted.wait(20)
        return read(session, path, outside, key)

    monkeypatch.setattr(note_on_disk, "open_note", late)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        brv(pilot).editing.edit("deploy/freeze_window.md")
        await until(pilot, is_read.is_set)
        brv(pilot).editing.edit(NOTE)
        await until(pilot, lambda: view(pilot).editor.edit)
        await type_keys(pilot, "xy")
        is_wanted.set()
        await looked(pilot)
        assert area(pilot).text == f"xy{_TEXT}"
        await pilot.press("backspace", "backspace", "down", "ctrl+x")
        assert "👩" not in area(pilot).text
        await pilot.press("ctrl+v")
        await looked(pilot)
        assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]


async def test_uneditable_text_from_external_editor_is_still_saved(
    app: BrvTui, garden: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def suspended(self: object) -> Any:
        yield

    script = tmp_path / "own.py"
    script.write_text("import sys\nopen(sys.argv[1], 'ab').write(b'work\\0')\n")
    monkeypatch.setattr(BrvTui, "suspend", suspended)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    async with app.run_test(size=WIDE) as pilot:
        await type_in_note(pilot, "x")
        await looked(pilot)
        await pilot.press("f7")
        await until(pilot, lambda: _on_disk(garden) == f"x{_TEXT}work\0".encode())
        await until(pilot, lambda: drafted(garden.root) is None)
        assert isinstance(frame(pilot), QueryScreen)
        assert f"saved {NOTE}" in toast_text(pilot)
