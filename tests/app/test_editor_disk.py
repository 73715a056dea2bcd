"""The editor when the note changes on disk."""

from __future__ import annotations

import pytest

from brvtui.app.editing.questions import ConflictDialog, GoneDialog, LeavingDialog
from brvtui.app.query.screen import QueryScreen
from tests.app.driving import WIDE, MakeApp, at_two_sizes, on, settled, until
from tests.app.editing import (
    FEW_LINES,
    NOTE,
    area,
    by_somebody,
    drafted,
    looked,
    on_disk,
    open_note,
    type_in_note,
    type_keys,
)
from tests.app.looking import AppPilot, shown, toast_text, view
from tests.support.trees import Tree

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("few_lines")]


async def _clash(pilot: AppPilot, garden: Tree, theirs: str) -> None:
    """Types an x and presses ^S after another program has changed the file."""
    await type_in_note(pilot, "x")
    by_somebody(garden, theirs)
    await until(pilot, lambda: view(pilot).editor.edit and view(pilot).editor.edit.on_disk == "changed")  # type: ignore[union-attr]
    await on(pilot, ConflictDialog, "ctrl+s")
    await settled(pilot)


async def test_unedited_note_reloads_from_disk_and_keeps_the_cursor(garden: Tree, pilot: AppPilot) -> None:
    await open_note(pilot)
    area(pilot).move_cursor((6, 2))
    by_somebody(garden, FEW_LINES.replace("one\n", "one\nand a half\n"))
    await until(pilot, lambda: "and a half" in area(pilot).text)
    await looked(pilot)
    assert area(pilot).cursor_location == (7, 2)
    assert "this is its new text" in toast_text(pilot)
    assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]
    await type_keys(pilot, "x")
    await pilot.press("ctrl+s")
    await until(pilot, lambda: "fixve" in on_disk(garden))
    assert "and a half" in on_disk(garden)


@at_two_sizes
async def test_change_on_disk_is_reported_and_unsaved_text_kept(
    garden: Tree, size: tuple[int, int], pilot: AppPilot
) -> None:
    await type_in_note(pilot, "x")
    by_somebody(garden, "theirs\n")
    await until(pilot, lambda: "CHANGED ON DISK" in shown(pilot))
    assert area(pilot).text == f"x{FEW_LINES}"
    assert "was changed on disk; your text is still here" in toast_text(pilot)
    by_somebody(garden, FEW_LINES)
    await until(pilot, lambda: "CHANGED ON DISK" not in shown(pilot))
    by_somebody(garden, "theirs\n")
    await until(pilot, lambda: "CHANGED ON DISK" in shown(pilot))
    for keys in (["ctrl+s"], ["ctrl+q", "s"]):  # the user can put off a save, and also a save on leaving
        if "s" in keys:
            await on(pilot, LeavingDialog, keys[0])
        await on(pilot, ConflictDialog, keys[-1])
        await settled(pilot)
        await pilot.press("escape")
        await looked(pilot)
        assert pilot.app.is_running
        assert area(pilot).text == f"x{FEW_LINES}"
        assert on_disk(garden) == "theirs\n"
        assert "CHANGED ON DISK" in shown(pilot)


async def test_conflict_can_keep_my_text(garden: Tree, pilot: AppPilot) -> None:
    await _clash(pilot, garden, FEW_LINES.replace("two", "zwei"))
    assert "+ x# Rollback" in shown(pilot)
    assert "- zwei" in shown(pilot)
    await pilot.press("m")
    await until(pilot, lambda: on_disk(garden) == f"x{FEW_LINES}")
    await looked(pilot)
    assert "unsaved" not in shown(pilot)
    assert "ON DISK" not in shown(pilot)


async def test_conflict_can_take_their_text_and_undo_restores_mine(garden: Tree, make_app: MakeApp) -> None:
    theirs = FEW_LINES.replace("two", "zwei")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _clash(pilot, garden, theirs)
        await pilot.press("t")
        await looked(pilot)
        assert area(pilot).text == theirs
        assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]
        assert on_disk(garden) == theirs
        await pilot.press("ctrl+z")
        assert area(pilot).text == f"x{FEW_LINES}"


async def test_conflict_can_merge_both_texts(garden: Tree, pilot: AppPilot) -> None:
    await _clash(pilot, garden, FEW_LINES.replace("four", "vier"))
    await pilot.press("e")
    await looked(pilot)
    merged = f"x{FEW_LINES}".replace("four", "vier")
    assert area(pilot).text == merged
    assert view(pilot).editor.edit.dirty  # type: ignore[union-attr]
    await pilot.press("ctrl+s")
    await until(pilot, lambda: on_disk(garden) == merged)


async def test_merge_marks_lines_changed_on_both_sides(garden: Tree, pilot: AppPilot) -> None:
    await _clash(pilot, garden, FEW_LINES.replace("# Rollback", "# Zurück"))
    assert "If you merge them, you decide 1 place" in shown(pilot)
    await pilot.press("e")
    await looked(pilot)
    assert area(pilot).text.startswith("<<<<<<< mine\nx# Rollback\n=======\n# Zurück\n>>>>>>> theirs\n")
    assert area(pilot).selected_text == "<<<<<<<"
    assert "1 place to decide" in toast_text(pilot)


async def _gone(pilot: AppPilot, garden: Tree) -> None:
    """Removes the note after an x was typed, and presses ^S."""
    await type_in_note(pilot, "x")
    (garden.tree / NOTE).unlink()
    await until(pilot, lambda: "REMOVED ON DISK" in shown(pilot))
    await on(pilot, GoneDialog, "ctrl+s")


async def test_removed_note_can_be_written_again(garden: Tree, pilot: AppPilot) -> None:
    await _gone(pilot, garden)
    await pilot.press("m")
    await until(pilot, lambda: (garden.tree / NOTE).exists())
    await looked(pilot)
    assert on_disk(garden) == f"x{FEW_LINES}"


async def test_text_of_a_removed_note_can_be_discarded(garden: Tree, pilot: AppPilot) -> None:
    await _gone(pilot, garden)
    await on(pilot, QueryScreen, "d")
    await settled(pilot)
    assert not (garden.tree / NOTE).exists()
    assert drafted(garden.root) is None


async def test_unedited_note_is_closed_when_its_file_is_removed(garden: Tree, pilot: AppPilot) -> None:
    await open_note(pilot)
    (garden.tree / NOTE).unlink()
    await on(pilot, QueryScreen)
    await until(pilot, lambda: "was removed or moved on disk, so it was closed" in toast_text(pilot))
