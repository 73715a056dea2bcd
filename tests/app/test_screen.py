"""Sizes, tabs, focus, themes, help: the frame around the panes."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.app.actions.screens import QUERY_PANES
from brvtui.app.app import BrvTui
from brvtui.app.query.query_box import QueryBox
from brvtui.app.query.screen import QUERY
from brvtui.app.screens.message import MessageScreen, TextPane
from brvtui.app.widgets.body import Body
from tests.app.driving import HUGE, NARROW, WIDE, ask, at_all_sizes, press, settled, until
from tests.app.looking import AppPilot, flat, screen, shown, text_of, toast_text, trace_of, view


def _displayed(body: Body) -> set[str]:
    return {child.id or "" for child in body.children if child.display}


@at_all_sizes
async def test_verdict_and_steps_are_always_visible(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "key rotation")
    for pane in QUERY.panes:
        await pilot.press(QUERY_PANES[pane])
        for maximised in (False, True):
            text = shown(pilot)
            assert "TIER 3" in text, (pane, maximised)
            assert "✗ failed" in text, (pane, maximised)
            assert "» taken" in text, (pane, maximised)
            await pilot.press("z")


async def test_nothing_is_drawn_while_the_app_ends(app: BrvTui, pilot: AppPilot) -> None:
    await settled(pilot)
    frame = app.frame
    assert frame is not None
    await frame.query(QueryBox).remove()
    app._running = False  # the state of an app that has begun to end
    app.store.update(app.store.view.answer._replace(preparing="x"))
    assert app.frame is None
    app._running = True
    assert app.frame is frame


async def test_digit_typed_as_a_query_explains_how_to_open_its_screen(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "3")
    assert text_of(pilot, "#lint").strip() == "this was run as a query; Esc, then 3 opens Maturity"
    await ask(pilot, "34")
    assert "opens" not in text_of(pilot, "#lint")
    await ask(pilot, "3")
    await press(pilot, "escape", "3")
    assert app.current_mode == "maturity"


async def test_keys_act_outside_the_field_and_are_text_inside(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert _displayed(screen(pilot).body) == set(QUERY.panes)
        assert "Enter run" not in text_of(pilot, "#keys"), "nothing is typed"
        await pilot.press("f8", "j")
        assert "Enter choose" in text_of(pilot, "#keys")
        await pilot.press("f7")
        assert "next tab" in text_of(pilot, "#keys")
        await pilot.press("i", "f1")
        assert isinstance(pilot.app.screen, MessageScreen)
        assert "Type a question" in shown(pilot)
        assert "Esc close" in shown(pilot).splitlines()[-1]
        assert "F9" not in shown(pilot).splitlines()[-1], "the keys of the screen below do nothing now"
        await pilot.press("escape", "f6", "f1")
        assert "This pane simulates the engine's cache" in flat(pilot)
        await pilot.press("f1")
        assert not isinstance(pilot.app.screen, MessageScreen)
        await pilot.press("i", "t", "z", "q", "question_mark", "1")
        assert screen(pilot).field.value == "tzq?1"
        assert pilot.app.theme == "brv-dark"
        await pilot.press("escape", "t")
        assert pilot.app.theme == "brv-light"
        await pilot.press("i")
        assert screen(pilot).focused is screen(pilot).field
        await settled(pilot)
        await pilot.press("escape", "q")
        await pilot.pause()
    assert app.return_code == 0


async def test_narrow_screen_has_tabs_and_tab_key_visits_every_pane(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "key rotation")
        body = screen(pilot).body
        assert _displayed(body) == {"verdict", "digest", "results", "score"}
        seen = []
        for _ in range(len(QUERY.panes) + 1):
            await pilot.press("tab")
            focused = screen(pilot).focused
            seen.append(focused.id if focused else None)
        assert seen == [*QUERY.panes, "query"]
        await pilot.press("shift+tab")
        assert screen(pilot).focused is screen(pilot).query_one("#route")
        for tab in QUERY.tabs:
            await pilot.press(QUERY_PANES[tab])
            assert _displayed(body) == {"verdict", "digest", "results", tab}
            assert screen(pilot).focused is body.query_one(f"#{tab}")
            assert "Score│Route│Retry│Cache│Answer│Tree" in shown(pilot)
        assert "computed in memory" not in shown(pilot)
        row = next(number for number, line in enumerate(shown(pilot).splitlines()) if "Score│Route" in line)
        column = shown(pilot).splitlines()[row].index("Retry")
        await pilot.click(offset=(column + 1, row))
        await pilot.pause()
        assert screen(pilot).body.tab == "retry"


async def test_panes_can_be_maximised_and_show_help(pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "f3", "z")
    assert _displayed(screen(pilot).body) == {"verdict", "score"}
    await pilot.press("escape")
    assert _displayed(screen(pilot).body) == set(QUERY.panes)
    await pilot.press("f4", "z")
    assert _displayed(screen(pilot).body) == {"route"}
    await pilot.press("z")
    assert _displayed(screen(pilot).body) == set(QUERY.panes)
    before = screen(pilot).results.render_line(0)
    await pilot.press("escape", "t")
    await pilot.pause()
    assert pilot.app.theme == "brv-light"
    after = screen(pilot).results.render_line(0)
    assert before.text == after.text
    assert [segment.style for segment in before] != [segment.style for segment in after]
    await pilot.press("escape", "f2", "f1")
    assert "Keys" in shown(pilot)
    await pilot.press("escape", "4", "f5", "f1")
    assert "a summary of the log" in flat(pilot)
    assert "Keys" not in shown(pilot)


async def test_all_keys_are_listed_from_the_bindings(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "question_mark")
        text = "\n".join(line.plain for line in pilot.app.screen.query_one(TextPane).lines)
        for words in (
            "Empty the simulated cache",
            "Go to the Tree pane",
            "Go to the last row",
            "Open the folder",
            "^q",
        ):
            assert words in text
        await pilot.press("q")
        assert not isinstance(pilot.app.screen, MessageScreen)


async def test_resizing_keeps_query_selection_and_focus(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    first = view(pilot).selection.file
    await pilot.press("ctrl+down")
    assert view(pilot).selection.file != first
    await pilot.press("ctrl+up")
    assert view(pilot).selection.file == first
    assert screen(pilot).focused is screen(pilot).field
    await settled(pilot)
    await press(pilot, "escape", "j")
    selected = view(pilot).selection.file
    for size in (NARROW, HUGE, (60, 18), (59, 17), (20, 5), (110, 30), (109, 29), WIDE):
        await pilot.resize_terminal(*size)
        await settled(pilot)
        assert view(pilot).selection.file == selected
        small = size[0] < 60 or size[1] < 18
        assert ("brv-tui needs" in shown(pilot)) == (small and size[0] > 13)
    assert screen(pilot).focused is screen(pilot).results
    assert "sum ✓" in text_of(pilot, "#score")


@pytest.mark.usefixtures("frames")
async def test_screenshot_is_saved_in_the_pictures_folder(
    app: BrvTui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))  # hides this user's own user-dirs.dirs
    monkeypatch.setenv("XDG_PICTURES_DIR", str(tmp_path / "pictures"))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("escape")
        app.notify("covers")
        await until(pilot, lambda: "covers" in shown(pilot))
        await pilot.press("s")
        await until(pilot, lambda: list((tmp_path / "pictures").glob("*.svg")))
        await settled(pilot)
        (saved,) = (tmp_path / "pictures").glob("*.svg")
        assert "covers" not in saved.read_text(encoding="utf-8")
        assert "sample" in saved.read_text(encoding="utf-8") or "garden" in saved.read_text(encoding="utf-8")
        assert saved.name in toast_text(pilot)


async def test_odd_queries_are_treated_as_text(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        for query in ("?!... ---", "the of and", "a" * 10_000, "日本語 🎉 \u202eabc", "[red]x[/red]", "]", "[/"):
            await ask(pilot, query)
            assert trace_of(pilot).query == query
            for pane in QUERY.panes:
                await pilot.press(QUERY_PANES[pane])
            assert "TIER" in shown(pilot) or "NOT COVERED" in shown(pilot)


async def test_route_shows_the_whole_sentence_and_typed_ahead_keys_take_effect(app: BrvTui) -> None:
    async with app.run_test(size=(60, 24)) as pilot:
        await ask(pilot, "refresh token rotation")
        for key in ("escape", "j", "f4", "G", "i", "end", "x"):
            pilot.app.simulate_key(key)
        await settled(pilot)
        assert screen(pilot).field.value == "refresh token rotationx"
        assert screen(pilot).body.tab == "route"
        await ask(pilot, "refresh token rotation")
        await press(pilot, "f4")
        whole = flat(pilot, "#route")
        assert "TIER 3" in text_of(pilot, "#verdict")
        assert "cost" not in text_of(pilot, "#verdict")
        assert whole.startswith(
            "Needs a model: “Refresh rotation” reaches 0.84 of the 0.85 that a direct answer needs:"
        )
        assert "cost" in whole
        await ask(pilot, "rollback")
        assert not text_of(pilot, "#route").strip().startswith("Answered")


async def test_ctrl_q_quits_from_the_query_field(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert screen(pilot).focused is screen(pilot).field
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert app.return_code == 0
