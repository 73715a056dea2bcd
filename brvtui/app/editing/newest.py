"""One request at a time; of those that wait, only the newest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Request = TypeVar("Request")


class Newest(Generic[Request]):
    """Calls ``start`` with a request when nothing is under way; :meth:`done` says that it has ended."""

    def __init__(self, start: Callable[[Request], object]) -> None:
        """Nothing is under way."""
        self._start = start
        self._waiting: Request | None = None
        self.is_busy = False

    def ask(self, request: Request) -> None:
        """Begins ``request`` now, or after the one under way, unless a newer one comes until then."""
        if self.is_busy:
            self._waiting = request
        else:
            self.is_busy = True
            self._start(request)

    def done(self) -> None:
        """The request under way has ended, one way or another."""
        self.is_busy = False
        if self._waiting is not None:
            request, self._waiting = self._waiting, None
            self.ask(request)
