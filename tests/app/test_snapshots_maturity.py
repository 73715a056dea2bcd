"""What the Maturity screen looks like: normal, on a day ahead, filtered, empty, loading, failed, with long contents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from tests.app.driving import WIDE, reading, settled, until, view
from tests.app.pictures import LIGHT, ONLY_WIDE, Looks
from tests.app.test_maturity import opened
from tests.support.trees import Tree

MakeApp = Callable[..., BrvTui]

_STATES: dict[str, tuple[str, ...]] = {
    "today": (),
    "in-60-days": ("right_curly_bracket", "right_curly_bracket"),
    "note": ("f4", "f5", "right_curly_bracket"),
    "only": ("F", "F"),
    "changes": ("c", "f"),
    "filter": ("slash", *"rot"),
    "order": ("S", "S"),
}
_ALSO_LIGHT = ("today", "in-60-days")


@pytest.fixture
def looks(looks: Looks) -> Looks:
    """Pictures of one size."""
    return partial(looks, sizes=ONLY_WIDE)


@pytest.mark.parametrize("state", _STATES)
async def test_a_board(looks: Looks, app: BrvTui, state: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, *_STATES[state])
        await looks(pilot, f"test_dark[{state}-{{size}}]")
        if state in _ALSO_LIGHT:
            await looks(pilot, f"test_light[{state}-{{size}}]", themes=[LIGHT])


async def test_empty_tree(looks: Looks, make_app: MakeApp, tree: Tree) -> None:
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await opened(pilot)
        await looks(pilot, "test_empty_tree[{size}]")


async def test_no_project(looks: Looks, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    async with make_app(Path("nowhere")).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "3")
        await looks(pilot, "test_no_project[{size}]")


async def test_loading(looks: Looks, app: BrvTui, stuck_at: Callable[[int, int], None]) -> None:
    stuck_at(40, 120)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.total)
        await pilot.press("escape", "3")
        await looks(pilot, "test_loading[{size}]", ready=reading)


async def test_long_contents(looks: Looks, make_app: MakeApp, tree: Tree) -> None:
    for number in range(60):
        title = " ".join(["An exceedingly long title of a note"] * (1 + number % 3))
        tree.note(
            f"{'deep/' * (number % 9)}folder/note_{number:02}_{'x' * 40}.md", f"{title} {number}", days=number * 3
        )
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await opened(pilot, "right_curly_bracket", "G")
        await looks(pilot, "test_long_contents[{size}]")


async def test_letters(looks: Looks, monkeypatch: pytest.MonkeyPatch, garden: Tree, make_app: MakeApp) -> None:
    monkeypatch.setenv("BRV_TUI_ASCII", "1")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await opened(pilot, *_STATES["in-60-days"])
        await looks(pilot, "test_letters", sizes=ONLY_WIDE)


@pytest.mark.parametrize("key", ["f1", "question_mark"])
async def test_help(looks: Looks, app: BrvTui, key: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, key)
        await looks(pilot, f"test_help[{key}]", sizes=ONLY_WIDE)
