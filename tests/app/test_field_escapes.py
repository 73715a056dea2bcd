"""Terminal control characters are drawn as placeholders in every field, and stay in the field's value."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events
from textual.widgets import Input

from brvtui.app.app import BrvTui
from brvtui.app.editing.questions import GoneDialog
from brvtui.app.editing.screen import FindField
from brvtui.app.project.opening import Opening
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.lab.judgments.file import JudgmentsFile, with_query
from brvtui.store.app_state import History
from brvtui.tree.reading.project import find_project
from tests.app.driving import WIDE, MakeApp, ask, open_notes, press, settled, until
from tests.app.editing import open_note
from tests.app.judging import to_lab
from tests.app.looking import AppPilot, screen, shown, view
from tests.app.test_reopening import opened, save
from tests.support.trees import Tree

HOSTILE = [
    "zebra\x1b[31mred\x1b[8m",
    "zebra \x1b]52;c;UFdOMg==\x1b\\ \x1b]0;PWN\x07",
    "zebra\x9b31m\x9d0;PWN\x9c\x90q",
    "zebra \u202edcba\u2066\u200f\u061c",
    "zebra\r\nline\ttab\x00\x7f\x85\u2028end",
    "zebra 日本\x1b語 e\u0301 ❤\ufe0f 👩\u200d👧\ufeff \U000e0041",
]
ALL = "".join(HOSTILE)
_OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")


def raw(pilot: AppPilot) -> list[str]:
    """The characters on the screen that a terminal may interpret."""
    return [char for char in shown(pilot) if char != "\n" and unicodedata.category(char) in _OBEYED]


async def attack(pilot: AppPilot, field: Input, text: str) -> None:
    """Fills ``field`` with ``text``, and checks the screen with the cursor at the end and at the start."""
    field.focus()
    field.value = text
    for cursor in (len(text), 0):
        field.cursor_position = cursor
        await pilot.pause()
        assert raw(pilot) == []
        assert field.value == text


async def test_query_field_draws_placeholders_and_runs_the_true_text(pilot: AppPilot) -> None:
    for text in HOSTILE:
        await ask(pilot, text)
        assert raw(pilot) == []
        assert "zebra" in shown(pilot)
        assert view(pilot).query.text == text


async def test_cursor_and_mouse_positions_match_the_drawn_cells(pilot: AppPilot) -> None:
    await settled(pilot)
    for text in (*HOSTILE, "plain", "日本語 é", "می\u200cخواهم"):
        field = screen(pilot).field
        field.value = text
        field.cursor_position = 0
        await settled(pilot)
        drawn = field._value.plain
        assert len(drawn) == len(text)
        for place in range(len(text) + 1):
            cell = field._position_to_cell(place)
            assert cell == cell_len(drawn[:place])
            assert field._position_to_cell(field._cell_offset_to_index(cell)) == cell
        assert field._cell_offset_to_index(10_000) == len(text)
        assert field.content_width == cell_len(drawn) + 1


@pytest.mark.parametrize("text", HOSTILE)
async def test_saved_trace_query_is_drawn_with_placeholders(garden: Tree, tmp_path: Path, text: str) -> None:
    app = BrvTui(Opening(save(garden, tmp_path, text)))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert screen(pilot).field.value == text
        assert raw(pilot) == []


async def test_fields_opened_from_the_query_screen_draw_placeholders(pilot: AppPilot) -> None:
    for key in ("slash", "colon", "T", "a", "x"):
        await ask(pilot, "rollback")
        before = set(pilot.app.screen.query(Input))
        await pilot.press("escape", key)
        await until(pilot, lambda before=before: set(pilot.app.screen.query(Input)) - before)
        for field in set(pilot.app.screen.query(OrderedInput)) - before:
            await attack(pilot, field, ALL)
        await press(pilot, "escape", "escape")


async def test_theme_palette_draws_no_escapes(pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "escape", "T")
    await until(pilot, lambda: not isinstance(pilot.app.focused, OrderedInput) and pilot.app.focused)
    field = pilot.app.screen.query_one(Input)
    for text in HOSTILE:
        field.post_message(events.Paste(text))
        await pilot.pause()
        assert raw(pilot) == []


async def test_rename_field_draws_placeholders_in_file_names(garden: Tree, make_app: MakeApp) -> None:
    name = "deploy/nl\nname\x1b[31m \u202ezebra.md"
    garden.file(name, "# zebra quagga\n\nstripes\n", 3)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "zebra quagga")
        pilot.app.selection.select(name)  # type: ignore[attr-defined]
        await open_notes(pilot)
        assert raw(pilot) == []
        await pilot.press("M")
        await until(pilot, lambda: pilot.app.screen.query("#target-input"))
        await settled(pilot)
        assert pilot.app.screen.query_one("#target-input", Input).value == name
        assert raw(pilot) == []
        await attack(pilot, pilot.app.screen.query_one("#target-input", Input), ALL)


async def test_lab_and_query_field_draw_placeholders_in_judged_queries(garden: Tree, make_app: MakeApp) -> None:
    file = JudgmentsFile.of(find_project(garden.root))
    for text in HOSTILE[1:4]:
        file.change(lambda before, text=text: with_query(before, text, "", "not covered", ()))
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        assert raw(pilot) == []
        await press(pilot, "v")
        assert raw(pilot) == []
        for text in HOSTILE[1:4]:
            await pilot.press("escape", "enter")
            await until(pilot, lambda text=text: screen(pilot).field.value == text)
            await settled(pilot)
            assert raw(pilot) == []
            await to_lab(pilot)
            await pilot.press("j")


async def test_find_bar_draws_placeholders(pilot: AppPilot) -> None:
    await open_note(pilot)
    await pilot.press("ctrl+f")
    await until(pilot, lambda: isinstance(pilot.app.focused, FindField))
    for text in HOSTILE:
        await attack(pilot, pilot.app.screen.query_one(FindField), text)


async def test_query_history_draws_placeholders(garden: Tree, make_app: MakeApp) -> None:
    for text in HOSTILE:
        History(garden.tree, 10).add(text)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        for text in reversed(HOSTILE):
            await press(pilot, "up")
            assert screen(pilot).field.value == text
            assert raw(pilot) == []


async def test_toasts_and_dialogs_draw_placeholders(app: BrvTui) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settled(pilot)
        for text in HOSTILE:
            pilot.app.notify(text)
            await until(pilot, lambda: "zebra" in shown(pilot))
            assert raw(pilot) == []
            pilot.app.clear_notifications()
            await until(pilot, lambda: "zebra" not in shown(pilot))
            dialog = GoneDialog(text, text)
            pilot.app.push_screen(dialog)
            await until(pilot, lambda: "zebra" in shown(pilot))
            assert raw(pilot) == []
            dialog.dismiss(None)
            await until(pilot, lambda: "zebra" not in shown(pilot))


async def test_fields_on_other_screens_draw_placeholders(pilot: AppPilot) -> None:
    for screen_key in "346":
        await settled(pilot)
        await press(pilot, "escape", screen_key)
        await pilot.press("slash")
        await pilot.pause()
        assert isinstance(pilot.app.focused, OrderedInput)
        await attack(pilot, pilot.app.focused, ALL)
        await press(pilot, "escape", "enter")
        for field in pilot.app.screen.query(OrderedInput):
            if field.display:
                await attack(pilot, field, ALL)
