"""Pictures of the Notes and Log screens: normal, with a word found, with long contents."""

from __future__ import annotations

import time

import pytest

from brvtui.app.app import BrvTui
from tests.app.driving import WIDE, MakeApp, ask, press, settled, until
from tests.app.looking import AppPilot, brv, view
from tests.app.pictures import LIGHT, NARROW_AND_WIDE, ONLY_NARROW, ONLY_WIDE, Looks
from tests.app.test_log import logged, with_log
from tests.support.trees import Tree

__all__ = ["with_log"]
_LONG = "auth/long.md"


async def opened(pilot: AppPilot, note: str, *keys: str) -> None:
    """Opens the Notes screen with ``note`` selected, and presses ``keys``."""
    await ask(pilot, "rollback")
    brv(pilot).selection.select(note)
    for key in ("escape", "2", *keys):
        await press(pilot, key)
    # The keys may include a filter, which selects another note.
    await until(pilot, lambda: (page := view(pilot).note.page) and page.path == view(pilot).selection.file)
    await settled(pilot)


_NOTES: dict[str, tuple[str, tuple[str, ...]]] = {
    "note": ("auth/jwt/token_store.md", ()),
    "about": ("auth/jwt/token_store.md", ("f4",)),
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
async def test_notes(looks: Looks, app: BrvTui, state: tuple[str, tuple[str, ...]]) -> None:
    note, keys = state
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, note, *keys)
        await looks(pilot)
        if not keys:
            await looks(pilot, sizes=ONLY_WIDE, themes=[LIGHT])


_LOG: dict[str, tuple[str, ...]] = {
    "newest": (),
    "entry": ("G", "f3"),
    "summary": ("f4",),
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
            await press(pilot, key)
        await looks(pilot, sizes=ONLY_NARROW if keys else NARROW_AND_WIDE)
        if not keys:
            await looks(pilot, sizes=ONLY_WIDE, themes=[LIGHT])
