"""Leaving the editor or the app with unsaved text: save, discard, keep open, or stay."""

from __future__ import annotations

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.editing.questions import LeavingDialog
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.query.screen import QueryScreen
from tests.app.driving import NARROW, WIDE, on, press, settled, until
from tests.app.editing import area, dialog, drafted, editor, looked, on_disk, open_note, type_keys
from tests.app.looking import AppPilot, brv, frame, shown, view
from tests.support.trees import Tree

pytestmark = pytest.mark.long


async def _dirty(pilot: object) -> None:
    await open_note(pilot)  # type: ignore[arg-type]
    await type_keys(pilot, "x")  # type: ignore[arg-type]
    await looked(pilot)  # type: ignore[arg-type]


async def test_leaving_with_unsaved_text_asks_and_can_be_cancelled(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await _dirty(pilot)
        await pilot.press("escape")
        assert isinstance(dialog(pilot), LeavingDialog)
        assert "s save  d discard  k keep open" in shown(pilot)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, EditorScreen)
        assert area(pilot).text.startswith("x#")


async def test_unsaved_text_can_be_discarded_or_saved_when_leaving(garden: Tree, pilot: AppPilot) -> None:
    await _dirty(pilot)
    assert drafted(garden.root)
    await on(pilot, QueryScreen, "escape", "d")
    await settled(pilot)
    assert on_disk(garden).startswith("# Rollback")
    await until(pilot, lambda: drafted(garden.root) is None)
    await _dirty(pilot)
    await press(pilot, "escape")
    row = next(number for number, text in enumerate(shown(pilot).splitlines()) if "d discard" in text)
    await pilot.click(offset=(shown(pilot).splitlines()[row].index("d discard") + 2, row))
    await on(pilot, QueryScreen)
    assert view(pilot).editor.edit is None
    await _dirty(pilot)
    await on(pilot, QueryScreen, "escape", "s")
    await settled(pilot)
    assert on_disk(garden).startswith("x# Rollback")
    assert view(pilot).editor.edit is None
    assert drafted(garden.root) is None


async def test_note_kept_open_is_reopened_from_the_status_line(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await _dirty(pilot)
        await on(pilot, QueryScreen, "escape", "k")
        await settled(pilot)
        assert "Edit rollback.md •" in shown(pilot)
        await pilot.click("#status", offset=(shown(pilot).splitlines()[0].index("Edit"), 0))
        await on(pilot, EditorScreen)
        await settled(pilot)
        assert area(pilot).text.startswith("x#")
        assert editor(pilot).focused is area(pilot)
        await on(pilot, QueryScreen, "escape", "k")
        await on(pilot, EditorScreen, "e")
        assert area(pilot).text.startswith("x#")


@pytest.mark.parametrize("key", ["ctrl+q", "q"])
async def test_quitting_asks_about_unsaved_text_on_every_screen(app: BrvTui, garden: Tree, key: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _dirty(pilot)
        await on(pilot, LeavingDialog, "escape")
        await on(pilot, QueryScreen, "k")
        await settled(pilot)
        await on(pilot, LeavingDialog, key)
        assert isinstance(frame(pilot), EditorScreen)
        assert "keep open" not in shown(pilot)
        await on(pilot, EditorScreen, "escape")
        await settled(pilot)
        assert pilot.app.is_running
        assert isinstance(pilot.app.screen, EditorScreen)
        await on(pilot, LeavingDialog, "ctrl+q")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: not pilot.app.is_running or app.return_code is not None)
    assert app.return_code == 0
    assert on_disk(garden).startswith("x# Rollback")


async def test_opening_another_note_asks_about_unsaved_text(garden: Tree, pilot: AppPilot) -> None:
    await _dirty(pilot)
    await on(pilot, QueryScreen, "escape", "k")
    brv(pilot).selection.select("deploy/freeze_window.md")
    await on(pilot, LeavingDialog, "e")
    await pilot.press("s")
    await until(
        pilot,
        lambda: view(pilot).editor.edit is not None and view(pilot).editor.edit.path == "deploy/freeze_window.md",
    )  # type: ignore[union-attr]
    await settled(pilot)
    assert on_disk(garden).startswith("x# Rollback")
    assert area(pilot).text.startswith("# Freeze window")
    await on(pilot, QueryScreen, "escape")
