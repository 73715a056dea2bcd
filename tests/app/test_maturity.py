"""The Maturity screen: by keys only, by mouse, at every size, in every state."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.maturity import board_on_day
from brvtui.app.maturity.cards import HEIGHT
from brvtui.app.maturity.column import ColumnPane
from brvtui.app.maturity.screen import MaturityScreen
from brvtui.app.screens.message import MessageScreen, TextPane
from brvtui.engines.ageing.forecast import BoardOrder
from brvtui.ranking.maturity import LEVELS
from tests.app.driving import HUGE, NARROW, WIDE, MakeApp, ask, at_all_sizes, on, press, settled, until
from tests.app.garden import STRANGE
from tests.app.looking import AppPilot, brv, flat, frame, screen, shown, text_of, toast_text, view
from tests.support.trees import NOW_MS, Tree

FREEZE = "deploy/freeze_window.md"


def maturity(pilot: AppPilot) -> MaturityScreen:
    found = frame(pilot)
    assert isinstance(found, MaturityScreen)
    return found


def column(pilot: AppPilot, level: str) -> ColumnPane:
    return maturity(pilot).query_one(f"#{level}", ColumnPane)


async def opened(pilot: AppPilot, *keys: str) -> None:
    """Opens the Maturity screen, by importance and first with the first draft, and presses ``keys``."""
    await settled(pilot)
    await pilot.press("escape", "3")
    await until(pilot, lambda: isinstance(frame(pilot), MaturityScreen) and maturity(pilot).on_day is not None)
    await settled(pilot)
    if maturity(pilot).wanted.order is BoardOrder.EVENT:
        at_first = not view(pilot).answer.trace
        maturity(pilot).want(order=BoardOrder.IMPORTANCE)
        await settled(pilot)
        if at_first:
            for level in reversed(LEVELS):
                column(pilot, level).move_to(0, tell=level == "draft")
            await settled(pilot)
    for key in keys:
        await press(pilot, key)


@at_all_sizes
async def test_every_note_is_listed_under_its_maturity(size: tuple[int, int], pilot: AppPilot) -> None:
    await opened(pilot)
    overview = view(pilot).project.overview
    assert overview is not None
    notes = [branch for branch in overview.branches.values() if not branch.is_folder]
    for level, key in zip(LEVELS, ("f2", "f3", "f4"), strict=True):
        await press(pilot, key)
        wanted = {branch.path for branch in notes if branch.maturity == level}
        assert set(column(pilot, level).choices) == wanted
    assert "Token store" in shown(pilot)
    assert "TODAY   20 Nov" in shown(pilot)


async def test_cards_have_two_lines(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await opened(pilot)
        first, second = text_of(pilot, "#draft").splitlines()[1:3]
        assert first.split() == ["○", "Freeze", "window"]
        assert second.split()[-5:] == ["52", "prunable", "in", "27", "d"]


async def test_cards_begin_with_the_earliest_event(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("escape", "3")
        await until(pilot, lambda: isinstance(frame(pilot), MaturityScreen) and maturity(pilot).on_day is not None)
        await settled(pilot)
        days = [int(found) for found in re.findall(r"in (\d+) d", text_of(pilot, "#draft"))]
        assert len(days) > 3
        assert days == sorted(days)
        assert "Validated│Core│Ageing" in shown(pilot), "the drafts stay beside the other columns"


async def test_selection_is_shared_between_maturity_and_other_screens(garden: Tree, pilot: AppPilot) -> None:
    await opened(pilot, "j")
    assert view(pilot).selection.file == column(pilot, "draft").chosen
    assert "Refresh rotation" in text_of(pilot, "#ageing")
    await press(pilot, "l")
    assert view(pilot).selection.file == "billing/invoices/numbering.md"
    assert "Invoice numbering" in text_of(pilot, "#ageing")
    assert column(pilot, "draft").ground(3) == "", "only one column shows a cursor"
    await pilot.press("1")
    await ask(pilot, "token store")
    assert view(pilot).selection.file == "auth/jwt/token_store.md"
    await opened(pilot)
    assert maturity(pilot).stop == "core"
    assert column(pilot, "core").chosen == "auth/jwt/token_store.md"
    assert "Token store" in text_of(pilot, "#ageing")
    await press(pilot, "j", "1")
    assert screen(pilot).view.selection.file == "deploy/rollback.md"
    await press(pilot, "3")
    assert column(pilot, "core").chosen == "deploy/rollback.md"
    await press(pilot, "right_curly_bracket")
    garden.file("deploy/new_note.md", "# A new note\n")
    await until(pilot, lambda: "deploy/new_note.md" in column(pilot, "draft").choices)
    assert maturity(pilot).wanted.day == 30


async def test_notes_removed_out_of_view_disappear(tree: Tree, make_app: Any) -> None:
    tree.notes(69)
    tree.note("core/a.md", "Core")
    async with make_app(tree.root).run_test(size=NARROW) as pilot:
        await opened(pilot, "f2", "f4")
        for path in sorted(tree.tree.glob("pad/*.md"))[:60]:
            path.unlink()
        # the watcher may report the removals in several batches
        await until(pilot, lambda: view(pilot).project.overview and len(column(pilot, "draft").choices) == 10)
        await pilot.resize_terminal(80, 50)
        await press(pilot, "f2")
        assert len(column(pilot, "draft").choices) == 10


async def test_narrow_window_shows_events_and_moves_between_columns(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, "f5", "right_curly_bracket")
        text = flat(pilot, "#ageing")
        assert "• has left tier 2 (direct answer only by its path)" in text
        assert "▾ becomes prunable in 27 d (old file)" in text
        assert "• leaves the prompt in 42 d (no longer quoted)" in text
        assert "no updatedAt: decay never makes it archivable" in text
        assert "saved today: 61 ○ draft, best possible score" in text
        assert re.search(r"saved today: 61 ◐ validated, best possible score \S+, leaves tier 2 in \d+ d", text)
        assert "importance 61 stored, 51.7 now → 44.5 then" in text
        await press(pilot, "f2", "S")
        assert "by promotion" in shown(pilot)
        assert "new: in the next 30 days" in shown(pilot)
        await pilot.press("f2")
        assert maturity(pilot).stop == "draft"
        walk = {"l": "validated", "right": "core", "l ": "core", "h": "validated", "f2": "draft", "f5": "ageing"}
        walk |= {"tab": "draft", "f4": "core", "enter": "ageing", "escape": "core"}
        for key, stop in walk.items():
            await press(pilot, key.strip())
            assert maturity(pilot).stop == stop, key


async def test_ageing_explains_archiving_and_pruning(app: BrvTui, garden: Tree) -> None:
    garden.file("deploy/dated.md", "---\nupdatedAt: 2024-11-13T12:00:00Z\n---\n# Dated\n", 0)
    began = datetime.fromtimestamp(NOW_MS / 1000 - 71.25 * 86_400, UTC).isoformat()
    garden.file("deploy/at_the_limit.md", f"---\nupdatedAt: {began}\n---\n# At the limit\n", 0)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "f5")
        app.select("deploy/dated.md")
        await settled(pilot)
        text = flat(pilot, "#ageing")
        assert "• is archivable (decayed since updatedAt)" in text
        assert "its importance, decayed since its updatedAt " in text
        assert "below 35: a later updatedAt in its frontmatter (e) or maturity validated (I, only in brv-tui)" in text
        app.select("deploy/at_the_limit.md")
        await settled(pilot)
        assert "is 34.9, below 35" in flat(pilot, "#ageing"), "it is not written as the limit"
        app.select("billing/refunds.md")
        await settled(pilot)
        text = flat(pilot, "#ageing")
        assert "• is prunable (old file)" in text
        assert " d: saving it with a new time (e) prevents this" in text


async def test_maturity_handles_clicks_strange_titles_and_profiles(pilot: AppPilot) -> None:
    await opened(pilot)
    await pilot.click("#validated", offset=(5, 4))
    await settled(pilot)
    assert view(pilot).selection.file == "auth/jwt/session_expiry.md"
    assert maturity(pilot).stop == "validated"
    await pilot.click("#validated", offset=(5, 5))
    await settled(pilot)
    assert maturity(pilot).stop == "ageing"
    await pilot.click("#draft", offset=(5, 1))
    await settled(pilot)
    assert maturity(pilot).stop == "draft", "the header chooses nothing"
    pane = column(pilot, "draft")
    pane.move_to(pane.choices.index(STRANGE))
    await settled(pilot)
    assert "A [red]title[/red]" in text_of(pilot, "#ageing")
    assert "\x1b" not in shown(pilot)
    assert "2 prunable" in shown(pilot)
    await pilot.press("p")
    await until(pilot, lambda: "2 prunable" not in shown(pilot))


async def test_maturity_has_help_and_orders_and_survives_a_failing_board(
    app: BrvTui, monkeypatch: pytest.MonkeyPatch, pilot: AppPilot
) -> None:
    await opened(pilot)
    assert " S order  Enter details  I signals  F2-F5 panes  f only…" in shown(pilot)
    await pilot.press("f1")
    await pilot.pause()
    assert isinstance(app.screen, MessageScreen)
    assert "Draft · help" not in shown(pilot)
    assert "marks an importance at which a hit would promote the note" in flat(pilot)
    await pilot.press("escape", "question_mark")
    await pilot.pause()
    listed = "\n".join(line.plain for line in app.screen.query_one(TextPane).lines)
    assert "Move the forecast 30 days ahead" in listed
    assert listed.count("Sort notes by the next criterion") == 1, "three columns are one kind of pane"
    await pilot.press("escape")
    seen = set()
    for order in (*tuple(BoardOrder)[2:], *tuple(BoardOrder)[:2]):
        await press(pilot, "S")
        assert f"by {order}" in shown(pilot)
        seen.add(tuple(column(pilot, "draft").choices))
        assert view(pilot).selection.file == column(pilot, "draft").chosen == FREEZE, "the note stays"
    assert len(seen) >= 4
    assert "5 hits: 76 ◐ validated" in text_of(pilot, "#ageing")
    assert "promoted at 65: 4 more, 2 hits" in text_of(pilot, "#ageing")
    await press(pilot, "f5", *"hhhhhh")
    assert "1 hit: 64 ○ draft" in text_of(pilot, "#ageing")
    await press(pilot, "l", "l")
    assert "3 hits: 70 ◐ validated" in text_of(pilot, "#ageing")
    assert "3 updates: 76 ◐ validated" in text_of(pilot, "#ageing")
    await pilot.press("f2")
    messages: list[str] = []
    monkeypatch.setattr(BrvTui, "notify", lambda self, message, **options: messages.append(message))
    with monkeypatch.context() as patched:
        patched.setattr("brvtui.app.maturity.screen.board_on_day", lambda *_: 1 / 0)
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: messages)
    assert "the board cannot be shown" in messages[0]
    await press(pilot, "right_square_bracket")
    assert brv(pilot).is_running
    assert maturity(pilot).on_day is not None
    assert maturity(pilot).on_day.wanted.day == 2


async def test_maturity_screen_for_an_empty_tree_says_there_are_no_notes(tree: Tree, make_app: Any) -> None:
    async with make_app(tree.root).run_test(size=NARROW) as pilot:
        await opened(pilot, "right_curly_bracket")
        assert "no notes in this tree yet" in text_of(pilot, "#draft")
        await press(pilot, "f5")
        assert "no note is selected" in text_of(pilot, "#ageing")


async def test_escape_goes_back_to_the_column_of_the_selected_note(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await opened(pilot, "f4")
        selected = view(pilot).selection.file
        assert selected in column(pilot, "core").choices
        await pilot.press("enter")
        await until(pilot, lambda: frame(pilot).stop == "ageing")
        await pilot.press("escape")
        await until(pilot, lambda: frame(pilot).stop == "core")
        assert view(pilot).selection.file == selected


async def test_maturity_reports_a_project_that_cannot_be_opened(make_app: Any, tmp_path: Path) -> None:
    async with make_app(tmp_path / "nowhere").run_test(size=NARROW) as pilot:
        await settled(pilot)
        await on(pilot, MaturityScreen, "escape", "3")
        await pilot.pause()
        assert "CANNOT OPEN" in shown(pilot)
        assert "nowhere:nosuchfolder" in "".join(text_of(pilot, "#draft").split())


async def test_only_visible_cards_of_a_thousand_notes_are_drawn(
    tree: Tree, make_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.notes(1_000)
    drawn: list[int] = []
    draw = board_on_day.BoardOnDay.mark

    def counting(self: board_on_day.BoardOnDay, position: int) -> Any:
        drawn.append(position)
        return draw(self, position)

    monkeypatch.setattr(board_on_day.BoardOnDay, "mark", counting)
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await opened(pilot, "G", "pageup")
        assert len(column(pilot, "draft").choices) == 1_000
        assert len(set(drawn)) < 80
        assert column(pilot, "draft").cursor < 999


async def test_w_explains_todays_answer_even_on_a_forecast_day(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "escape")
    await opened(pilot, "w")
    await until(pilot, lambda: app.has_modal)
    assert "explains the current answer" not in toast_text(pilot)
    await press(pilot, "escape", "right_curly_bracket")
    await pilot.press("w")
    await until(pilot, lambda: "this explains the current answer" in toast_text(pilot))


async def test_column_scrolls_by_whole_cards(tree: Tree, make_app: Any) -> None:
    tree.notes(30)
    async with make_app(tree.root).run_test(size=NARROW) as pilot:
        await opened(pilot)
        draft = column(pilot, "draft")
        for height in (24, 25):
            await pilot.resize_terminal(80, height)
            await press(pilot, "G")
            assert "p029" in text_of(pilot, "#draft")
            assert draft.offset_row % HEIGHT == 0
            await press(pilot, "g")
