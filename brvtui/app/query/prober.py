"""When a query is put to the engine: at once, after a pause, or after the one under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

SLOW_MS = 20.0
"""A search that took longer makes the next keys wait for a pause."""
PAUSE_S = 0.08


class QueryRequest(NamedTuple):
    """One request for a trace; ``number`` orders them."""

    number: int
    query: str
    scope: str
    run: bool
    without_model: bool = False
    """Whether to ask no model this time, although a run would."""


class Prober:
    """Orders requests: one at a time, runs never lost, of probes only the newest.

    ``start`` begins a request; ``pause`` calls :meth:`go` after a pause, again from the start if it is called again.
    """

    def __init__(self, start: Callable[[QueryRequest], None], pause: Callable[[], None]) -> None:
        """Nothing is under way."""
        self._start = start
        self._pause = pause
        self._number = 0
        self._busy = False
        self._begun = 0
        """The number of the request that was begun last."""
        self._runs: deque[QueryRequest] = deque()
        self._probe: QueryRequest | None = None
        self._slow = False

    @property
    def newest(self) -> int:
        """The number of the newest request."""
        return self._number

    def ask(
        self, query: str, scope: str, run: bool = False, without_model: bool = False, at_once: bool = False
    ) -> None:
        """Requests a trace; a probe that has not begun gives way to it. One ``at_once`` waits for no further keys."""
        self._number += 1
        made = QueryRequest(self._number, query, scope, run, without_model)
        if run:
            self._runs.append(made)
            self._probe = None
        else:
            self._probe = made
        if self._slow and not run and not at_once:
            self._pause()
        else:
            self.go()

    def go(self) -> None:
        """Begins what waits, unless something is under way."""
        if self._busy:
            return
        waiting = self._runs.popleft() if self._runs else self._probe
        if waiting is None:
            return
        if waiting is self._probe:
            self._probe = None
        self._busy = True
        self._begun = waiting.number
        self._start(waiting)

    def forget(self) -> None:
        """Makes every answer under way stale, and drops a probe that waits."""
        self._number += 1
        self._probe = None

    def finished(self, number: int, took_ms: float) -> bool:
        """An answer came: whether it is the newest that was asked for."""
        self._busy = False
        self._slow = took_ms > SLOW_MS
        self.go()
        return number == self._number

    def failed(self, number: int) -> None:
        """The request ``number`` ended without an answer; one that is not under way any more changes nothing."""
        if number == self._begun:
            self._busy = False
            self.go()
