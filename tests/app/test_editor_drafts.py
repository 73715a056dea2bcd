"""Drafts of unsaved text: written while typing, reported at the start, and offered when the note is opened."""

from __future__ import annotations

import os
import threading

import pytest

from brvtui.app.editing import note_on_disk
from brvtui.app.editing.note_on_disk import DraftRequest
from brvtui.app.editing.questions import ConflictDialog, DiffPane, DraftDialog, DraftsDialog
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.query.screen import QueryScreen
from brvtui.session import Session
from brvtui.store.drafts import Draft, DraftStore
from brvtui.timing import system_clock
from brvtui.tree.saving import exchange as renames
from brvtui.tree.saving import note_files
from tests.app.driving import NARROW, WIDE, MakeApp, ask, at_two_sizes, on, press, settled, until
from tests.app.editing import (
    FEW_LINES,
    NOTE,
    area,
    by_somebody,
    drafted,
    looked,
    on_disk,
    type_in_note,
    type_keys,
)
from tests.app.looking import AppPilot, brv, flat, frame, shown, toast_text, view
from tests.support.trees import NOW_MS, Tree

pytestmark = pytest.mark.usefixtures("few_lines")


def _drafts(garden: Tree) -> DraftStore:
    return DraftStore(garden.tree)


async def test_unsaved_text_is_drafted_until_saved(garden: Tree, pilot: AppPilot) -> None:
    await type_in_note(pilot, "xy")
    await looked(pilot)
    assert drafted(garden.root) == f"xy{FEW_LINES}".encode()
    await pilot.press("backspace", "backspace")
    await until(pilot, lambda: drafted(garden.root) is None)
    await type_keys(pilot, "z")
    await looked(pilot)
    assert drafted(garden.root)
    await pilot.press("ctrl+s")
    await until(pilot, lambda: drafted(garden.root) is None)
    assert on_disk(garden) == f"z{FEW_LINES}"


@pytest.fixture
def left(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The garden with a draft from a process that has ended."""
    import hashlib

    base = hashlib.sha256(FEW_LINES.encode()).hexdigest()
    with monkeypatch.context() as gone:
        gone.setattr("brvtui.store.drafts.os.getpid", lambda: 2**22 + 1)
        inode = (garden.tree / NOTE).stat().st_ino
        _drafts(garden).keep(NOTE, FEW_LINES.replace("two", "TWO").encode(), base, system_clock() - 125_000, inode)
    return garden


async def _offered(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    brv(pilot).selection.select(NOTE)
    await on(pilot, DraftDialog, "escape", "e")
    await settled(pilot)


async def test_draft_is_reported_at_start_and_both_dialogs_use_the_same_labels(left: Tree, make_app: MakeApp) -> None:
    def compared(theirs: str) -> str:
        """The difference that the dialog shows. The user's own text (a draft, or typed text) contains “TWO”."""
        rows = [row.plain for row in pilot.app.screen.query_one(DiffPane).lines]
        changed = [row.split()[1:] for row in rows if f" - {theirs}" in row or " + TWO" in row]
        assert changed == [["-", theirs], ["+", "TWO"]]
        return "\n".join(rows)

    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert f"1 draft of unsaved text: {NOTE}; ^l shows it" in toast_text(pilot)
        assert "1 draft: ^l" in shown(pilot)
        await on(pilot, DraftDialog, "ctrl+l")
        await settled(pilot)
        assert "- theirs: the note on disk   + mine: the unsaved draft" in compared("two")
        await _listening(pilot)
        await on(pilot, EditorScreen, "m")
        await settled(pilot)
        left.file(NOTE, FEW_LINES.replace("two", "zwei"), 0)
        await on(pilot, ConflictDialog, "ctrl+s")
        await settled(pilot)
        assert "- theirs: the note on disk   + mine: your unsaved text" in compared("zwei")


@pytest.mark.long
@at_two_sizes
async def test_draft_hint_opens_the_draft_on_every_screen_until_resolved(
    left: Tree, size: tuple[int, int], pilot: AppPilot
) -> None:
    await settled(pilot)
    for keys in ((), ("escape",), ("2",), ("3",), ("slash", "x"), ("escape", "escape", "4"), ("f10",)):
        await press(pilot, *keys)
        assert "1 draft: ^l" in shown(pilot), keys
        await on(pilot, DraftDialog, "ctrl+l")
        await settled(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, DraftDialog))
    await on(pilot, DraftDialog, "ctrl+l")
    await _listening(pilot)
    await on(pilot, EditorScreen, "m")
    await settled(pilot)
    assert "1 draft" not in shown(pilot), "it is in the editor"
    await pilot.press("ctrl+s")
    await until(pilot, lambda: drafted(left.root) is None)
    await settled(pilot)
    await press(pilot, "escape")
    assert "1 draft" not in shown(pilot)


