"""The same work in several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable


def failures_in_threads(work: Callable[[int], None], count: int = 4) -> list[BaseException]:
    """The exceptions that ``work`` raises; it receives its thread's number."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures
