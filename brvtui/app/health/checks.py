"""The controller of the Health screen, which checks the memory and runs the panes' requests in workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from textual.message import Message

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.engines.contract import EngineError
from brvtui.lab.health.finding import Finding, HealthReport
from brvtui.session.origins import curations
from brvtui.tree.engine_files.curate_log import PENDING, Curation
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.session import Session


@dataclass
class SessionRequest(Message):
    """Posted to run ``find`` in a worker and pass its result to ``show``; cancels the previous request of the
    ``group``.
    """

    group: str
    find: Callable[[Session], Any]
    show: Callable[[Any], object]


class HealthChecks:
    """Checks the memory when the screen shows it, and again after changes."""

    def __init__(self, services: AppServices, project: Project) -> None:
        self._services = services
        self._project = project
        self._checked: object = None
        """The notes and the engine of the last check."""
        self._ignored: list[tuple[Session, Sequence[Finding], int]] = []
        """The ignored findings of each memory, with the number of changes of notes at that time."""
        self._puts: deque[tuple[Session, Sequence[Finding], bool]] = deque()
        """Findings to ignore or to list again, in order; workers may start in any order."""
        self._putting = Lock()

    def follow(self) -> None:
        """Checks the memory, unless it has not changed since the last check."""
        view = self._services.store.view
        state = (view.project.overview, view.engine.name, view.engine.profile)
        if view.project.overview is not None and state != self._checked:
            self._checked = state
            self.check()

    def check(self) -> None:
        """Checks the memory again; an unfinished check is cancelled."""
        self._update(problem="", is_checking=True)
        self.run(SessionRequest("health", _check, self._were_found), self._failed)

    def run(self, request: SessionRequest, failed: Callable[[str], object] | None = None) -> None:
        """Runs ``request``, or calls ``failed`` with the reason why that is impossible."""
        session = self._project.session
        if session is not None:
            run, task = self._services.background.run, partial(request.find, session)
            run(task, request.show, group=request.group, exclusive=True, on_error=failed)

    def _update(self, **changes: Any) -> None:
        self._services.store.update(self._services.store.view.health._replace(**changes))

    def _were_found(self, found: tuple[HealthReport, tuple[Curation, ...]]) -> None:
        self._update(report=found[0], reviews=found[1], is_checking=False)

    def _failed(self, why: str) -> None:
        self._update(problem=why, is_checking=False)

    def ignore(self, findings: Sequence[Finding]) -> None:
        """Ignores ``findings``; if all are already ignored, lists them again."""
        report, session = self._services.store.view.health.report, self._project.session
        if report is None or session is None or not findings:
            return
        is_ignored = not all(each in report.ignored for each in findings)
        if is_ignored:
            self._ignored.append((session, findings, session.notes.journal.depth))
        else:
            self._ignored.clear()
        self._put(session, findings, is_ignored)

    def take_back(self) -> bool:
        """Lists the last ignored findings again, unless notes were changed later; returns True if there were any."""
        session = self._project.session
        if session is None or not self._ignored:
            return False
        of_session, findings, depth = self._ignored[-1]
        if of_session is not session or depth < session.notes.journal.depth:
            return False
        self._ignored.pop()
        self._put(session, findings, False)
        return True

    def _put(self, session: Session, findings: Sequence[Finding], is_ignored: bool) -> None:
        self._puts.append((session, findings, is_ignored))
        self.run(SessionRequest("ignore finding", self._put_all, lambda _: self.check()))
        message = counted(len(findings), "finding is listed", "findings are listed")
        message += " last, as ignored; {note.undo} takes that back" if is_ignored else " again"
        self._services.notify(self._services.with_keys(message), timeout=6)

    def _put_all(self, _: Session) -> None:
        with self._putting:
            while self._puts:
                session, findings, is_ignored = self._puts.popleft()
                for finding in findings:
                    (session.health.ignore if is_ignored else session.health.restore)(finding)


def _check(session: Session) -> tuple[HealthReport, tuple[Curation, ...]]:
    try:
        report = session.health.report(cancelled=is_cancelled)
    except EngineError as error:
        raise Refusal(str(error)) from error
    return report, tuple(each for each in curations(session) if each.review == PENDING)
