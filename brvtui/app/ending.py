"""Ends the process of the app without waiting for slow work in threads."""

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
"""The maximum time in seconds that the app waits at its end for writing, watchers and the index together."""
_MOST_THREADS = 64
"""The number of tasks that can hang, for example on a network file system, before others have to wait."""


class TimeLeft:
    """Counts down from :data:`MOST_S` seconds, starting when the time is first requested."""

    def __init__(self) -> None:
        self._end: float | None = None

    def begin_again(self) -> None:
        """Resets the countdown, since the app continues."""
        self._end = None

    @property
    def seconds(self) -> float:
        """The remaining seconds, at least 0."""
        if self._end is None:
            self._end = time.monotonic() + MOST_S
        return max(0.0, self._end - time.monotonic())


class _Threads(ThreadPoolExecutor):
    """A thread pool that the event loop does not wait for when it closes."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Drops tasks that have not started, and returns immediately."""
        super().shutdown(False, cancel_futures=True)


def run_until_ended(run: Callable[[], Any]) -> None:
    """Runs the coroutine from ``run`` in an event loop that does not wait for its threads when it closes."""

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(_Threads(_MOST_THREADS, "brv-tui"))
        await run()

    asyncio.run(main())


async def finished_in_time(work: Callable[[], object], seconds: float) -> bool:
    """Calls the blocking function ``work`` in its own thread; returns True if it ended within ``seconds``.

    If ``work`` raises an exception in time, it is raised here.
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
        except Exception as raised:  # raised again in the event loop
            error = raised
        with suppress(RuntimeError):  # the loop may be closed
            loop.call_soon_threadsafe(tell, error)

    threading.Thread(target=call, name="brv-tui-ending").start()
    done, _ = await asyncio.wait([ended], timeout=seconds)
    if not done:
        ended.cancel()
        return False
    ended.result()
    return True


def end_process_unless_idle(code: int, seconds: float, at_end: Callable[[], None]) -> None:
    """Ends the process with ``code`` if a thread is still running after ``seconds``; otherwise returns.

    Python itself would wait for every thread. A file write can be interrupted safely at any time.
    """
    end = time.monotonic() + seconds
    others = [one for one in threading.enumerate() if not one.daemon and one is not threading.current_thread()]
    for thread in others:
        thread.join(max(0.0, end - time.monotonic()))
    at_end()
    if any(thread.is_alive() for thread in others):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
