"""The command palette in the app: searches are quick, and actions run where they belong."""

from __future__ import annotations

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.commands.palette import CommandsDialog
from brvtui.app.log.screen import LogScreen
from brvtui.app.maturity.screen import MaturityScreen
from brvtui.app.notes.screen import NotesScreen
from brvtui.app.query.screen import QueryScreen
from tests.app.driving import NARROW, WIDE, MakeApp, ask, on, press, settled, until
from tests.app.editing import type_keys
from tests.app.looking import AppPilot, brv, frame, screen, shown, toast_text, view
from tests.support.trees import Tree

SIZES = pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])


async def palette(pilot: AppPilot, text: str, key: str = "ctrl+p") -> CommandsDialog:
    """Opens the palette and types ``text`` without waiting for anything."""
    await pilot.press(key)
    await type_keys(pilot, text)
    dialog = pilot.app.screen
    assert isinstance(dialog, CommandsDialog)
    await until(pilot, lambda: dialog.rows.commands is not None)
    return dialog


async def chosen(pilot: AppPilot, text: str, key: str = "ctrl+p") -> None:
    """Opens the palette, types ``text``, and chooses the first entry."""
    await palette(pilot, text, key)
    await pilot.press("enter")
    await until(pilot, lambda: not isinstance(pilot.app.screen, CommandsDialog))
    await settled(pilot)


@SIZES
async def test_palette_action_runs_while_the_query_field_has_focus(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    await chosen(pilot, "next profile")
    assert view(pilot).engine.profile == "docs"
    assert screen(pilot).field.has_focus
    assert screen(pilot).field.value == "rollback"


async def test_note_ranks_above_files_derived_from_it(garden: Tree, make_app: MakeApp) -> None:
    garden.file("deploy/rollback.abstract.md", "How a deploy is taken back.\n")
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await ask(pilot, "token")
        dialog = await palette(pilot, "rollback")
        assert [row.note for row in dialog.rows.commands] == ["deploy/rollback.md", "deploy/rollback.abstract.md"]


async def test_actions_focus_their_pane_and_notes_open_on_the_notes_screen(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback")
        await chosen(pilot, "next tab")
        assert pilot.app.focused is not None
        assert pilot.app.focused.id == "answer"
        await chosen(pilot, "next filter match")
        assert "not available now" in toast_text(pilot)
        await pilot.press("i")
        dialog = await palette(pilot, "zebra zebra")
        assert "no action or note" in shown(pilot)
        await pilot.press("enter")
        assert pilot.app.screen is dialog
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, QueryScreen)
        assert screen(pilot).field.has_focus
        await chosen(pilot, "invoice numb")
        assert isinstance(frame(pilot), NotesScreen)
        assert view(pilot).selection.file == "billing/invoices/numbering.md"
        await pilot.press("b")
        assert view(pilot).selection.file == "deploy/rollback.md"


async def test_keys_typed_before_the_palette_opens_are_not_lost(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await on(pilot, NotesScreen, "ctrl+g", *"rollback", "enter")
        assert view(pilot).selection.file == "deploy/rollback.md"


async def test_palette_rows_chosen_by_key_or_click_run_on_their_screen(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    dialog = await palette(pilot, "go to the screen")
    await pilot.press("down", "down", "up")
    assert dialog.rows.command is not None
    assert dialog.rows.command.title == "Go to the Notes screen"
    await pilot.click(dialog.rows, offset=(10, 2))
    await on(pilot, MaturityScreen)
    await chosen(pilot, "only queries that were not covered")
    await on(pilot, LogScreen)
    await settled(pilot)
    assert pilot.app.focused is not None
    assert pilot.app.focused.id == "log"
    assert "not covered" in str(pilot.app.focused.border_title)
    await pilot.press("1", "colon")
    assert screen(pilot).field.value == "rollback:"
    await press(pilot, "backspace", "escape")
    await chosen(pilot, "screen maturity", key="colon")
    assert isinstance(frame(pilot), MaturityScreen)


async def test_palette_shows_markup_in_titles_as_plain_text(pilot: AppPilot) -> None:
    await settled(pilot)
    await palette(pilot, "strange")
    assert "auth/strange.md" in shown(pilot)
    assert brv(pilot).is_running


@SIZES
async def test_palette_finds_notes_by_text_and_shows_an_excerpt(size: tuple[int, int], pilot: AppPilot) -> None:
    await settled(pilot)
    dialog = await palette(pilot, "milliseco")
    await until(pilot, lambda: any(row.snippet for row in dialog.rows.commands))
    (row,) = dialog.rows.commands
    assert (row.title, row.note) == ("Token store", "auth/jwt/token_store.md")
    assert [text for text, role in row.snippet if role == "match"] == ["milliseconds"]
    assert "milliseconds" in shown(pilot)
    await pilot.press("enter")
    await on(pilot, NotesScreen)
    assert view(pilot).selection.file == "auth/jwt/token_store.md"
