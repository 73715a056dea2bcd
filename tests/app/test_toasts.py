"""Toasts: few, small, and never over important content."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widgets import Input, TextArea
from textual.widgets._toast import Toast

from brvtui.app.app import BrvTui
from brvtui.app.widgets.lines import Lines
from tests.app.driving import NARROW, MakeApp, ask, settled, until
from tests.app.editing import open_note
from tests.app.looking import AppPilot, screen, toasts
from tests.support.trees import Tree

LONG = "copied the path (30 characters) through tmux, to the terminal's clipboard; prefix ] pastes it"


async def shown(pilot: AppPilot, count: int) -> list[Toast]:
    """The toasts, once there are ``count``."""
    await until(pilot, lambda: len(pilot.app.screen.query(Toast)) == count)
    await pilot.pause()
    return list(pilot.app.screen.query(Toast).results(Toast))


async def test_newest_messages_are_shown_in_full_and_errors_stay_visible(app: BrvTui) -> None:
    async with app.run_test(size=NARROW, notifications=True) as pilot:
        await settled(pilot)
        for number in range(5):
            app.notify(f"number {number}")
        await until(pilot, lambda: toasts(pilot) == ["number 3", "number 4"])
        assert len(await shown(pilot, 2)) == 2
        app.clear_notifications()
        for text in ("one", "two", "one", "one"):
            app.notify(text)
        await until(pilot, lambda: toasts(pilot) == ["two", "one"])
        app.clear_notifications()
        app.notify("it failed", severity="error")
        for number in range(4):
            app.notify(f"number {number}")
        await until(pilot, lambda: toasts(pilot) == ["it failed", "number 3"])
        for length in range(66, 84):
            app.clear_notifications()
            app.notify(f"{'x' * (length - 5)} last")
            (toast,) = await shown(pilot, 1)
            assert toast.region.bottom <= NARROW[1] - 1, length


@pytest.mark.parametrize("text", ["saved x.json", LONG])
async def test_toast_covers_at_most_two_lines_above_the_keys(app: BrvTui, text: str) -> None:
    async with app.run_test(size=NARROW, notifications=True) as pilot:
        await ask(pilot, "token store")
        app.notify(text)
        (toast,) = await shown(pilot, 1)
        keys = screen(pilot).query_one("#keys").region
        assert toast.region.bottom <= keys.y
        assert toast.region.height <= 2
        assert toast.region.width <= NARROW[0]


async def test_toast_beside_a_dialog_is_shown_once(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    restyled: list[DOMNode] = []
    update = Stylesheet.update_nodes

    def recording(sheet: Stylesheet, nodes: Iterable[DOMNode], animate: bool = False) -> None:
        nodes = list(nodes)
        restyled.extend(nodes)
        update(sheet, nodes, animate)

    async with app.run_test(size=NARROW, notifications=True) as pilot:
        await ask(pilot, "token store")
        below = app.screen
        await pilot.press("escape", "a")  # Textual loads the dialog's styles when it is first shown
        await until(pilot, lambda: app.has_modal)
        await pilot.press("escape")
        await until(pilot, lambda: not app.has_modal)
        app.notify("x" * 40)
        await shown(pilot, 1)
        monkeypatch.setattr(Stylesheet, "update_nodes", recording)
        await pilot.press("a")
        await until(pilot, lambda: app.has_modal)
        (above,) = await shown(pilot, 1)
        assert is_seen(above)
        assert not any(map(is_seen, below.query(Toast)))
        assert not [node for node in restyled if node.screen is below and isinstance(node, Lines)]
        await pilot.press("escape")
        await until(pilot, lambda: not app.has_modal)
        (again,) = await shown(pilot, 1)
        assert is_seen(again)


async def test_toasts_never_cover_the_line_being_edited(garden: Tree, make_app: MakeApp) -> None:
    garden.file("long.md", "# Long\n\n" + "a line\n" * 60)
    app = make_app(garden.root)
    async with app.run_test(size=NARROW, notifications=True) as pilot:
        await open_note(pilot, "long.md")
        for text in ("saved", LONG):
            app.notify(text)
        await shown(pilot, 2)
        for keys in (("ctrl+end",), ("x",), ("enter", "enter"), ("ctrl+home",), *([("down",)] * 24), *([("up",)] * 9)):
            await pilot.press(*keys)
            await pilot.pause()
            assert not covered(pilot), keys
        app.notify("another")
        await pilot.press("ctrl+end")
        await pilot.pause()
        assert not covered(pilot)
        await pilot.press("ctrl+f")
        await pilot.pause()
        assert not covered(pilot)


async def test_toasts_never_cover_a_filter_that_is_being_typed(app: BrvTui) -> None:
    async with app.run_test(size=NARROW, notifications=True) as pilot:
        await ask(pilot, "token store", "escape", "slash")
        for text in ("saved", LONG):
            app.notify(text)
        await shown(pilot, 2)
        assert not covered(pilot)
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert all(toast.region.y > NARROW[1] // 2 for toast in pilot.app.screen.query(Toast))


def covered(pilot: AppPilot) -> list[Toast]:
    """The toasts that cover the cursor's row in the focused field."""
    field = pilot.app.focused
    assert isinstance(field, Input | TextArea)
    row = field.cursor_screen_offset.y
    return [one for one in pilot.app.screen.query(Toast).results(Toast) if one.region.y <= row < one.region.bottom]


def is_seen(toast: Toast) -> bool:
    """True if neither the toast nor a parent is hidden."""
    return all(node.display for node in toast.ancestors_with_self)
