"""Several screens on one project: digits and the mouse switch between them, and state and selection are kept."""

from __future__ import annotations

from brvtui.app.app import BrvTui
from brvtui.app.notes.note import NotePane
from brvtui.app.notes.screen import NotesScreen
from brvtui.app.query.screen import QueryScreen
from tests.app.driving import NARROW, ask, at_all_sizes, on, press, settled
from tests.app.looking import AppPilot, flat, frame, screen, shown, text_of, view


@at_all_sizes
async def test_digits_switch_screens(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await on(pilot, NotesScreen, "escape", "2")
    await settled(pilot)
    assert "rotated out after thirty seconds" in flat(pilot, "#note")
    assert " 1 Query 2 Notes " in shown(pilot)
    await on(pilot, QueryScreen, "1")
    assert screen(pilot).field.value == "refresh token rotation"
    assert screen(pilot).focused is screen(pilot).results
    assert "TIER 3" in shown(pilot)


async def test_digits_are_text_in_the_field_and_do_nothing_under_a_dialog(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        assert isinstance(frame(pilot), QueryScreen)
        assert screen(pilot).field.value == "2"
        await press(pilot, "escape", "f1", "2")
        assert isinstance(frame(pilot), QueryScreen)
        await pilot.press("escape")
        await pilot.click("#status", offset=(shown(pilot).splitlines()[0].index("Notes"), 0))
        await on(pilot, NotesScreen)


async def test_selected_note_is_the_same_on_all_screens(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await press(pilot, "escape", "j", "2")
    assert "Session expiry" in text_of(pilot, "#note")
    await press(pilot, "G", "k", "k", "enter")
    chosen = view(pilot).selection.file
    assert chosen != "auth/jwt/session_expiry.md"
    assert frame(pilot).query_one(NotePane).border_title == f"Note · {chosen}"
    await press(pilot, "1")
    assert view(pilot).selection.file == chosen


async def test_theme_and_size_changes_reach_background_screens(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    before = screen(pilot).results.render_line(0)
    await press(pilot, "escape", "2", "t")
    assert pilot.app.theme == "brv-light"
    await press(pilot, "1")
    after = screen(pilot).results.render_line(0)
    assert before.text == after.text
    assert [segment.style for segment in before] != [segment.style for segment in after]
    await press(pilot, "escape", "2")
    await pilot.resize_terminal(*NARROW)
    await press(pilot, "1")
    assert "Score│Route" in shown(pilot)
