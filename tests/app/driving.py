"""Helpers that drive the app: type, and wait until the result is shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.screen import Screen

from brvtui.app.app import BrvTui
from brvtui.app.project.project import LOAD
from brvtui.app.states import Phase
from tests.app import waiting
from tests.app.looking import AppPilot, brv, frame, screen, shown, view

WIDE = (120, 36)
NARROW = (80, 24)
HUGE = (200, 60)
SIZES = {"80x24": NARROW, "120x36": WIDE, "200x60": HUGE}
_LONG = pytest.mark.long
_IN_LANES = [pytest.param(cells, id=size, marks=() if cells == NARROW else _LONG) for size, cells in SIZES.items()]
at_all_sizes = pytest.mark.parametrize("size", _IN_LANES)
"""Runs a test at 80x24 in the fast lane, and at the other sizes in the long lane."""
at_two_sizes = pytest.mark.parametrize("size", _IN_LANES[:2])
"""Same as ``at_all_sizes``, but without 200x60."""
MakeApp = Callable[..., BrvTui]
"""Creates an app on a project."""
ScreenKind = TypeVar("ScreenKind", bound="Screen[Any]")


async def until(pilot: AppPilot, happened: Callable[[], object], seconds: float = 30.0) -> float:
    """Waits until ``happened()`` is true, and returns how many seconds that took. Fails after ``seconds``."""
    begun = time.monotonic()
    while not happened():
        assert time.monotonic() - begun < seconds, f"did not happen within {seconds} s: {shown(pilot)}"
        await asyncio.sleep(0.002)
    await waiting.drawn(pilot.app)
    return time.monotonic() - begun


async def on(pilot: AppPilot, kind: type[ScreenKind], *keys: str) -> ScreenKind:
    """Presses ``keys``, waits until a screen or dialog of this kind is in front, and returns it."""

    def in_front() -> list[ScreenKind]:
        return [each for each in (pilot.app.screen, frame(pilot)) if isinstance(each, kind)]

    await pilot.press(*keys)
    await until(pilot, in_front)
    return in_front()[0]


async def settled(pilot: AppPilot) -> None:
    """Waits until the project is open, or cannot be opened, and no work is left."""
    await until(pilot, lambda: view(pilot).project.phase is not Phase.LOADING)
    if brv(pilot).project.saved is None:
        await until(pilot, lambda: view(pilot).watch.active or view(pilot).project.phase is Phase.FAILED)
    field = screen(pilot).field
    await waiting.at_rest(pilot.app)

    def is_answered() -> bool:
        query, phase = view(pilot).query.text, view(pilot).project.phase
        return query == field.value or not field.value.strip() or phase is Phase.FAILED

    while not is_answered():
        await until(pilot, is_answered)
        await waiting.at_rest(pilot.app)


async def press(pilot: AppPilot, *keys: str) -> None:
    """Presses ``keys``, and waits until no work is left."""
    await pilot.press(*keys)
    await settled(pilot)


async def reading(pilot: AppPilot) -> None:
    """Waits until no work is left except reading the tree."""
    await waiting.at_rest(pilot.app, stuck=LOAD)


async def type_text(pilot: AppPilot, text: str) -> None:
    """Types ``text`` into the focused field and waits for its trace."""
    names = {" ": "space", "/": "slash", "?": "question_mark", ".": "full_stop", "-": "minus", "_": "underscore"}
    await pilot.press(*(names.get(char, char) for char in text))
    await settled(pilot)


def at_once(pilot: AppPilot, *keys: str) -> None:
    """Types ``keys`` as if they came from a terminal in a single read: all arrive before the first is handled."""
    for key in keys:
        is_text = len(key) == 1
        pilot.app.post_message(events.Key(_character_to_key(key) if is_text else key, key if is_text else None))


async def ask(pilot: AppPilot, text: str, *keys: str) -> None:
    """Puts ``text`` into the field at once, waits for its trace, and presses ``keys``."""
    await settled(pilot)
    screen(pilot).field.value = text
    await settled(pilot)
    await pilot.press(*keys)


async def ask_from_cache(pilot: AppPilot, text: str) -> None:
    """Runs ``text`` twice, so that the second answer comes from the cache."""
    await ask(pilot, text)
    await press(pilot, "ctrl+r")
    await pilot.press("ctrl+r")
    await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.tier == 0)


async def open_notes(pilot: AppPilot) -> None:
    """Brings the Notes screen to the front."""
    await settled(pilot)
    await press(pilot, "escape", "2")
