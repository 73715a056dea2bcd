"""What the Notes and Log screens look like: normal, filtered, empty, loading, failed, with long contents."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from tests.app.driving import WIDE, ask, brv, reading, settled, until, view
from tests.app.garden import STRANGE
from tests.app.pictures import ONLY_NARROW, Looks
from tests.app.test_log import logged, with_log
from tests.support.trees import Tree

__all__ = ["with_log"]
MakeApp = Callable[..., BrvTui]
SCREEN = pytest.mark.parametrize("key", ["2", "4"], ids=["notes", "log"])
_LONG = "auth/long.md"


async def opened(pilot: Pilot[Any], note: str, *keys: str) -> None:
    """The Notes screen with ``note`` selected, then ``keys``."""
    await ask(pilot, "rollback")
    brv(pilot).selection.select(note)
    for key in ("escape", "2", *keys):
        await pilot.press(key)
        await settled(pilot)
    # A filter among the keys selects another note.
    await until(pilot, lambda: (page := view(pilot).note.page) and page.path == view(pilot).selection.file)
    await settled(pilot)


_NOTES: dict[str, tuple[str, tuple[str, ...]]] = {
    "note": ("auth/jwt/token_store.md", ()),
    "about": ("auth/jwt/token_store.md", ("f4",)),
    "raw": ("auth/jwt/token_store.md", ("f3", "r")),
    "filter": ("auth/jwt/token_store.md", ("f2", "slash", *"rot")),
    "nothing-kept": ("auth/jwt/token_store.md", ("f2", "slash", *"zebra")),
    "strange": (STRANGE, ("f3",)),
    "found": ("auth/long.md", ("f3", "slash", *"lorem")),
}


@pytest.fixture
def garden(garden: Tree) -> Tree:
    """The garden with a note that is long in every way."""
    title = "A very long title that no pane of a narrow terminal can show in a single row of its list " * 2
    rows = "\n".join(f"| {number} | {'cell ' * number} |" for number in range(8))
    text = "\n\n".join(f"## Part {number}\n\n{'Lorem ipsum dolor sit amet. ' * 12}" for number in range(30))
    code = f"```python\n{'x = 1  # a comment that goes on and on ' * 6}\n```"
    head = f"title: {title}\ntags: [{'tag, ' * 30}end]"
    garden.file(_LONG, f"---\n{head}\n---\n# Long\n\n| a | b |\n|-|-|\n{rows}\n\n{code}\n\n{text}\n", 5)
    return garden


@pytest.mark.parametrize("state", _NOTES.values(), ids=_NOTES)
async def test_notes(looks: Looks, garden: Tree, make_app: MakeApp, state: tuple[str, tuple[str, ...]]) -> None:
    note, keys = state
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await opened(pilot, note, *keys)
        await looks(pilot)


@SCREEN
async def test_an_empty_tree(looks: Looks, tree: Tree, make_app: MakeApp, key: str) -> None:
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", key)
        await looks(pilot, sizes=ONLY_NARROW)


@SCREEN
async def test_no_project(
    looks: Looks, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with make_app(Path("nowhere")).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", key)
        await looks(pilot, sizes=ONLY_NARROW)


@SCREEN
async def test_a_tree_that_is_being_read(
    looks: Looks, app: BrvTui, stuck_at: Callable[[int, int], None], key: str
) -> None:
    stuck_at(40, 120)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.total)
        await pilot.press("escape", key)
        await looks(pilot, sizes=ONLY_NARROW, ready=reading)


_LOG: dict[str, tuple[str, ...]] = {
    "newest": (),
    "changed-since": ("j", "j"),
    "entry": ("G", "f3"),
    "summary": ("f4",),
    "uncovered": ("c",),
    "following": ("f",),
}


@pytest.mark.parametrize("keys", _LOG.values(), ids=_LOG)
async def test_log(
    looks: Looks, with_log: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    logged(with_log, 2, "a question that goes on and on " * 6, tier=4, timing={"durationMs": 1_234_567})
    async with make_app(with_log.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        await until(pilot, lambda: view(pilot).log.entries is not None)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        await looks(pilot, sizes=ONLY_NARROW)
