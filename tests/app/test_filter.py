"""Every pane's filter, which keeps rows or finds lines; by keyboard and by mouse."""

from __future__ import annotations

import pytest

from brvtui.app.actions.screens import QUERY_PANES
from brvtui.app.app import BrvTui
from brvtui.app.query.screen import QUERY
from brvtui.app.screens.message import MessageScreen, TextPane
from brvtui.app.widgets.pane import FilterField, Pane
from tests.app.driving import NARROW, ask, press, settled
from tests.app.looking import AppPilot, screen, shown, text_of, view


def _pane(app: BrvTui, name: str) -> Pane:
    return app.screen.query_one(f"#{name}", Pane)


async def test_every_pane_has_a_filter(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await press(pilot, "enter")
    for name in QUERY.panes:
        await pilot.press(QUERY_PANES[name], "slash")
        pane = _pane(app, name)
        before = pane.border_subtitle
        assert isinstance(app.focused, FilterField)
        assert app.focused.pane is pane
        await press(pilot, "x", "slash", "q")
        assert pane.word_filter.words == ("x/q",)
        assert pane.border_subtitle in ("no match", f"0 of {getattr(pane, 'all', 0)}")
        await press(pilot, "escape")
        assert app.focused is pane
        assert not pane.word_filter
        assert pane.border_subtitle == before
        assert not pane.children


async def test_results_filter_keeps_rows_that_match_title_or_path(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    results = screen(pilot).results
    everything = list(results.choices)
    await press(pilot, "escape", "slash", *"oauth")
    assert results.choices == [choice for choice in everything if "oauth" in choice]
    assert f"{len(results.choices)} of {len(everything)}" in shown(pilot)
    assert view(pilot).selection.file == results.choices[0] == results.chosen, "the score is of a row that is shown"
    await press(pilot, "enter")
    assert view(pilot).selection.file == results.chosen
    assert pilot.app.focused is results
    await pilot.press("n")
    assert results.cursor == 1 % len(results.choices)
    await press(pilot, "escape")
    assert results.choices == everything
    assert results.chosen == view(pilot).selection.file
    await pilot.press("g")
    await press(pilot, "escape", "slash", *"auth", "down")
    results = screen(pilot).results
    assert results.cursor == 1
    assert view(pilot).selection.file == results.chosen
    assert isinstance(app.focused, FilterField)
    await pilot.press("escape")
    await press(pilot, "escape", "slash", *"key", "enter")
    await pilot.click(FilterField)
    assert isinstance(app.focused, FilterField)
    await pilot.click("#results", offset=(4, 6))
    assert app.focused is screen(pilot).results
    await pilot.press("escape")
    await ask(pilot, "refresh token rotation")
    await press(pilot, "escape", "slash", *"key", "enter")
    await ask(pilot, "token store")
    results = screen(pilot).results
    assert all("key" in choice for choice in results.choices)
    assert f"of {results.all}" in shown(pilot)
    screen(pilot).fill("refresh token rotation")
    await settled(pilot)
    assert results.choices == everything, "a query from another screen shows all its results"


@pytest.mark.long
async def test_n_steps_through_the_matches_in_a_text_pane(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "refresh token rotation")
        await press(pilot, "f3", "slash", *"importance")
        pane = _pane(app, "score")
        assert pane.field is not None
        assert pane.field.placeholder == "words to find"
        assert len(pane.found) >= 2
        assert pane.border_subtitle == f"match 1 of {len(pane.found)}"
        await pilot.press("enter", "n")
        assert pane.border_subtitle == f"match 2 of {len(pane.found)}"
        await pilot.press("N", "N")
        assert pane.border_subtitle == f"match {len(pane.found)} of {len(pane.found)}"
        at = pane.found[-1]
        assert pane.offset_row <= at < pane.offset_row + pane.rows
        lit = {text.lower() for text, role in pane.spans(at) if "match" in role}
        assert lit == {"importance"}


@pytest.mark.long
async def test_filter_survives_focus_changes_and_is_removed_if_blank(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await press(pilot, "f8", "slash", "x", "backspace", "enter")
    assert app.focused is _pane(app, "tree")
    assert not _pane(app, "tree").children
    await press(pilot, "f3", "slash", *"recency", "tab")
    assert app.focused is _pane(app, "answer")
    assert _pane(app, "score").found
    await pilot.press("f3", "z")
    assert screen(pilot).body.maximised == "score"
    await pilot.press("escape")
    assert screen(pilot).body.maximised == "score", "the filter goes first"
    assert not _pane(app, "score").word_filter
    await pilot.press("escape")
    assert not screen(pilot).body.maximised


async def test_text_cut_on_screen_is_still_found(app: BrvTui) -> None:
    async with app.run_test(size=(60, 18)) as pilot:
        await ask(pilot, "refresh token rotation")
        await press(pilot, "escape", "slash", *"refresh_rotation.md")
        assert screen(pilot).results.choices == ["auth/jwt/refresh_rotation.md"]
        assert "refresh_rotation.md" not in text_of(pilot, "#results").splitlines()[0]


@pytest.mark.long
async def test_key_list_can_be_searched_and_filter_field_has_help(app: BrvTui, pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("f2", "question_mark", "slash", *"cache", "enter", "n")
    await pilot.pause()
    pane = app.screen.query_one(TextPane)
    assert pane.found
    assert isinstance(app.screen, MessageScreen)
    await pilot.press("slash", "escape")
    await pilot.pause()
    assert isinstance(app.screen, MessageScreen), "the filter goes first"
    assert not pane.word_filter
    await pilot.press("escape")
    assert not isinstance(app.screen, MessageScreen)
    await pilot.press("f2", "slash", "f1")
    assert "Filter · help" in shown(pilot)
    assert "Next row or match in the pane" in shown(pilot)
