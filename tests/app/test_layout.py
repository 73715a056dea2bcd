"""Dividing the screen between panes: by keyboard and by mouse, remembered per project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.arrangement import Layout
from brvtui.app.notes.screen import NOTES
from brvtui.app.query.screen import QUERY
from brvtui.app.widgets.body import Body
from brvtui.store.app_state import LayoutStore
from tests.app.driving import NARROW, WIDE, MakeApp, ask, press, settled, until
from tests.app.looking import AppPilot, frame, screen, toast_text
from tests.support.trees import Tree


def body(pilot: AppPilot) -> Body:
    return frame(pilot).body


def width(pilot: AppPilot, pane: str) -> int:
    return frame(pilot).query_one(f"#{pane}").outer_size.width


def height(pilot: AppPilot, pane: str) -> int:
    return frame(pilot).query_one(f"#{pane}").outer_size.height


def written(garden: Tree) -> Any:
    """The stored layout of the project."""
    return LayoutStore(garden.tree).read()


async def test_panes_can_be_resized_and_hidden(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    before = width(pilot, "results"), height(pilot, "results"), width(pilot, "score"), height(pilot, "answer")
    await press(pilot, "escape", ">", ">", "+")
    after = width(pilot, "results"), height(pilot, "results"), width(pilot, "score"), height(pilot, "answer")
    assert after == (before[0] + 4, before[1] + 1, before[2] - 4, before[3] - 1)
    await press(pilot, "<", "<", "-")
    assert (width(pilot, "results"), height(pilot, "results")) == before[:2]
    await press(pilot, "escape", *(">" for _ in range(60)))
    assert (width(pilot, "tree"), width(pilot, "retry"), width(pilot, "cache")) == (20, 20, 20)
    assert "can give up space" in toast_text(pilot)
    await press(pilot, "equals_sign")
    tree = screen(pilot).query_one("#tree").region
    before = width(pilot, "tree")
    await pilot.mouse_down(offset=(tree.right - 1, tree.y + 4))
    await pilot.hover(offset=(tree.right + 5, tree.y + 4))
    await pilot.mouse_up(offset=(tree.right + 5, tree.y + 4))
    await settled(pilot)
    assert width(pilot, "tree") == before + 5
    results = screen(pilot).query_one("#results").region
    await pilot.mouse_down(offset=(results.x + 9, results.bottom - 1))
    await pilot.hover(offset=(results.x + 9, results.bottom + 1))
    await pilot.mouse_up(offset=(results.x + 9, results.bottom + 1))
    await settled(pilot)
    assert height(pilot, "results") == results.height + 2
    assert app.mouse_captured is None
    await press(pilot, "equals_sign")
    await press(pilot, "f8", "H")
    assert not screen(pilot).query_one("#tree").display
    assert "tree is hidden: F8 shows it again, and = shows all" in toast_text(pilot)
    assert pilot.app.focused.id == "results"
    await press(pilot, "f4", "H")
    assert screen(pilot).query_one("#verdict").display
    await press(pilot, "f8")
    assert screen(pilot).query_one("#tree").display
    assert pilot.app.focused.id == "tree"
    await press(pilot, "equals_sign")
    assert body(pilot).shared == Layout()
    assert screen(pilot).query_one("#route").display
    assert not screen(pilot).query_one("#verdict").display


async def test_tab_skips_hidden_panes_and_the_last_pane_stays(pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("f3", "H")
    seen = []
    for _ in range(7):
        await pilot.press("tab")
        seen.append(pilot.app.focused.id)
    assert seen == ["answer", "retry", "cache", "tree", "route", "query", "results"]
    assert not screen(pilot).query_one("#score").display
    await press(pilot, "escape", "2", "f4", "H", "f3", "H", "f2", "H")
    assert frame(pilot).query_one("#tree").display
    assert "the last pane cannot be hidden" in toast_text(pilot)


async def test_narrow_tabs_name_only_visible_panes(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "token store")
        await press(pilot, "f3", "H")
        assert body(pilot).tab == "route"
        assert "Score" not in str(screen(pilot).query_one("#route").border_title)
        await press(pilot, "f2", ">")
        assert width(pilot, "results") == 37
        await press(pilot, "f3")
        assert "Score" in str(screen(pilot).query_one("#score").border_title)
        for key in ("escape", "5"):
            await press(pilot, key)
            tabs = [frame(pilot).query_one(f"#{name}") for name in body(pilot).plan.tabs]
            row = str(next(pane.border_title for pane in tabs if pane.id in body(pilot).areas(body(pilot).size)))
            assert all(pane.TITLE in row for pane in tabs), row


async def test_click_on_a_border_changes_nothing(app: BrvTui, garden: Tree) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        tree = screen(pilot).query_one("#tree").region
        await pilot.click(offset=(tree.right - 1, tree.y + 4))
        await settled(pilot)
        assert body(pilot).shared == Layout()
        await pilot.press("ctrl+q")
    assert written(garden) == {}


async def test_layout_is_remembered_for_the_project(
    app: BrvTui, garden: Tree, make_app: MakeApp, tmp_path: Path
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        await press(pilot, "escape", ">", "f8", "H", "2", "f2", ">")
        result, notes = app.layouts.of("Query", QUERY), app.layouts.of("Notes", NOTES)
        await pilot.press("ctrl+q")
    assert written(garden) == {"Query": result.plain(), "Notes": notes.plain()}
    again = make_app(garden.root)
    async with again.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert body(pilot).shared == result
        assert not screen(pilot).query_one("#tree").display
        await press(pilot, "escape", "2")
        assert body(pilot).shared == notes
        await press(pilot, "1", "escape", "equals_sign", "2", "f2", "equals_sign")
        await until(pilot, lambda: written(garden) == {})
    other = Tree(tmp_path / "other")
    other.note("x/n.md", "Other")
    elsewhere = make_app(other.root)
    async with elsewhere.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert body(pilot).shared == Layout()


@pytest.mark.parametrize("content", ["[]", '{"Query": {"hidden": ["nothing"], "shares": {"x": [0]}}}'])
async def test_broken_layout_file_gives_the_default_layout(app: BrvTui, garden: Tree, content: str) -> None:
    file = LayoutStore(garden.tree).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert screen(pilot).query_one("#tree").display
        assert body(pilot).shared.shares == {}


async def test_layout_file_that_hides_every_pane_is_ignored(app: BrvTui, garden: Tree) -> None:
    file = LayoutStore(garden.tree).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"Query": {"hidden": list(QUERY.panes), "shares": {}}}))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert screen(pilot).query_one("#results").display


async def test_unwritable_layout_is_reported(app: BrvTui, garden: Tree) -> None:
    folder = LayoutStore(garden.tree).path
    folder.mkdir(parents=True)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", ">")
        await until(pilot, lambda: "the layout cannot be saved" in toast_text(pilot))
