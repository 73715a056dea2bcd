"""The controller of the Health screen: checks the memory in a worker, and looks up where notes come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.lab.health.finding import Finding, HealthReport

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.session.origins import NoteOrigin
    from brvtui.tree.engine_files.curate_log import Curation

_CHECK = "health"


class HealthChecks:
    """Checks the memory when the screen shows it, and again after changes."""

    def __init__(self, services: AppServices, project: Project) -> None:
        self._services = services
        self._project = project
        self._checked: object = None
        """The notes and the engine of the last check."""
        self._requested: set[str] = set()
        """The notes whose origin was requested since the last check."""

    def follow(self) -> None:
        """Checks the memory, unless it has not changed since the last check, or the user stopped checking."""
        view = self._services.store.view
        state = (view.project.overview, view.engine.name, view.engine.profile)
        if view.project.overview is not None and state != self._checked and not view.health.stopped:
            self._checked = state
            self.check()

    def check(self) -> None:
        """Checks the memory again; an unfinished check is cancelled."""
        session, store = self._project.session, self._services.store
        if session is None:
            return
        store.update(store.view.health._replace(total=1, done=0, stopped=False, problem=""))
        progressed = self._services.background.relay(self._progressed)
        task = partial(_check, session, progressed)
        self._services.background.run(task, self._were_found, group=_CHECK, exclusive=True, on_error=self._failed)

    def stop(self) -> None:
        """Stops the running check; if none is running, checks again."""
        store = self._services.store
        if not store.view.health.total:
            self.check()
            return
        self._services.background.cancel(_CHECK)
        store.update(store.view.health._replace(total=0, stopped=True))

    def _progressed(self, done: int, total: int) -> None:
        store = self._services.store
        if store.view.health.total:
            store.update(store.view.health._replace(done=done, total=max(total, 1)))

    def _were_found(self, found: tuple[HealthReport, Sequence[Curation]]) -> None:
        store, (report, reviews) = self._services.store, found
        self._requested.clear()
        store.update(store.view.health._replace(report=report, reviews=tuple(reviews), total=0, origins={}))

    def _failed(self, why: str) -> None:
        store = self._services.store
        store.update(store.view.health._replace(problem=why, total=0))

    def ignore(self, findings: Sequence[Finding]) -> None:
        """Ignores ``findings``, or lists those again that are ignored."""
        session, report = self._project.session, self._services.store.view.health.report
        if session is not None and report is not None:
            task = partial(_ignore, session, findings, report)
            self._services.background.run(task, lambda _: self.check(), group="ignore finding")

    def look_up(self, paths: Sequence[str]) -> None:
        """Looks up where the notes at ``paths`` come from, once after each check."""
        session = self._project.session
        new = [path for path in paths if path not in self._requested]
        if session is not None and new:
            self._requested.update(new)
            self._services.background.run(partial(_origins, session, new), self._looked_up, group="origins")

    def _looked_up(self, origins: Sequence[NoteOrigin]) -> None:
        store = self._services.store
        known = {**store.view.health.origins, **{origin.path: origin for origin in origins}}
        store.update(store.view.health._replace(origins=known))


def _check(session: Session, progressed: Callable[[int, int], None]) -> tuple[HealthReport, Sequence[Curation]]:
    from brvtui.engines.contract import EngineError
    from brvtui.session.health import HealthCheckCancelled
    from brvtui.session.origins import curations
    from brvtui.tree.engine_files.curate_log import PENDING

    try:
        report = session.health.report(cancelled=is_cancelled, progress=progressed)
    except (HealthCheckCancelled, EngineError) as error:
        raise Refusal(str(error)) from error
    return report, [each for each in curations(session) if each.review == PENDING]


def _ignore(session: Session, findings: Sequence[Finding], report: HealthReport) -> None:
    for finding in findings:
        (session.health.restore if finding in report.ignored else session.health.ignore)(finding)


def _origins(session: Session, paths: Sequence[str]) -> list[NoteOrigin]:
    from brvtui.session.origins import origin_of

    return [origin_of(session, path) for path in paths]
