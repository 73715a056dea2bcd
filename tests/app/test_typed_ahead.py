"""Keys typed faster than the app handles them are not lost, and do not answer a question that nobody has read."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from brvtui.app.app import BrvTui
from brvtui.app.editing.changes import NewNoteDialog
from brvtui.app.editing.plan_dialog import MoveDialog, PlanPane, SignalsDialog
from brvtui.app.editing.questions import ConflictDialog, LeavingDialog, UnexpectedQuestion
from brvtui.app.query.screen import QueryScreen
from brvtui.app.screens.dialog import Dialog
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import defaults
from tests.app.driving import WIDE, ask, at_once, on, press, settled, until
from tests.app.editing import NOTE, area, dialog, looked, on_disk, open_note, type_in_note, type_keys
from tests.app.looking import AppPilot, brv, shown, trace_of, view
from tests.support.trees import BRV3, Tree

pytestmark = pytest.mark.long

_wait_for_a_pause = UnexpectedQuestion.wait


async def test_keys_typed_before_leaving_or_saving_are_saved(garden: Tree, pilot: AppPilot) -> None:
    await open_note(pilot)
    at_once(pilot, "x", "escape")
    await on(pilot, LeavingDialog)
    await pilot.press("escape")
    at_once(pilot, "y", "ctrl+s")
    await until(pilot, lambda: on_disk(garden).startswith("xy#"))
    await looked(pilot)
    at_once(pilot, "z", "escape", "s")
    await on(pilot, QueryScreen)
    assert on_disk(garden).startswith("xyz#")


async def test_quitting_during_a_save_keeps_all_typed_text(app: BrvTui, garden: Tree) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_note(pilot)
        at_once(pilot, "x", "ctrl+s", "y", "ctrl+s", "z", "ctrl+q", "s")
        await until(pilot, lambda: app.return_code is not None)
    assert on_disk(garden).startswith("xyz#")


async def test_signals_dialog_loses_no_typed_digit(app: BrvTui, garden: Tree) -> None:
    (garden.root / "signals.json").write_text("{}")
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await on(pilot, SignalsDialog, "escape", "I")
        field = dialog(pilot).query_one(Input)
        await press(pilot, "7", "1")
        assert field.value == "71"
        await press(pilot, "up", "down", "8", "2")
        assert (field.value, dialog(pilot).focused) == ("82", field)
        await press(pilot, "down", "right", "down", "escape")


async def test_dialog_acts_only_on_text_that_is_shown(app: BrvTui, garden: Tree) -> None:
    # signals from a file passed with --signals cannot be set in the app
    (garden.root / "signals.json").write_text("{}")
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await on(pilot, SignalsDialog, "escape", "I")
        await settled(pilot)
        await pilot.press("tab", "backspace", "backspace", "7")
        await until(pilot, lambda: dialog(pilot).query_one(PlanPane).plan)
        at_once(pilot, "1", "enter")
        await until(pilot, lambda: ", importance 71" in shown(pilot))
        await pilot.press("enter")
        overlay = Overlay(garden.tree)
        await until(pilot, overlay.path.exists)
        assert overlay.read(defaults(BRV3.signals))[NOTE].importance == 71
        await settled(pilot)

        await on(pilot, MoveDialog, "M")
        await settled(pilot)
        await type_keys(pilot, "s")
        await until(pilot, lambda: dialog(pilot).query_one(PlanPane).plan)
        at_once(pilot, "x", "enter")
        # the plan shows the path, not only the field
        await until(pilot, lambda: " to deploy/rollbacksx.md" in shown(pilot))
        await pilot.press("enter")
        await until(pilot, (garden.tree / "deploy/rollbacksx.md").exists)
        await settled(pilot)
        assert not (garden.tree / "deploy/rollbacks.md").exists()

        await on(pilot, NewNoteDialog, "a")
        await settled(pilot)
        at_once(pilot, *"How we deploy", "enter")
        await until(pilot, lambda: view(pilot).editor.edit)
        assert view(pilot).editor.edit.path == "deploy/how_we_deploy.md"  # type: ignore[union-attr]


async def test_typing_after_a_save_does_not_answer_the_conflict_dialog(
    app: BrvTui, garden: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UnexpectedQuestion, "wait", _wait_for_a_pause)
    monkeypatch.setattr("brvtui.app.editing.questions.PAUSE_S", 60)
    async with app.run_test(size=WIDE) as pilot:
        await type_in_note(pilot, "x")
        garden.file(NOTE, "theirs\n", 0)
        await until(pilot, lambda: view(pilot).editor.edit and view(pilot).editor.edit.on_disk)  # type: ignore[union-attr]
        await on(pilot, ConflictDialog, "ctrl+s")
        await type_keys(pilot, "make them")
        await settled(pilot)
        asked = pilot.app.screen
        assert isinstance(asked, ConflictDialog)
        assert on_disk(garden) == "theirs\n"
        assert "keep mine" not in shown(pilot)
        asked.listen()
        await settled(pilot)
        assert "m keep mine" in shown(pilot)
        await pilot.press("m")
        await until(pilot, lambda: on_disk(garden).startswith("x#"))
        assert area(pilot).text.startswith("x#")
        assert brv(pilot).editing.editor is not None


@pytest.mark.parametrize("key", ["w", "X"])
async def test_note_keys_act_on_the_note_that_earlier_keys_selected(app: BrvTui, garden: Tree, key: str) -> None:
    for number in range(3):
        garden.note(f"fruit/note_{number}.md", f"Fruit {number}", "kumquat " * (number + 1))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "kumquat")
        await press(pilot, "escape")
        trace = trace_of(pilot)
        third = [hit.path for hit in trace.hits][2]
        at_once(pilot, "j", "j", key)
        await on(pilot, Dialog)
        assert third in shown(pilot)
        assert view(pilot).selection.file == third
