"""Ends the process of the app without waiting for work in threads that takes long."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

MOST_S = 0.8
"""How long all that an app waits for when it ends may take: what is being written, watching, the kept index."""
_MOST_THREADS = 64
"""So many tasks may hang, on a network's files say, before another one has to wait for a thread."""


class TimeLeft:
    """Counts down :data:`MOST_S` seconds from the first question on."""

    def __init__(self) -> None:
        """Does not count yet."""
        self._end: float | None = None

    def begin_again(self) -> None:
        """Forgets what was counted: the app goes on after all."""
        self._end = None

    @property
    def seconds(self) -> float:
        """The seconds that are left, from 0 on."""
        if self._end is None:
            self._end = time.monotonic() + MOST_S
        return max(0.0, self._end - time.monotonic())


class _Threads(ThreadPoolExecutor):
    """Threads that the event loop does not wait for when it is closed."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Drops what has not begun, and returns at once."""
        super().shutdown(False, cancel_futures=True)


def run_until_ended(run: Callable[[], Any]) -> None:
    """Runs the coroutine of ``run`` in an event loop that leaves what its threads do at the end to them."""

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(_Threads(_MOST_THREADS, "brv-tui"))
        await run()

    asyncio.run(main())


async def finished_in_time(work: Callable[[], object], seconds: float) -> bool:
    """Calls ``work``, which blocks, in a thread of its own; returns whether it ended within ``seconds``.

    What it raises is raised if it is in time.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def tell(error: BaseException | None) -> None:
        if ended.done():
            return
        if error is None:
            ended.set_result(None)
        else:
            ended.set_exception(error)

    def call() -> None:
        error: BaseException | None = None
        try:
            work()
        except Exception as raised:  # it is raised again in the event loop
            error = raised
        with suppress(RuntimeError):  # the loop is closed by now
            loop.call_soon_threadsafe(tell, error)

    threading.Thread(target=call, name="brv-tui-ending").start()
    done, _ = await asyncio.wait([ended], timeout=seconds)
    if not done:
        ended.cancel()
        return False
    ended.result()
    return True


def end_process_unless_idle(code: int, seconds: float) -> None:
    """Ends the process with ``code`` if a thread is still at work after ``seconds``; else returns.

    Python itself would wait for every thread. Whatever writes files is made to be killed at any time.
    """
    end = time.monotonic() + seconds
    others = [one for one in threading.enumerate() if not one.daemon and one is not threading.current_thread()]
    for thread in others:
        thread.join(max(0.0, end - time.monotonic()))
    if any(thread.is_alive() for thread in others):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