@pytest.mark.long
async def test_draft_list_omits_drafts_equal_to_the_file(left: Tree, make_app: MakeApp) -> None:
    _drafts(left).add(Draft("auth/new_note.md", b"# New\n", None, NOW_MS, 2**22 + 1, ""))
    left.file("auth/saved.md", "# Saved\n", 1)
    _drafts(left).add(Draft("auth/saved.md", b"# Saved\n", None, NOW_MS, 2**22 + 1, ""))
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "2 drafts: ^l" in shown(pilot)
        await on(pilot, DraftsDialog, "ctrl+l")
        await settled(pilot)
        assert "auth/new_note.md" in shown(pilot)
        assert "auth/saved.md" not in shown(pilot)


async def _listening(pilot: AppPilot) -> None:
    await until(pilot, lambda: pilot.app.screen.check_action("dismiss", ("drop",)))


@pytest.mark.long
async def test_draft_hint_disappears_with_the_last_draft(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert "1 draft: ^l" in shown(pilot)
        await on(pilot, DraftsDialog, "escape", "D")
        await settled(pilot)
        assert NOTE in shown(pilot)
        await on(pilot, DraftDialog, "enter")
        await _listening(pilot)
        await on(pilot, EditorScreen, "d")
        await looked(pilot)
        await until(pilot, lambda: drafted(left.root) is None and "1 draft" not in shown(pilot))
        await pilot.press("f4", "D")
        await until(pilot, lambda: "there are no drafts" in shown(pilot))


async def test_offered_draft_can_be_taken_and_saved(left: Tree, pilot: AppPilot) -> None:
    await _offered(pilot)
    assert "from 2 min ago" in shown(pilot)
    assert "+ TWO" in shown(pilot)
    assert "has changed since" not in shown(pilot)
    await on(pilot, EditorScreen, "m")
    await looked(pilot)
    assert area(pilot).text == FEW_LINES.replace("two", "TWO")
    assert "• unsaved" in shown(pilot)
    assert on_disk(left) == FEW_LINES
    await pilot.press("ctrl+s")
    await until(pilot, lambda: drafted(left.root) is None)
    assert on_disk(left) == FEW_LINES.replace("two", "TWO")


async def test_outdated_draft_shows_a_warning_and_can_be_discarded(left: Tree, make_app: MakeApp) -> None:
    theirs = FEW_LINES.replace("five", "FIVE")
    by_somebody(left, theirs)
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await _offered(pilot)
        assert "has changed since the draft was started" in flat(pilot)
        await press(pilot, "escape")
        assert isinstance(frame(pilot), QueryScreen)
        assert drafted(left.root)
        await _offered(pilot)
        await on(pilot, EditorScreen, "d")
        await looked(pilot)
        assert area(pilot).text == theirs
        assert drafted(left.root) is None


async def _offered_of_gone(pilot: AppPilot, message: str) -> None:
    """Opens the draft of a note that is no longer at its path, and checks that ``message`` is shown."""
    await settled(pilot)
    brv(pilot).editing.edit(NOTE)
    await on(pilot, DraftDialog)
    assert message in flat(pilot)


async def test_draft_of_a_removed_note_can_be_saved(left: Tree, make_app: MakeApp) -> None:
    (left.tree / NOTE).unlink()
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await _offered_of_gone(pilot, "The note has been removed on disk since")
        await on(pilot, EditorScreen, "m")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: (left.tree / NOTE).exists())
        assert on_disk(left) == FEW_LINES.replace("two", "TWO")


