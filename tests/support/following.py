"""A session that follows its project as the app does, and lets a test wait for a condition."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from brvtui.session import Session
from brvtui.tree.watching.watch import Watching


class Following:
    """Publishes each change that watching notices, from the watching thread."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.calls = 0
        self.told: list[Watching] = []
        self._published = threading.Condition()
        self.begun = session.watch(self._changed, self.told.append)
        session.refresh()

    def until(self, expected: Callable[[], bool], seconds: float = 30.0) -> bool:
        """Waits until ``expected`` is true, checked after each publication. False if that takes too long."""
        deadline = time.monotonic() + seconds
        with self._published:
            while not expected():
                left = deadline - time.monotonic()
                if left <= 0 or not self._published.wait(left):
                    return expected()
        return True

    def has(self, *paths: str) -> bool:
        """True if the notes of the newest snapshot include ``paths``."""
        return all(path in self.session.snapshot.by_path for path in paths)

    def lacks(self, *paths: str) -> bool:
        """True if none of ``paths`` is a note of the newest snapshot."""
        return not any(path in self.session.snapshot.by_path for path in paths)

    def _changed(self) -> None:
        self.session.refresh()
        with self._published:
            self.calls += 1
            self._published.notify_all()


@contextmanager
def following(session: Session) -> Iterator[Following]:
    """``session``, followed; it is closed at the end."""
    try:
        yield Following(session)
    finally:
        session.close()
