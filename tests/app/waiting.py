"""Waits for the app by checking its event loop for pending work, never by time or CPU load."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from textual.app import App, ScreenStackError
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.timer import Timer

_SOON_S = 0.3
"""The limit in seconds for timers that are awaited. Toasts and the saving of the layout take longer."""
_PATIENCE_S = 1.0
"""The time in seconds for which a batch that waits for a thread may delay drawing."""


async def drawn(app: App[Any]) -> None:
    """Waits until all messages are handled and the screens are drawn, but not for threads or timers."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + _PATIENCE_S
    await _handled(loop)
    while (undrawn := [screen for screen in _seen(app) if _to_draw(screen)]) and loop.time() < ends:
        for screen in undrawn:
            screen._on_timer_update()
        await _handled(loop)
        if app._batch_count:
            await asyncio.sleep(0.001)


async def put_off(app: App[Any]) -> None:
    """Waits until everything is drawn, including work that the app delays for a moment."""
    await drawn(app)
    while pausing := {timer._task for pump in _pumps(app) for timer in tuple(pump._timers) if _ends_soon(timer)}:
        await asyncio.wait(pausing, return_when=asyncio.FIRST_COMPLETED)
        await drawn(app)


async def at_rest(app: App[Any], stuck: str = "") -> None:
    """Waits until no thread works for the app, except the group ``stuck``, and nothing is delayed or undrawn."""

    def under_way() -> set[asyncio.Task[Any]]:
        working = [worker for worker in app.workers if worker.group != stuck and not worker.is_finished]
        return {worker._task for worker in working if worker._task is not None}

    await put_off(app)
    while working := under_way():
        await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
        await put_off(app)


async def _handled(loop: asyncio.AbstractEventLoop) -> None:
    """Waits until no task of the event loop can continue, because each waits for a time, a thread or a file."""
    ready = loop._ready  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    while ready:
        await asyncio.sleep(0)


def _seen(app: App[Any]) -> list[Screen[Any]]:
    """The screen in front, and the screens visible behind it."""
    try:
        return [*app._background_screens, app.screen]
    except ScreenStackError:
        return []


def _pumps(app: App[Any]) -> Iterator[MessagePump]:
    yield app
    for screen in app._screen_stacks.get(app._current_mode, ()):
        yield from screen.walk_children(with_self=True)


def _to_draw(screen: Screen[Any]) -> bool:
    changed = screen._layout_required or screen._scroll_required
    if screen is not screen.app.screen:  # only the screen in front paints its own changes
        return changed
    changed = changed or screen._repaint_required
    return bool(changed or screen._recompose_required or screen._dirty_widgets or screen._callbacks)


def _ends_soon(timer: Timer) -> bool:
    return timer._repeat == 0 and timer._interval < _SOON_S and timer._task is not None and not timer._task.done()


@pytest.fixture(autouse=True, scope="session")
def wait_for_pending_work() -> Iterator[None]:
    """Makes a pilot wait after each key until the key is handled and drawn. Textual's own pilot waits, twice for each
    key, until this process has used little CPU time for 20 ms. That is slow, and unreliable on a busy machine.
    """

    async def idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
        from textual._context import active_app

        await drawn(active_app.get())

    async def screen(self: Pilot[Any], timeout: float = 30.0) -> bool:
        await drawn(self.app)
        return True

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("textual.app.wait_for_idle", idle)
        patched.setattr("textual.pilot.wait_for_idle", idle)
        patched.setattr(Pilot, "_wait_for_screen", screen)
        yield
