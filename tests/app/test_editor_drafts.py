"""Drafts of unsaved text: kept while it is typed, told of at the start, offered when the note is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.editing.list_dialogs import DraftsDialog
from brvtui.app.editing.questions import DraftDialog
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.query.screen import QueryScreen
from brvtui.store.drafts import DraftStore
from tests.app.driving import NARROW, WIDE, ask, brv, frame, settled, shown, until
from tests.app.editing import FEW_LINES, NOTE, area, by_somebody, drafted, looked, on_disk, open_note, toasts, type_keys
from tests.support.trees import NOW_MS, Tree

MakeApp = Callable[..., BrvTui]
pytestmark = pytest.mark.usefixtures("few_lines")


def _drafts(garden: Tree) -> DraftStore:
    return DraftStore(garden.tree)


async def test_unsaved_text_is_drafted_and_dropped_with_the_save(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await type_keys(pilot, "xy")
        await looked(pilot)
        assert drafted(garden.root) == f"xy{FEW_LINES}".encode()
        await pilot.press("backspace", "backspace")
        await until(pilot, lambda: drafted(garden.root) is None)
        await type_keys(pilot, "z")
        await looked(pilot)
        assert drafted(garden.root)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: drafted(garden.root) is None)
        assert on_disk(garden) == f"z{FEW_LINES}"


@pytest.fixture
def left(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The garden with a draft of a process that is gone."""
    import hashlib

    base = hashlib.sha256(FEW_LINES.encode()).hexdigest()
    with monkeypatch.context() as gone:
        gone.setattr("brvtui.store.drafts.os.getpid", lambda: 2**22 + 1)
        _drafts(garden).keep(NOTE, FEW_LINES.replace("two", "TWO").encode(), base, NOW_MS - 125_000)
    return garden


async def _offered(pilot: Pilot[Any]) -> None:
    await ask(pilot, "rollback")
    brv(pilot).selection.select(NOTE)
    await pilot.press("escape", "e")
    await until(pilot, lambda: isinstance(pilot.app.screen, DraftDialog))
    await settled(pilot)


async def test_drafts_are_told_at_the_start(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert f"1 draft of unsaved text: {NOTE}" in toasts(pilot)


async def test_drafts_are_listed_and_one_is_looked_at(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("escape", "D")
        await until(pilot, lambda: isinstance(pilot.app.screen, DraftsDialog))
        await settled(pilot)
        assert NOTE in shown(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, DraftDialog))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await looked(pilot)
        await pilot.press("f3", "D")
        await until(pilot, lambda: "there are none" in shown(pilot))


async def test_a_draft_is_offered_and_can_be_taken(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await _offered(pilot)
        assert "from 2 min ago" in shown(pilot)
        assert "+ TWO" in shown(pilot)
        assert "has changed since" not in shown(pilot)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await looked(pilot)
        assert area(pilot).text == FEW_LINES.replace("two", "TWO")
        assert "• unsaved" in shown(pilot)
        assert on_disk(left) == FEW_LINES
        await pilot.press("ctrl+s")
        await until(pilot, lambda: drafted(left.root) is None)
        assert on_disk(left) == FEW_LINES.replace("two", "TWO")


async def test_a_draft_can_be_dropped(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await _offered(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await looked(pilot)
        assert area(pilot).text == FEW_LINES
        assert drafted(left.root) is None


async def test_a_draft_that_is_not_decided_on_stays(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await _offered(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(frame(pilot), QueryScreen)
        assert drafted(left.root)


async def test_a_draft_of_another_text_says_so(left: Tree, make_app: MakeApp) -> None:
    by_somebody(left, FEW_LINES.replace("five", "FIVE"))
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await _offered(pilot)
        assert "has changed since the draft was begun" in shown(pilot)


async def test_the_draft_of_a_note_that_is_gone_can_be_written(left: Tree, make_app: MakeApp) -> None:
    (left.tree / NOTE).unlink()
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        brv(pilot).editing.edit(NOTE)
        await until(pilot, lambda: isinstance(pilot.app.screen, DraftDialog))
        await pilot.press("t")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: (left.tree / NOTE).exists())
        assert on_disk(left) == FEW_LINES.replace("two", "TWO")
