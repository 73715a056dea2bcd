"""Pictures of the editor and the dialogs: when opened, with unsaved text, with problems, with questions."""

from __future__ import annotations

import hashlib

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.commands.palette import CommandsDialog
from brvtui.app.editing.questions import ConflictDialog, DraftDialog, LeavingDialog
from brvtui.store.drafts import DraftStore
from brvtui.timing import system_clock
from tests.app.driving import WIDE, MakeApp, ask, on, press, until
from tests.app.editing import NOTE, looked, open_note, type_keys
from tests.app.looking import AppPilot, brv, view
from tests.app.pictures import ONLY_NARROW, Looks
from tests.support.trees import Tree

_TEXT = "---\ntitle: Rollback\nmaturity: core\n---\n# Rollback\n\nRoll back by pointing the alias at the last image.\n"
_HEAD = "maturity: coer\ncreatedAt: yesterday\nrelated: [../../secret.md]"
_WRONG = f"---\n{_HEAD}\n---\n# Rollback\n\nSee @deploy/freeze/windov.md.\n"


@pytest.fixture
def garden(garden: Tree) -> Tree:
    """The garden with a note of a few lines."""
    garden.file(NOTE, _TEXT, 3)
    return garden


@pytest.mark.parametrize("text", [_TEXT, _WRONG], ids=["note", "problems"])
async def test_a_note(looks: Looks, garden: Tree, make_app: MakeApp, text: str) -> None:
    garden.file(NOTE, text, 3)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await looks(pilot)


async def _typed(pilot: AppPilot) -> None:
    await open_note(pilot)
    await pilot.press("ctrl+end")
    await type_keys(pilot, "\nrollback of tokens")
    await looked(pilot)


async def test_unsaved_text_matches_its_picture(looks: Looks, pilot: AppPilot) -> None:
    await _typed(pilot)
    await pilot.press("f4")
    await looks(pilot, "test_unsaved_text[ranking][{size}-{theme}]", ONLY_NARROW)


async def test_leaving(looks: Looks, pilot: AppPilot) -> None:
    await _typed(pilot)
    await on(pilot, LeavingDialog, "escape")
    await looks(pilot, sizes=ONLY_NARROW)


async def test_a_conflict(looks: Looks, garden: Tree, pilot: AppPilot) -> None:
    await _typed(pilot)
    garden.file(NOTE, _TEXT.replace("the last image", "the image before"), 0)
    await until(pilot, lambda: view(pilot).editor.edit and view(pilot).editor.edit.on_disk == "changed")  # type: ignore[union-attr]
    await on(pilot, ConflictDialog, "ctrl+s")
    await looks(pilot, sizes=ONLY_NARROW)


async def test_a_draft(looks: Looks, garden: Tree, app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    base = hashlib.sha256(_TEXT.encode()).hexdigest()
    with monkeypatch.context() as gone:
        gone.setattr("brvtui.store.drafts.os.getpid", lambda: 2**22 + 1)
        DraftStore(garden.tree).keep(NOTE, _TEXT.replace("last", "LAST").encode(), base, system_clock() - 125_000)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        brv(pilot).selection.select(NOTE)
        await on(pilot, DraftDialog, "escape", "e")
        await looks(pilot, sizes=ONLY_NARROW)


_DIALOGS: dict[str, tuple[str, ...]] = {
    "new-note": ("a",),
    "move-refused": ("M", "home", *["full_stop"] * 2, "slash"),
    "archive": ("X",),
    "signals": ("I", "left"),
    "changes": ("C",),
    "jump": ("ctrl+o",),
}


@pytest.mark.parametrize("keys", _DIALOGS.values(), ids=_DIALOGS)
async def test_a_dialog(looks: Looks, app: BrvTui, garden: Tree, keys: tuple[str, ...]) -> None:
    if keys[0] == "I":  # signals from a file passed with --signals cannot be set in the app
        (garden.root / "signals.json").write_text("{}")
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        brv(pilot).selection.select(NOTE)
        await press(pilot, "escape")
        for key in keys:
            await press(pilot, key)
        await until(pilot, lambda: len(pilot.app.screen_stack) > 1)
        await looks(pilot, sizes=ONLY_NARROW)


async def test_found_commands_match_their_picture(looks: Looks, pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "ctrl+g", *"note")
    dialog = pilot.app.screen
    assert isinstance(dialog, CommandsDialog)
    await until(pilot, lambda: dialog.rows.commands is not None)
    await looks(pilot, "test_commands_found[actions][{size}-{theme}]", ONLY_NARROW)
