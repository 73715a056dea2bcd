"""Every key that the bar offers does something, or says something: none is a dead end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.widgets.key_bar import KeyBar
from tests.app.driving import HUGE, brv, settled
from tests.app.editing import toasts
from tests.support.trees import Tree

_SCREENS: dict[str, Sequence[str]] = {
    "first": (),
    "nothing is found": (*"zebra", "escape"),
    "notes": ("escape", "2"),
    "maturity": ("escape", "3"),
    "log": ("escape", "4"),
    "lab": ("escape", "5"),
}
"""The keys that lead to screens with little on them, where most keys have nothing to act on."""
_OF_ANY_PANE = "pane("
"""How the action of a key that stands for all panes begins: that of the pane in use changes nothing."""


async def offered(pilot: Pilot[Any], keys: Sequence[str]) -> list[str]:
    """The keys that the bar offers once ``keys`` are pressed."""
    await settled(pilot)
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
    acting = {one.binding.key: one.binding.action for one in pilot.app.screen.active_bindings.values()}
    bar = pilot.app.screen.query_one(KeyBar)
    return [key for _, _, key in bar._keys if not acting[key].startswith(_OF_ANY_PANE)]


@pytest.mark.parametrize("name", _SCREENS)
async def test_an_offered_key_acts(garden: Tree, make_app: Callable[..., BrvTui], name: str) -> None:
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        keys = await offered(pilot, _SCREENS[name])
    assert keys
    for key in keys:
        async with make_app(garden.root).run_test(size=HUGE) as pilot:
            await offered(pilot, _SCREENS[name])
            brv(pilot).clear_notifications()
            screen, before = pilot.app.screen, pilot.app.export_screenshot()
            await pilot.press(key)
            await settled(pilot)
            acted = pilot.app.screen is not screen or pilot.app.export_screenshot() != before
            assert acted or toasts(pilot), key
