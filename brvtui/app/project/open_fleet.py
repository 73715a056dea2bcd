"""The open fleet. It exists longer than an app, since opening a member's memory starts another app."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from brvtui.app.states import FleetSelection, FleetState
from brvtui.fleet.answering import Asker, Replied
from brvtui.fleet.fleet_file import Fleet, Member
from brvtui.fleet.opening import FRESH_S
from brvtui.fleet.pool import MemberExecutor, Stopped
from brvtui.timing import system_clock


class OpenFleet:
    """A fleet, the executor of its members, and the last displayed state."""

    def __init__(
        self,
        fleet: Fleet,
        where: Callable[[Fleet], MemberExecutor],
        timeout_s: float,
        now_ms: float | None = None,
        read: Callable[[], Fleet] | None = None,
    ) -> None:
        """Creates the fleet; ``where`` returns an executor for its members.

        ``where`` is called at the first question and after the members change. ``read`` returns the current fleet from
        its file or the named places.
        """
        self.fleet = fleet
        self.timeout_s = timeout_s
        self.now_ms = now_ms
        """The simulated time of the answers; None for the time of each question."""
        self.state = FleetState(fleet)
        self.selection = FleetSelection()
        self.interrupted = False
        """True if a question was stopped because the app was left."""
        self._read = read
        self._make = where
        self._where: MemberExecutor | None = None
        self._placed: tuple[Member, ...] = ()
        """The members that the executor was created for."""
        self._asking = threading.Lock()

    def read(self) -> Fleet:
        """Returns the fleet as it is now. Blocks. Raises :class:`brvtui.fleet.fleet_file.FleetError` and OSError."""
        return self.fleet if self._read is None else self._read()

    @contextmanager
    def asker(self, replied: Replied, stopped: Stopped, fresh_s: float = FRESH_S) -> Iterator[Asker]:
        """Yields an object that queries the members. Only one thread at a time can use it; other threads wait. Blocks.

        Raises :class:`brvtui.fleet.fleet_file.FleetError` and OSError if nothing can be started.
        """
        with self._asking:
            fleet = self.fleet
            if self._where is not None and self._placed != fleet.members:
                self._where.close()
                self._where = None
            if self._where is None:
                self._where, self._placed = self._make(fleet), fleet.members
            now_ms = system_clock() if self.now_ms is None else self.now_ms
            yield Asker(self._where, now_ms, self.timeout_s, fresh_s, replied, stopped)

    def close(self) -> None:
        """Stops the executor."""
        if self._where is not None:
            self._where.close()
