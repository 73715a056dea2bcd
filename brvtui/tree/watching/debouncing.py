"""Debouncing: many changes in a short time become one call."""

from __future__ import annotations

import threading
from collections.abc import Callable

QUIET_SECONDS = 0.08
LONGEST_WAIT_SECONDS = 0.5
MOST_PLACES = 5_000
"""When more places change at once, the call does not name them."""
Changed = Callable[[frozenset[str] | None], None]
"""A callback for changes. It gets the absolute paths that changed, or None when any path may have changed. A path that
ends with a separator is a folder of which only the entry itself changed; below any other folder everything may have
changed."""


class Debouncer:
    """Calls back from its own thread after ``QUIET_SECONDS`` without a change, at the latest after the longest wait."""

    def __init__(self, changed: Changed, maintain: Callable[[], None], pause: Callable[[], float]) -> None:
        """Calls ``maintain`` before each call of ``changed``, and after ``pause()`` seconds without a change."""
        self._changed = changed
        self._maintain = maintain
        self._pause = pause
        self._places: set[str] | None = set()
        self._places_lock = threading.Lock()
        self._has_places = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="brv-tui-watch", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def add(self, place: str | None) -> None:
        """Adds a changed path; None means that any path may have changed."""
        with self._places_lock:
            if place is None or self._places is None or len(self._places) >= MOST_PLACES:
                self._places = None
            else:
                self._places.add(place)
        self._has_places.set()

    def stop(self) -> None:
        """Stops the thread. No callback runs after this returns, unless a callback itself called it."""
        self._stopped.set()
        self._has_places.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    def _take_places(self) -> frozenset[str] | None:
        with self._places_lock:
            places, self._places = self._places, set()
        return None if places is None else frozenset(places)

    def _run(self) -> None:
        while not self._stopped.is_set():
            if self._has_places.wait(self._pause()):
                self._settle()
            if self._stopped.is_set():
                return
            self._maintain()
            self._has_places.clear()
            places = self._take_places()
            if places is None or places:
                self._changed(places)

    def _settle(self) -> None:
        waited = 0.0
        while not self._stopped.is_set():
            self._has_places.clear()
            waited += QUIET_SECONDS
            if not self._has_places.wait(QUIET_SECONDS) or waited >= LONGEST_WAIT_SECONDS:
                return
