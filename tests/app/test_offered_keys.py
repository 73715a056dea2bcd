"""Every key in the bar has an effect in the current state, and its name describes that effect."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.lab.what_if import WhatIfPane
from brvtui.app.widgets.key_bar import KeyBar
from tests.app.driving import HUGE, MakeApp, ask, press, settled, until
from tests.app.editing import open_note
from tests.app.looking import AppPilot, brv, frame, shown, text_of, toast_text, view
from tests.support.trees import Tree

_SCREENS: dict[str, Sequence[str]] = {
    "first": (),
    "nothing is found": (*"zebra", "escape"),
    "notes": ("escape", "2"),
    "maturity": ("escape", "3"),
    "log": ("escape", "4"),
    "lab": ("escape", "5"),
    "health": ("escape", "7"),
}
"""The keys that lead to nearly empty screens, where most keys have nothing to act on."""
_OF_ANY_PANE = "pane("
"""The prefix of actions with keys for all panes. The key of the current pane has no effect."""


async def offered(pilot: AppPilot, keys: Sequence[str]) -> list[str]:
    """The keys that the bar offers after ``keys`` are pressed."""
    await settled(pilot)
    for key in keys:
        await press(pilot, key)
    acting = {one.binding.key: one.binding.action for one in pilot.app.screen.active_bindings.values()}
    bar = pilot.app.screen.query_one(KeyBar)
    return [key for _, _, key in bar._keys if not acting[key].startswith(_OF_ANY_PANE)]


@pytest.mark.long
@pytest.mark.parametrize("name", _SCREENS)
async def test_every_offered_key_has_an_effect(garden: Tree, make_app: MakeApp, name: str) -> None:
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        keys = await offered(pilot, _SCREENS[name])
    assert keys
    for key in keys:
        async with make_app(garden.root).run_test(size=HUGE) as pilot:
            await offered(pilot, _SCREENS[name])
            brv(pilot).clear_notifications()
            screen, before = pilot.app.screen, pilot.app.export_screenshot()
            await press(pilot, key)
            acted = pilot.app.screen is not screen or pilot.app.export_screenshot() != before
            assert acted or toast_text(pilot), key


async def test_query_and_note_actions_are_offered_only_with_a_query_or_note(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        for name in ("Enter run", "Up history"):
            assert f" {name}" not in text_of(pilot, "#keys")
        await ask(pilot, "zebra quagga")
        assert " Enter run" in text_of(pilot, "#keys")
        await press(pilot, "escape")
        assert " o in Notes" not in text_of(pilot, "#keys")
        assert view(pilot).may_need_less
        await press(pilot, "f4")
        assert " v without model" in text_of(pilot, "#keys")
        await ask(pilot, "rollback")
        await press(pilot, "escape", "f4")
        assert " v without model" not in text_of(pilot, "#keys"), "it is answered directly"
        await ask(pilot, "rollback")
        await press(pilot, "escape")
        assert " e edit" in text_of(pilot, "#keys")
        await ask(pilot, "")
        await press(pilot, "escape")
        assert view(pilot).selection.file
        assert " e edit" not in text_of(pilot, "#keys")


async def test_key_names_follow_the_state_and_save_is_always_offered(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await open_note(pilot)
        assert " F6 old time" in text_of(pilot, "#keys")
        await press(pilot, "f6")
        assert " F6 new time" in text_of(pilot, "#keys")
        await press(pilot, "f3")
        assert " e edit" not in text_of(pilot, "#keys"), "it is being edited"
        await press(pilot, "f6", "escape", "escape", "2")
        assert " . all files" in text_of(pilot, "#keys")
        await press(pilot, "full_stop")
        assert " . fewer files" in text_of(pilot, "#keys")
        await open_note(pilot)
        assert " ^s save" in text_of(pilot, "#keys")
        assert " ^z undo" not in text_of(pilot, "#keys")
        await press(pilot, "x")
        for name in ("^s save", "^z undo"):
            assert f" {name}" in text_of(pilot, "#keys")
        await press(pilot, "f3")
        assert " Enter go to line" not in text_of(pilot, "#keys"), "there is no problem"


async def test_what_if_offers_reset_and_keep_only_for_changes(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "5", "f4")
        pane = frame(pilot).query_one(WhatIfPane)
        await until(pilot, lambda: bool(pane.choices))
        pane.move_to(pane.choices.index("direct.min_top"))
        await settled(pilot)
        for name in ("d reset", "0 reset all", "as profile"):
            assert f" {name}" not in text_of(pilot, "#keys")
        await pilot.press("l")
        await until(pilot, lambda: view(pilot).lab.what_if is not None)
        await settled(pilot)
        for name in ("d reset", "0 reset all", "K as profile", "l more", "h less"):
            assert f" {name}" in text_of(pilot, "#keys")
        await press(pilot, *["right_curly_bracket"] * 20)
        assert " l more" not in text_of(pilot, "#keys"), "it is at its end"


async def test_actions_without_a_target_are_not_offered(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await ask(pilot, "zebra quagga")
        await press(pilot, "enter", "escape", "f8", "g")
        assert " Enter choose" not in text_of(pilot, "#keys"), "the query is kept to no folder"
        await press(pilot, "j")
        assert " Enter choose" in text_of(pilot, "#keys")
        await press(pilot, "3")
        assert " 0 today" not in text_of(pilot, "#keys")
        await press(pilot, "right_square_bracket")
        assert " 0 today" in text_of(pilot, "#keys")
        await pilot.press("4")
        await until(pilot, lambda: bool(view(pilot).log.entries))
        await settled(pilot)
        assert " w why" not in text_of(pilot, "#keys"), "no note answered"
        assert " c not covered" in text_of(pilot, "#keys")
        await press(pilot, "c")
        assert " c all queries" in text_of(pilot, "#keys")
        await press(pilot, "5")
        assert " J judge" in text_of(pilot, "#keys")
        for name in ("f metric", "S order"):
            assert f" {name}" not in text_of(pilot, "#keys"), "none is judged, and one alone is asked"
        brv(pilot).select("deploy/rollback.md")
        await pilot.press("2", "f3")
        await until(pilot, lambda: bool(text_of(pilot, "#note").strip()))
        await settled(pilot)
        for name in ("Enter follow", "] next link"):
            assert f" {name}" not in text_of(pilot, "#keys"), "it links to nothing"
        await press(pilot, "D")
        assert "Enter look" not in shown(pilot), "there is no draft"
