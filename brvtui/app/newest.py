"""Work of which only the newest request matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

PAUSE_S = 0.08
"""Requests that follow each other more quickly than that are a burst."""

Request = TypeVar("Request")


class Newest(Generic[Request]):
    """Begins one piece of work at a time. Of what is wanted meanwhile, or in a burst after the first, only the last.

    ``begin`` starts work on a request; ``pause`` calls :meth:`go` after a pause, again from the start if it is called
    again. Without it there are no bursts.
    """

    def __init__(self, begin: Callable[[Request], object], pause: Callable[[], None] | None = None) -> None:
        """Nothing is under way."""
        self._begin = begin
        self._pause = pause
        self._in_burst = False
        self._waiting: Request | None = None
        self.is_busy = False
        """Whether work is under way."""

    def want(self, request: Request) -> None:
        """Begins at once, after the work that is under way, or after the burst."""
        self._waiting = request
        if not self._in_burst:
            self._in_burst = self._pause is not None
            self._next()
        if self._pause is not None:
            self._pause()

    def go(self) -> None:
        """The burst is over."""
        self._in_burst = False
        self._next()

    def finished(self) -> None:
        """The work under way has ended, well or not."""
        self.is_busy = False
        if not self._in_burst:
            self._next()

    def _next(self) -> None:
        if self._waiting is not None and not self.is_busy:
            request, self._waiting = self._waiting, None
            self.is_busy = True
            self._begin(request)
