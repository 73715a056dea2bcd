"""Selecting text with the mouse, and copying it."""

from __future__ import annotations

import pytest
from textual.widget import Widget

from brvtui.app.app import BrvTui
from brvtui.app.screens.message import MessageScreen
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.pane import Pane
from tests.app.driving import HUGE, MakeApp, ask, on, press, settled, until
from tests.app.looking import AppPilot, screen, shown, view
from tests.app.test_sharing import offered, written  # noqa: F401  # a fixture
from tests.support.trees import Tree


async def drag(pilot: AppPilot, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Drags the mouse between two positions in the terminal, and waits until the selection is painted."""
    await pilot.mouse_down(offset=start)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)
    await pilot.pause()


def place(widget: Widget, x: int, y: int) -> tuple[int, int]:
    """The position in the terminal of a cell in ``widget``'s content."""
    corner = widget.content_region.offset
    return corner.x + x, corner.y + y


def selected(pilot: AppPilot) -> str:
    """The selected text."""
    return pilot.app.screen.get_selected_text() or ""


def marked(pane: Pane) -> str:
    """The text in ``pane`` that is painted in the selection colour, by row."""
    colour = pane.selection_style.bgcolor
    rows = []
    for strip in map(pane.paint_row, range(pane.rows)):
        row = "".join(one.text for one in strip if one.style is not None and one.style.bgcolor == colour)
        rows += [row.rstrip()] if row else []
    return "\n".join(rows)


SCREENS = {"query": "escape", "notes": "2", "maturity": "3", "log": "4", "lab": "5", "settings": "comma"}


@pytest.mark.parametrize("name", SCREENS)
async def test_text_in_every_pane_can_be_selected(app: BrvTui, name: str) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "refresh token rotation", "escape", SCREENS[name])
        await settled(pilot)
        panes = [each for each in app.screen.query(Pane).results(Pane) if each.display and each.region and each.lines]
        assert panes
        for pane in panes:
            rows = range(min(pane.rows, len(pane.lines)))
            row = next((y for y in rows if len(pane.lines[pane.line_at(y)].plain.strip()) > 8), None)
            if row is None:
                continue
            lines, cursor = list(pane.lines), getattr(pane, "cursor", None)
            await drag(pilot, place(pane, 0, row), place(pane, 7, row))
            assert selected(pilot) == lines[pane.line_at(row)].plain[:8].rstrip(), pane
            assert getattr(pane, "cursor", None) == cursor
            await pilot.click(offset=place(pane, 0, pane.rows - 1))
            assert not selected(pilot)


async def test_selection_of_several_lines_is_painted_and_copied(app: BrvTui, written: list[str]) -> None:  # noqa: F811
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "refresh token rotation", "escape")
        results = screen(pilot).results
        lines = [line.plain for line in results.lines]
        await drag(pilot, place(results, 9, 2), place(results, 4, 0))
        expected = [lines[0][4:].rstrip(), lines[1].rstrip(), lines[2][:10].rstrip()]
        assert selected(pilot).split("\n") == expected
        assert marked(results).split("\n")[0].strip() == expected[0].strip()
        assert len(marked(results).split("\n")) == 3
        await pilot.press("ctrl+c")
        await until(pilot, lambda: written)
        assert offered(written) == "\n".join(expected)
        await pilot.press("escape")
        assert not selected(pilot)
        assert not marked(results)


async def test_selection_follows_its_lines_when_the_pane_scrolls(app: BrvTui) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "refresh token rotation", "escape")
        results = screen(pilot).results
        await drag(pilot, place(results, 0, 3), place(results, 20, 4))
        before, rows = selected(pilot), marked(results)
        results.scroll_to_row(2)
        await pilot.pause()
        assert (selected(pilot), marked(results)) == (before, rows)
        assert rows


async def test_selection_stays_in_the_pane_where_it_began(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "refresh token rotation", "escape")
        results = screen(pilot).results
        lines = [line.plain.rstrip() for line in results.lines]
        right, below = results.region.right + 10, results.region.bottom + 4
        await drag(pilot, place(results, 4, 0), (right, place(results, 0, 1)[1]))
        assert selected(pilot).split("\n") == [lines[0][4:], lines[1]]
        await drag(pilot, place(results, 4, 0), (results.region.x + 3, below))
        assert selected(pilot).split("\n")[:2] == [lines[0][4:], lines[1]]
        assert list(app.screen.selections) == [results]
        await drag(pilot, place(results, 12, 1), (2, 0))
        assert selected(pilot).split("\n") == [lines[0], lines[1][:13].rstrip()]


async def test_escape_removes_the_selection_on_the_way_to_the_query(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "refresh token rotation", "escape", SCREENS["settings"])
        await settled(pilot)
        settings, pane = app.screen, app.screen.query_one("#settings", Pane)
        await drag(pilot, place(pane, 0, 1), place(pane, 12, 2))
        assert settings.get_selected_text()
        await press(pilot, "escape")
        assert not settings.get_selected_text()


async def test_new_answer_removes_the_selection(app: BrvTui) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "refresh token rotation", "escape")
        results = screen(pilot).results
        await drag(pilot, place(results, 0, 0), place(results, 20, 1))
        assert selected(pilot)
        await ask(pilot, "rollback")
        assert not app.screen.selections


async def test_help_can_be_selected_and_a_click_still_presses_keys(app: BrvTui) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "rollback", "escape")
        await on(pilot, MessageScreen, "f1")
        pane = app.screen.query_one(Pane)
        await drag(pilot, place(pane, 1, 0), place(pane, 9, 0))
        assert selected(pilot) == pane.lines[0].plain[1:10]
        await press(pilot, "escape")
        bar = app.screen.query_one("#keys", Lines)
        await drag(pilot, place(bar, 0, 0), place(bar, 20, 0))
        assert not selected(pilot)


async def test_border_between_panes_can_still_be_dragged(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "rollback", "escape")
        results = screen(pilot).results
        width = results.region.width
        edge = (results.region.right - 1, results.region.y + 3)
        await drag(pilot, edge, (edge[0] + 6, edge[1]))
        assert results.region.width > width
        assert not selected(pilot)


async def test_copied_text_contains_no_escapes(
    tree: Tree,
    make_app: MakeApp,
    written: list[str],  # noqa: F811
) -> None:
    tree.file("odd.md", "# Wombat\n\nwombat \x1b]0;owned\x07 burrow\u202e\n")
    async with make_app(tree.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "wombat", "escape", "enter")
        await settled(pilot)
        answer = screen(pilot).query_one("#answer", Pane)
        row = next(y for y, line in enumerate(answer.lines) if "owned" in line.plain)
        await drag(pilot, place(answer, 0, row), place(answer, 60, row))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: written)
        assert "owned" in offered(written)
        assert not set("\x1b\x07\u202e") & set(offered(written)), shown(pilot)
        assert view(pilot).answer.trace
