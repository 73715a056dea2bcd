"""What the Maturity screen looks like: normal, on a day ahead, filtered, empty, loading, failed, with long contents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from tests.app.driving import NARROW, WIDE, settled, view
from tests.app.test_maturity import opened
from tests.support.trees import Tree

Before = Callable[[Pilot[Any]], Awaitable[None]]
Compare = Callable[..., bool]
BOTH = pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])


def _keys(*keys: str) -> Before:
    async def before(pilot: Pilot[Any]) -> None:
        await opened(pilot, *keys)

    return before


_STATES = {
    "today": _keys(),
    "in-60-days": _keys("right_curly_bracket", "right_curly_bracket"),
    "note": _keys("f4", "f5", "right_curly_bracket"),
    "only": _keys("F", "F"),
    "filter": _keys("slash", *"rot"),
    "order": _keys("S", "S"),
}


@BOTH
@pytest.mark.parametrize("state", _STATES.values(), ids=_STATES)
def test_dark(snap_compare: Compare, app: BrvTui, state: Before, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=state)


@BOTH
@pytest.mark.parametrize("state", ["today", "in-60-days"])
def test_light(snap_compare: Compare, app: BrvTui, state: str, size: tuple[int, int]) -> None:
    app.theme = "brv-light"
    assert snap_compare(app, terminal_size=size, run_before=_STATES[state])


@BOTH
def test_empty_tree(snap_compare: Compare, make_app: Any, tree: Tree, size: tuple[int, int]) -> None:
    assert snap_compare(make_app(tree.root), terminal_size=size, run_before=_keys())


@BOTH
def test_no_project(
    snap_compare: Compare, make_app: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: tuple[int, int]
) -> None:
    async def failed(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("escape", "3")
        await pilot.pause()

    monkeypatch.chdir(tmp_path)
    assert snap_compare(make_app(Path("nowhere")), terminal_size=size, run_before=failed)


@BOTH
def test_loading(
    snap_compare: Compare, app: BrvTui, stuck_at: Callable[[int, int], None], size: tuple[int, int]
) -> None:
    async def progress(pilot: Pilot[Any]) -> None:
        while not view(pilot).project.total:
            await pilot.pause()
        await pilot.press("escape", "3")
        await pilot.pause()

    stuck_at(40, 120)
    assert snap_compare(app, terminal_size=size, run_before=progress)


@BOTH
def test_long_contents(snap_compare: Compare, make_app: Any, tree: Tree, size: tuple[int, int]) -> None:
    for number in range(60):
        title = " ".join(["An exceedingly long title of a note"] * (1 + number % 3))
        tree.note(
            f"{'deep/' * (number % 9)}folder/note_{number:02}_{'x' * 40}.md", f"{title} {number}", days=number * 3
        )
    assert snap_compare(make_app(tree.root), terminal_size=size, run_before=_keys("right_curly_bracket", "G"))


def test_letters(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, garden: Tree, make_app: Any) -> None:
    monkeypatch.setenv("BRV_TUI_ASCII", "1")
    assert snap_compare(make_app(garden.root), terminal_size=WIDE, run_before=_STATES["in-60-days"])


@pytest.mark.parametrize("key", ["f1", "question_mark"])
def test_help(snap_compare: Compare, app: BrvTui, key: str) -> None:
    assert snap_compare(app, terminal_size=WIDE, run_before=_keys(key))
