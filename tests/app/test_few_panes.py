"""The Query screen begins with few panes. A key shows all of them, and the choice is remembered."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.paint.sentence import plain
from tests.app.driving import NARROW, WIDE, ask, press, settled
from tests.app.looking import flat, frame, screen, shown, text_of
from tests.app.test_configured import MakeApp
from tests.support.trees import Tree

ASIDE = {"route", "retry", "cache", "answer", "tree"}


@pytest.fixture
def few(all_panes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app with default settings."""
    monkeypatch.delenv("BRV_TUI_PANES")


def _text(pilot: Pilot[None]) -> str:
    """The text of Route, without its line breaks and border."""
    return flat(pilot, "#route")


def visible_panes(app: BrvTui) -> set[str]:
    """The ids of the visible panes."""
    assert app.frame is not None
    return {pane.id or "" for pane in app.frame.body.panes if pane.display}


async def test_first_screen_shows_results_and_score_and_f4_the_route(
    few: None, garden: Tree, make_app: MakeApp
) -> None:
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token rotation")
        assert visible_panes(app) == {"results", "score"}
        text = shown(pilot)
        assert text.index("TIER ") < text.index("Results") < text.index("relevance")
        await ask(pilot, "rollback")
        await press(pilot, "escape", "f4")
        assert "tier 2 direct answer" in text_of(pilot, "#route")
        assert screen(pilot).body.maximised == "route"
        await press(pilot, "escape")
        assert screen(pilot).body.maximised == ""


async def test_hidden_panes_are_created_after_the_first_frame_or_by_a_key(
    few: None, garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(garden.root)
    monkeypatch.setattr(app, "_start", lambda: None)  # the first frame is never painted
    async with app.run_test(size=WIDE) as pilot:
        assert not screen(pilot).query("#route")
        await pilot.press("f8")
        assert "tree" in visible_panes(app)
        assert {pane.id for pane in screen(pilot).body.panes} >= ASIDE
    async with (app := make_app(garden.root)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert {pane.id for pane in screen(pilot).body.panes} >= ASIDE
        assert visible_panes(app) == {"results", "score"}


async def test_maximised_route_shows_the_whole_sentence(garden: Tree, make_app: MakeApp) -> None:
    """Beside other panes, the sentence is cut to two lines, so that the steps below do not move."""
    for number in range(5):
        words = "deduplication carier events settle late"
        garden.note(f"long/{number}.md", f"Deduplication of the events of carrier {number} " * 3, words, days=9)
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "deduplication carrier events settled")
        whole = plain(app.view.presentation.sentence(app.view.answered)).split()
        assert " ".join(whole[-4:]) not in _text(pilot)
        await press(pilot, "escape", "f4", "z")
        assert screen(pilot).body.maximised == "route"
        assert " ".join(whole[-4:]) in _text(pilot)


async def test_f9_toggles_all_panes_and_the_choice_is_remembered(few: None, garden: Tree, make_app: MakeApp) -> None:
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "F9 more" in text_of(pilot, "#keys")
        await press(pilot, "f9")
        assert visible_panes(app) > ASIDE
        assert "F9 fewer" in text_of(pilot, "#keys")
        await press(pilot, "f9")
        assert not visible_panes(app) & ASIDE
        assert "F9 more" in text_of(pilot, "#keys")
        await press(pilot, "f4")
        assert visible_panes(app) == {"route"}
        await press(pilot, "escape")
        assert visible_panes(app) == {"results", "score", "route"}
        await press(pilot, "f9", "f9")
        await app.layouts.finish()
    again = make_app(garden.root)
    async with again.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert visible_panes(again) > ASIDE


async def test_focus_leaves_a_hidden_pane(garden: Tree, make_app: MakeApp) -> None:
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await press(pilot, "f7")
        await press(pilot, "f9")
        assert frame(pilot).stop == "results"


async def test_narrow_screen_begins_with_the_score_beside_the_results(
    few: None, garden: Tree, make_app: MakeApp
) -> None:
    app = make_app(garden.root)
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback")
        assert visible_panes(app) == {"results", "score"}
        await press(pilot, "f9")
        assert "Score│Route" in shown(pilot)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_reading_a_result_leaves_the_layout_as_it_was(
    few: None, garden: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    app = make_app(garden.root)
    async with app.run_test(size=size) as pilot:
        await ask(pilot, "rollback", "escape")
        before, tab = visible_panes(app), screen(pilot).body.tab
        await press(pilot, "enter")
        assert frame(pilot).stop == "answer"
        await press(pilot, "f1", "escape", "slash", *"deploy", "escape")
        assert frame(pilot).stop == "answer"
        await press(pilot, "escape")
        assert frame(pilot).stop == "results"
        assert (visible_panes(app), screen(pilot).body.tab) == (before, tab)
        await press(pilot, "z", "enter")
        assert visible_panes(app) == {"answer"}
        await press(pilot, "escape")
        assert visible_panes(app) == {"results"}
        await press(pilot, "z")
        assert visible_panes(app) == before
        await app.layouts.finish()
    again = make_app(garden.root)
    async with again.run_test(size=size) as pilot:
        await settled(pilot)
        assert visible_panes(again) == before


async def test_moving_on_from_a_result_keeps_its_text_visible(few: None, garden: Tree, make_app: MakeApp) -> None:
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "escape", "enter")
        await press(pilot, "f3")
        await press(pilot, "escape")
        assert "answer" in visible_panes(app)
