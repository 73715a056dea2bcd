"""Several screens over one project: numbers and mouse reach them, state and selection stay."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.notes.note import NotePane
from brvtui.app.notes.screen import NotesScreen
from brvtui.app.query.screen import QueryScreen
from tests.app.driving import NARROW, ask, at_all_sizes, on, settled
from tests.app.looking import flat, frame, screen, shown, text_of, view


@at_all_sizes
async def test_digits_bring_screens_to_the_front_and_back(size: tuple[int, int], pilot: Pilot[Any]) -> None:
    await ask(pilot, "refresh token rotation")
    await pilot.press("escape", "2")
    await on(pilot, NotesScreen)
    await settled(pilot)
    assert "rotated out after thirty seconds" in flat(pilot, "#note")
    assert " 1 Query  2 Notes " in shown(pilot)
    await pilot.press("1")
    await on(pilot, QueryScreen)
    assert screen(pilot).field.value == "refresh token rotation"
    assert screen(pilot).focused is screen(pilot).results
    assert "TIER 3" in shown(pilot)


async def test_digits_are_text_in_the_field_and_do_nothing_behind_a_modal(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("2")
        await settled(pilot)
        assert isinstance(frame(pilot), QueryScreen)
        assert screen(pilot).field.value == "2"
        await pilot.press("escape", "f1", "2")
        await settled(pilot)
        assert isinstance(frame(pilot), QueryScreen)
        await pilot.press("escape")
        await pilot.click("#status", offset=(shown(pilot).splitlines()[0].index("Notes"), 0))
        await on(pilot, NotesScreen)


async def test_the_selected_note_is_the_same_everywhere(pilot: Pilot[Any]) -> None:
    await ask(pilot, "refresh token rotation")
    await pilot.press("escape", "j", "2")
    await settled(pilot)
    assert "Session expiry" in text_of(pilot, "#note")
    await pilot.press("G", "k", "k", "enter")
    await settled(pilot)
    chosen = view(pilot).selection.file
    assert chosen != "auth/jwt/session_expiry.md"
    assert frame(pilot).query_one(NotePane).border_title == f"Note · {chosen}"
    await pilot.press("1")
    await settled(pilot)
    assert view(pilot).selection.file == chosen


async def test_themes_and_sizes_reach_the_screens_behind(pilot: Pilot[Any]) -> None:
    await ask(pilot, "rollback")
    before = screen(pilot).results.render_line(0)
    await pilot.press("escape", "2", "t")
    await settled(pilot)
    assert pilot.app.theme == "brv-light"
    await pilot.press("1")
    await settled(pilot)
    after = screen(pilot).results.render_line(0)
    assert before.text == after.text
    assert [segment.style for segment in before] != [segment.style for segment in after]
    await pilot.press("escape", "2")
    await settled(pilot)
    await pilot.resize_terminal(*NARROW)
    await pilot.press("1")
    await settled(pilot)
    assert "Score│Route" in shown(pilot)
