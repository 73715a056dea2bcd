"""Work of which only the newest request matters."""

from __future__ import annotations

from collections.abc import Callable

PAUSE_S = 0.08
"""Requests that follow each other more quickly than that are a burst."""


class Newest:
    """Begins one piece of work at a time. Of what is wanted meanwhile, or in a burst after the first, only the last.

    ``begin`` starts work on something that is named; ``pause`` calls :meth:`go` after a pause, again from the start if
    it is called again.
    """

    def __init__(self, begin: Callable[[str], None], pause: Callable[[], None]) -> None:
        """Nothing is under way."""
        self._begin = begin
        self._pause = pause
        self._busy = False
        self._in_burst = False
        self._waiting = ""

    def want(self, name: str) -> None:
        """Begins at once, after the work that is under way, or after the burst."""
        self._waiting = name
        if not self._in_burst:
            self._in_burst = True
            self._next()
        self._pause()

    def go(self) -> None:
        """The burst is over."""
        self._in_burst = False
        self._next()

    def finished(self) -> None:
        """The work under way has ended, well or not."""
        self._busy = False
        if not self._in_burst:
            self._next()

    def _next(self) -> None:
        if self._waiting and not self._busy:
            name, self._waiting = self._waiting, ""
            self._busy = True
            self._begin(name)
