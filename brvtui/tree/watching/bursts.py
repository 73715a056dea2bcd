"""Bursts of notices gathered into one call each."""

from __future__ import annotations

import threading
from collections.abc import Callable

QUIET_SECONDS = 0.08
LONGEST_WAIT_SECONDS = 0.5
MOST_PLACES = 5_000
"""When more changed in one burst, it is no longer said what."""
Changed = Callable[[frozenset[str] | None], None]
"""Is told the places that changed, absolute, or None for any. A folder of which only itself changed ends with a
separator; below every other folder anything may have changed."""


class Gate:
    """Calls back, from a thread of its own, after a quiet time, or after the longest wait while notices keep coming."""

    def __init__(self, changed: Changed, tend: Callable[[], None], pause: Callable[[], float]) -> None:
        """Calls ``tend`` before each call of ``changed``, and when nothing was noticed for ``pause()`` seconds."""
        self._changed = changed
        self._tend = tend
        self._pause = pause
        self._places: set[str] | None = set()
        self._gathering = threading.Lock()
        self._noticed = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="brv-tui-watch", daemon=True)

    def start(self) -> None:
        """Begins to call back."""
        self._thread.start()

    def notice(self, place: str | None) -> None:
        """``place`` changed; None when it is not known which."""
        with self._gathering:
            if place is None or self._places is None or len(self._places) >= MOST_PLACES:
                self._places = None
            else:
                self._places.add(place)
        self._noticed.set()

    def stop(self) -> None:
        """Ends it; no call comes after this returns, unless it is the caller."""
        self._stopped.set()
        self._noticed.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    def _gathered(self) -> frozenset[str] | None:
        with self._gathering:
            places, self._places = self._places, set()
        return None if places is None else frozenset(places)

    def _run(self) -> None:
        while not self._stopped.is_set():
            if self._noticed.wait(self._pause()):
                self._settle()
            if self._stopped.is_set():
                return
            self._tend()
            self._noticed.clear()
            places = self._gathered()
            if places is None or places:
                self._changed(places)

    def _settle(self) -> None:
        waited = 0.0
        while not self._stopped.is_set():
            self._noticed.clear()
            waited += QUIET_SECONDS
            if not self._noticed.wait(QUIET_SECONDS) or waited >= LONGEST_WAIT_SECONDS:
                return
