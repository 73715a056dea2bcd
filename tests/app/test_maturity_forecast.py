"""The forecast above the notes of the Maturity screen: by keys, by mouse, and with a maximised pane."""

from __future__ import annotations

import re

import pytest
from textual.events import MouseScrollDown, MouseScrollUp

from brvtui.app.app import BrvTui
from brvtui.app.maturity.forecast_bar import ForecastBar
from brvtui.session.silence import Silence
from brvtui.trace import SilentQuery
from tests.app.driving import NARROW, WIDE, ask, at_two_sizes, press, settled, until
from tests.app.engines import switch_to
from tests.app.looking import AppPilot, flat, frame, shown, text_of
from tests.app.test_maturity import maturity, opened
from tests.support.trees import Tree

pytestmark = pytest.mark.long


async def test_forecast_day_is_set_by_keys_mouse_and_wheel(pilot: AppPilot) -> None:
    await opened(pilot, "right_curly_bracket", "right_square_bracket")
    assert maturity(pilot).wanted.day == 31
    assert "IN 31 DAYS" in shown(pilot)
    assert "21 December 2026" in shown(pilot)
    assert "▾ prunable" in text_of(pilot, "#draft")
    assert re.search(r"4 (may be pruned|prunable) (\(2 new\)|\+2)", shown(pilot))
    assert "in the next 31 days if nobody touches them" in shown(pilot)
    await press(pilot, "left_square_bracket")
    assert "IN 30 DAYS" in shown(pilot)
    await press(pilot, "left_curly_bracket", "left_square_bracket")
    assert maturity(pilot).wanted.day == 0
    await press(pilot, *["right_curly_bracket"] * 14)
    assert maturity(pilot).wanted.day == 365
    await press(pilot, "0")
    assert "TODAY" in shown(pilot)
    assert "▾ prunable" not in text_of(pilot, "#draft")
    bar = maturity(pilot).query_one(ForecastBar)
    first, cells = bar._track(bar.room)
    await pilot.mouse_down("#forecast", offset=(first + (cells - 1) // 2, 1))
    await settled(pilot)
    assert abs(maturity(pilot).wanted.day - 182) < 3
    await pilot.hover("#forecast", offset=(first + cells - 1, 1))
    await settled(pilot)
    assert maturity(pilot).wanted.day == 365
    await pilot.mouse_up("#forecast", offset=(first + cells - 1, 1))
    await pilot.hover("#forecast", offset=(first, 1))
    await settled(pilot)
    assert maturity(pilot).wanted.day == 365, "let go"
    await pilot.click("#forecast", offset=(first, 2))
    await settled(pilot)
    assert maturity(pilot).wanted.day == 0
    bar = maturity(pilot).query_one(ForecastBar)
    for turn, day in ((MouseScrollUp, 1), (MouseScrollUp, 2), (MouseScrollDown, 1)):
        bar.post_message(turn(bar, 9, 1, 0, 0, 0, False, False, False))
        await settled(pilot)
        assert maturity(pilot).wanted.day == day


async def test_maximised_pane_keeps_the_forecast(pilot: AppPilot) -> None:
    await opened(pilot, "f5", "z")
    assert maturity(pilot).body.maximised == "ageing"
    assert "TODAY" in shown(pilot)
    assert maturity(pilot).query_one("#ageing").size.width > 100


async def test_ageing_shows_the_best_possible_score_of_the_chosen_engine(pilot: AppPilot) -> None:
    await opened(pilot)
    assert "in ByteRover" not in text_of(pilot, "#ageing")
    await switch_to(pilot, "soleri")
    await until(pilot, lambda: "in Soleri" in text_of(pilot, "#ageing"))
    text = flat(pilot, "#ageing")
    assert "of at most 0.825" in text
    assert "short of 0.825: " in text
    assert "its age factor has halved to" in text
    await pilot.press("right_curly_bracket")
    await until(pilot, lambda: " in 30 d" in text_of(pilot, "#ageing").partition("in ByteRover")[0])
    await switch_to(pilot, "jeffs_brain")
    await until(pilot, lambda: "in Soleri" not in text_of(pilot, "#ageing"))


async def test_key_bar_offers_only_forecast_keys_that_act(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await opened(pilot, "c")
        for words in ("c all notes", "] +1 day"):
            assert f" {words}" in text_of(pilot, "#keys")
        assert "c shows all" in text_of(pilot, "#forecast")
        await press(pilot, "f")
        assert " c earlier too" in text_of(pilot, "#keys"), "f keeps one event still"
        await pilot.press("F")
        await press(pilot, *["right_curly_bracket"] * 13)
        for words in ("] +1 day", "} +30 days"):
            assert f" {words}" not in text_of(pilot, "#keys"), "it is the last day"
        await press(pilot, "0", "f5", *"hhhhhh")
        assert " h what if" not in text_of(pilot, "#keys"), "fewer than one hit are none"
        await press(pilot, "l")
        assert " h what if" in text_of(pilot, "#keys")


async def test_narrow_forecast_is_not_cut(app: BrvTui, garden: Tree) -> None:
    garden.notes(180)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, *["right_curly_bracket"] * 12)
        bar = text_of(pilot, "#forecast")
        assert "IN 360 DAYS" in bar
        assert "notes change in the next 360 days" in bar
        assert "…" not in bar


async def test_queries_that_will_be_answered_too_late_are_counted(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    await press(pilot, "enter")
    await pilot.press("escape", "3")
    bar = frame(pilot).query_one(ForecastBar)
    await until(pilot, lambda: bar.silence is not None)
    assert bar.silence is not None
    assert bar.silence.tried == 0  # queries run here are not the agent's
    late = [query.days for query in bar.silence.queries]
    assert ("too late for your agent's hook" in text_of(pilot, "#forecast")) is bool(late)


@at_two_sizes
async def test_no_fact_above_the_columns_is_cut(app: BrvTui, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        bar = maturity(pilot).query_one(ForecastBar)
        queries = tuple(SilentQuery(f"{number} " * 10, "", number, 3) for number in (0, 39, 40))
        bar.put_silence(Silence(6000.0, {}, 24, queries))
        for keys in ((), ("f",), ("f",), ("escape", "right_curly_bracket"), ("c",)):
            await press(pilot, *keys)
            await settled(pilot)
            assert "…" not in text_of(pilot, "#forecast"), keys
        await press(pilot, "c", "0")
        named = "next on day 39: “39 39" in flat(pilot, "#forecast")
        assert named is (size == WIDE), "the next query is named if its name fits"