async def test_draft_of_a_moved_note_opens_at_its_new_path(left: Tree, make_app: MakeApp) -> None:
    moved = "deploy/undone.md"
    (left.tree / NOTE).rename(left.tree / moved)
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await _offered_of_gone(
            pilot, f"The note has been moved since: it is now {moved}, and the draft belongs there too."
        )
        await on(pilot, EditorScreen, "m")
        await looked(pilot)
        assert view(pilot).editor.edit.path == moved  # type: ignore[union-attr]
        await until(pilot, lambda: drafted(left.root) is None and drafted(left.root, moved) is not None)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: on_disk(left, moved) == FEW_LINES.replace("two", "TWO"))
        assert not (left.tree / NOTE).exists()


async def test_discarding_the_draft_of_a_removed_note_opens_no_editor(left: Tree, make_app: MakeApp) -> None:
    (left.tree / NOTE).unlink()
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await _offered_of_gone(pilot, "The note has been removed on disk since")
        await pilot.press("d")
        await until(pilot, lambda: not isinstance(pilot.app.screen, DraftDialog))
        await settled(pilot)
        assert not isinstance(frame(pilot), EditorScreen)
        assert view(pilot).editor.edit is None


# several notes with drafts


async def test_each_note_keeps_its_newest_draft_on_a_slow_disk(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only each note's last waiting draft is written. Drafts of other notes do not wait for it."""
    is_wanted = threading.Event()
    write, written = note_on_disk.write_draft, []

    def late(session: Session, request: DraftRequest) -> None:
        if request.path == NOTE:
            assert is_wanted.wait(20)
        write(session, request)
        written.append((request.path, request.data))

    monkeypatch.setattr(note_on_disk, "write_draft", late)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        drafts = brv(pilot).drafts
        for number in (b"1", b"2", b"3"):
            drafts.write(DraftRequest(NOTE, number))
            drafts.write(DraftRequest("other.md", number))
        await until(pilot, lambda: drafted(garden.root, "other.md") == b"3")
        assert drafts.is_busy
        is_wanted.set()
        await until(pilot, lambda: not drafts.is_busy)
    assert [data for path, data in written if path == NOTE] == [b"1", b"3"]
    assert {(draft.path, draft.data) for draft in _drafts(garden).all()} == {(NOTE, b"3"), ("other.md", b"3")}


def test_text_of_a_failed_save_does_not_replace_drafts(left: Tree) -> None:
    """The failed text, the newly typed text and the earlier draft are all kept."""
    session = left.session()
    for request in (
        DraftRequest(NOTE, b"in vain\n", is_set_aside=True),
        DraftRequest("x.md", b"typed\n"),
        DraftRequest(NOTE, b"typed\n"),
    ):
        note_on_disk.write_draft(session, request)
    held = {draft.data for draft in _drafts(left).all() if draft.path == NOTE}
    assert held == {b"typed\n", b"in vain\n", FEW_LINES.replace("two", "TWO").encode()}


async def test_second_write_during_a_save_is_kept_and_reported(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program writes twice: between the check and the swap, and before the swap is undone."""
    swap, texts = note_files.exchange, [b"first\n", b"second\n"]

    def disturbed(folder: int, one: str, other: str) -> bool:
        (garden.tree / NOTE).write_bytes(texts.pop(0))
        return swap(folder, one, other)

    if renames._renameat2() is None:
        pytest.skip("no renameat2 here")
    monkeypatch.setattr(note_files, "exchange", disturbed)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await type_in_note(pilot, "x")
        await on(pilot, ConflictDialog, "ctrl+s")
        (kept,) = (garden.tree / NOTE).parent.glob(".brv-tui-*")
        message = f"another program was writing the file; your text is kept in {kept.relative_to(garden.tree)}"
        assert message in toast_text(pilot)
    assert (on_disk(garden), kept.read_bytes()) == ("first\n", b"second\n")
    other = kept.with_name(kept.name.replace(f"-{os.getpid()}-", f"-{2**22 + 1}-"))
    kept.rename(other)  # makes the file look like one from a process that has ended
    garden.session()
    assert not other.exists()
    assert b"second\n" in {draft.data for draft in _drafts(garden).all() if draft.path == NOTE}
