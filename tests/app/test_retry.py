"""The Retry pane: every row can be chosen, by keyboard and by mouse, and shows its results."""

from __future__ import annotations

from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.query.answer import AnswerPane
from brvtui.app.query.retry import RetryPane
from brvtui.engines.byterover.sections import EntityStep, Search
from tests.app.driving import HUGE, NARROW, ask, press, settled, until
from tests.app.looking import AppPilot, flat, screen, shown, text_of, trace_of, view
from tests.support.trees import Tree

pytestmark = pytest.mark.long


def pane(pilot: AppPilot) -> RetryPane:
    return screen(pilot).query_one(RetryPane)


def line_of(pilot: AppPilot, text: str) -> int:
    """The line of the pane that contains ``text``."""
    return next(place for place, line in enumerate(text_of(pilot, "#retry").splitlines()) if text in line)


async def choose(pilot: AppPilot, name: str) -> None:
    """Puts the cursor on the row whose heading begins with ``name``."""
    await pilot.press("f5", "g")
    while pane(pilot).row is None or not pane(pilot).row.name.startswith(name):  # type: ignore[union-attr]
        before = pane(pilot).cursor
        await pilot.press("j")
        assert pane(pilot).cursor > before, f"no row {name}"


@pytest.mark.parametrize("size", [HUGE], ids=["200x60"])
async def test_each_attempt_shows_its_results_and_rows_can_be_clicked(pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await choose(pilot, "whole tree AND")
    assert pane(pilot).opened == ""
    await press(pilot, "enter")
    shown_below = text_of(pilot, "#retry").splitlines()[line_of(pilot, "whole tree AND") :]
    titles = [result.title for result in trace_of(pilot).section(Search).attempts[1].listed]
    assert "Token store" in titles
    assert all(any(title in line for line in shown_below) for title in titles)
    await pilot.press("enter")
    assert pane(pilot).opened == ""
    await ask(pilot, "refund+zzzzzzzz")
    await pilot.click("#retry", offset=(5, 1 + line_of(pilot, "Refunds")))
    await settled(pilot)
    assert view(pilot).selection.file == "billing/refunds.md"
    await pilot.click("#retry", offset=(5, 1 + line_of(pilot, "refreshed sanitised")))
    await settled(pilot)
    assert pane(pilot).opened == ""
    await pilot.click("#retry", offset=(5, 1 + line_of(pilot, "trigram fuzzy")))
    await settled(pilot)
    assert "no results" in text_of(pilot, "#retry")


async def test_result_selected_in_retry_is_shown_in_every_pane(pilot: AppPilot) -> None:
    await ask(pilot, "tokenstore", "f5")
    assert pane(pilot).row is not None
    assert pane(pilot).row.name == "trigram fuzzy"  # type: ignore[union-attr]
    await press(pilot, "j")
    assert view(pilot).selection.file == "auth/jwt/token_store.md"
    assert "only by the ladder" in text_of(pilot, "#score")
    assert "0.667 × 0.6" in text_of(pilot, "#score")  # 0.667 is the similarity of the names
    assert "sum ✓" in text_of(pilot, "#score")
    await press(pilot, "enter")
    assert screen(pilot).query_one(AnswerPane).tab == "note"
    assert "Tokens are kept hashed" in text_of(pilot, "#answer")


FOUND = (
    ("rollback|freeze", "strongest term", "Rollback"),
    ("refund+zzzzzzzz", "refreshed sanitised", "Refunds"),
    ("tokenstore", "trigram fuzzy", "Token store"),
)


@pytest.mark.parametrize("size", [NARROW], ids=["80x24"])
async def test_successful_rung_is_opened_and_empty_rungs_show_no_results(pilot: AppPilot) -> None:
    for query, rung, title in FOUND:
        await ask(pilot, query)
        await press(pilot, "f5")
        row = pane(pilot).row
        assert row is not None
        assert (row.id, row.name) == (pane(pilot).opened, rung)
        lines = text_of(pilot, "#retry").splitlines()
        head = line_of(pilot, rung)
        assert any(title in line for line in lines[head + 1 : head + 5])
        assert title in shown(pilot)
    results = flat(pilot, "#results")  # the query is “tokenstore”, which the word search does not find
    assert "nothing was found" in results
    assert "the retry ladder would find" in results
    assert "– ● Token store" in results
    assert "begins a note" not in results
    assert view(pilot).selection.file == "auth/jwt/token_store.md"
    await choose(pilot, "refreshed sanitised")
    await pilot.press("l")
    lines = text_of(pilot, "#retry").splitlines()
    assert "no results" in "".join(lines[line_of(pilot, "refreshed sanitised") :][:5])
    await pilot.press("h")
    assert "no results" not in text_of(pilot, "#retry")
    await pilot.press("f2", "w")
    await until(pilot, lambda: "Why it is not in the answer" in shown(pilot))
    await settled(pilot)


async def test_entity_searches_show_results_and_no_query_offers_no_rows(pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("f5", "enter", "l", "h", "j")
    assert pane(pilot).choices == []
    assert "how a search that finds too little is relaxed" in flat(pilot, "#retry")
    await ask(pilot, "refresh token rotation")
    await choose(pilot, "“refresh”")
    await press(pilot, "enter", "j")
    trace = trace_of(pilot)
    assert view(pilot).selection.file == trace.section(EntityStep).searches[0].search.hits[0].file
    await pilot.press("h")
    assert pane(pilot).opened == ""
    assert pane(pilot).row is not None
    assert pane(pilot).row.name == "“refresh”"  # type: ignore[union-attr]


async def test_opened_row_stays_for_the_same_query_and_closes_for_another(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await choose(pilot, "whole tree AND")
    await pilot.press("enter")
    generation = view(pilot).project.overview.generation  # type: ignore[union-attr]
    garden.note("auth/jwt/token_shop.md", "Token shop", "a store of tokens")
    await until(pilot, lambda: view(pilot).project.overview.generation > generation)  # type: ignore[union-attr]
    await settled(pilot)
    assert pane(pilot).opened == "attempt:1"
    await ask(pilot, "rollback")
    assert pane(pilot).opened == ""


async def test_ladder_that_answers_is_not_shown_as_advice(app: BrvTui, garden: Tree, make_app: Any) -> None:
    async with make_app(garden.root, profile="combined").run_test(size=HUGE) as pilot:
        await ask(pilot, "tokenstore")
        assert "advice" not in text_of(pilot, "#retry")
        assert "Token store" in text_of(pilot, "#results")
        assert "Token store" in text_of(pilot, "#retry")
