"""The overlay of letters: one key, or a click, focuses the labelled part."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from brvtui.app.app import BrvTui
from brvtui.app.screens.message import LETTERS, JumpScreen
from tests.app.driving import NARROW, ask, at_all_sizes, press, settled
from tests.app.looking import AppPilot, frame, screen, shown

pytestmark = pytest.mark.long


def labels(pilot: AppPilot) -> dict[str, Static]:
    """The letters by their targets."""
    assert isinstance(pilot.app.screen, JumpScreen)
    return {(label.id or "").removeprefix("to-"): label for label in pilot.app.screen.query(Static).results(Static)}


def letter(pilot: AppPilot, target: str) -> str:
    return str(labels(pilot)[target].content).strip()


@at_all_sizes
async def test_jump_letters_focus_every_pane_and_field(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    stops = ("query", *screen(pilot).PLAN.panes)
    for target in (*stops, "query"):
        await pilot.press("ctrl+o")
        assert labels(pilot).keys() == set(stops)
        await press(pilot, letter(pilot, target))
        assert pilot.app.screen is screen(pilot)
        assert pilot.app.focused.id == target
        assert pilot.app.focused.display


async def test_jump_letters_appear_next_to_titles_and_can_be_clicked(pilot: AppPilot) -> None:
    await ask(pilot, "token store", "ctrl+o")
    await pilot.pause()
    text = shown(pilot)
    assert f" {letter(pilot, 'results')} Results " in text
    assert f" {letter(pilot, 'tree')} Tree " in text
    assert "token store" in text
    assert [letter(pilot, name) for name in labels(pilot)] == list(LETTERS[: len(labels(pilot))])
    taken = [label.region for label in labels(pilot).values()]
    assert all(not one.overlaps(other) for place, one in enumerate(taken) for other in taken[:place])
    await pilot.press("escape")
    await pilot.press("ctrl+o")
    await pilot.click("#to-cache")
    await settled(pilot)
    assert pilot.app.focused.id == "cache"
    await pilot.press("ctrl+o")
    await pilot.click(offset=(60, 20))
    await settled(pilot)
    assert pilot.app.screen is screen(pilot)
    assert pilot.app.focused.id == "cache"
    await pilot.press("f8", "H", "ctrl+o")
    assert "tree" not in labels(pilot)


async def test_jump_letters_precede_tab_names(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "token store", "ctrl+o")
        await pilot.pause()
        text = shown(pilot)
        for name in screen(pilot).PLAN.tabs:
            assert f"{letter(pilot, name)}{name.capitalize()}" in text


@pytest.mark.parametrize("key", ["escape", "ctrl+o"])
async def test_leaving_the_jump_overlay_keeps_the_focus(key: str, pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await press(pilot, "f3", "ctrl+o", "1", "f2", key)
    assert pilot.app.screen is screen(pilot)
    assert pilot.app.focused.id == "score"


async def test_jump_letters_work_on_the_notes_screen(pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("escape", "2", "ctrl+o")
    assert labels(pilot).keys() == {"tree", "note", "about"}
    await press(pilot, letter(pilot, "note"))
    assert frame(pilot).focused.id == "note"
