"""Verifies the installed engine in the background, and shows the effect of a migration to ByteRover V4."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from brvtui import programs
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal, is_cancelled

if TYPE_CHECKING:
    from brvtui.app.versions.migration_dialog import ShownMigration
    from brvtui.engines.verification.results import Verification
    from brvtui.session import Session
    from brvtui.session.verifying import VerificationStatus

_ASKING = "verification is running in the background; you can continue here"
_RESULT_S = 20


class Versions:
    """Shows and verifies the installed engine, and previews the migration from version 3 to 4."""

    def __init__(self, services: AppServices, project: Project) -> None:
        self._services = services
        self._project = project
        self.result: Verification | None = None
        """The last verification in this session; None if there was none."""
        self.is_asking = False
        """True while the installed engine is being queried."""

    def show(self) -> None:
        """Shows the installed engine and its verification, and offers to verify it or to preview V4."""
        session = self._project.session
        if self._project.refuses() or session is None:
            return
        run = self._services.background.run
        run(partial(_status, session), self._show_status, group="versions", exclusive=True)

    def _show_status(self, status: VerificationStatus) -> None:
        from brvtui.app.versions.migration_dialog import MIGRATE, VERIFY, VersionsDialog

        def chosen(what: str | None) -> None:
            if what == VERIFY:
                self.verify()
            elif what == MIGRATE:
                self.migrate()

        is_tree = not self._services.store.view.kind.is_html
        self._services.push_screen(VersionsDialog(status, self.result, self.is_asking, is_tree), chosen)

    def warn(self) -> None:
        """Shows a warning if the installed engine has an unknown version that was not verified here."""
        session = self._project.session
        if session is not None and not session.kind.not_verified:
            self._services.background.run(partial(_warning, session), self._warn, group="versions")

    def _warn(self, warning: str) -> None:
        if warning:
            self._services.notify(warning, severity="warning", timeout=_RESULT_S)

    def verify(self) -> None:
        """Runs the same queries in the installed engine and in the app's own engine, and shows the result."""
        session = self._project.session
        if session is None or self.is_asking:
            return
        self.is_asking = True
        self._services.notify(_ASKING, timeout=4)
        run = self._services.background.run
        run(partial(_verified, session), self._verified, group="verify", on_end=self._ended)

    def _ended(self) -> None:
        self.is_asking = False

    def _verified(self, result: Verification | None) -> None:
        if result is None:
            return
        self.result = result
        if result.differences:
            message = f"{result.sentence}; {self._services.shown_key('engine.installed')} shows the first differences"
            self._services.notify(message, severity="warning", timeout=_RESULT_S)
        else:
            self._services.notify(result.sentence, timeout=_RESULT_S)

    def migrate(self) -> None:
        """Shows the effect of a migration to V4."""
        session = self._project.session
        if session is not None:
            run = self._services.background.run
            run(partial(_migration, session), self._migrated, group="migrate", exclusive=True)

    def _migrated(self, shown: ShownMigration) -> None:
        from brvtui.app.versions.migration_dialog import MigrationDialog

        self._services.push_screen(MigrationDialog(shown))


def _status(session: Session) -> VerificationStatus:
    """Returns the installed engine and its verification. Blocks. Raises :class:`Refusal` if it cannot be verified."""
    from brvtui.app.versions import migration_dialog  # noqa: F401  # imported here, not in the event loop
    from brvtui.session.verifying import verification_status

    if why := session.kind.not_verified:
        raise Refusal(why)
    return verification_status(session)


def _warning(session: Session) -> str:
    """Returns a warning if the version is unknown and was not verified here; otherwise empty. Blocks."""
    from brvtui.engines.verification.installed import is_at_hand

    if not is_at_hand(session.kind, programs.environment(session.project.root)):
        return ""
    status = _status(session)
    return status.sentence.replace("brv-tui verify", "W") if not status.is_known and status.last is None else ""


def _verified(session: Session) -> Verification | None:
    from brvtui.engines.verification.installed import NotInstalled
    from brvtui.engines.verification.sealed_node import EngineRunError
    from brvtui.session.verifying import questions, verify

    try:
        return verify(session, questions(session), cancelled=is_cancelled)
    except (NotInstalled, EngineRunError) as error:
        raise Refusal(str(error)) from error


def _migration(session: Session) -> ShownMigration:
    """Returns the space that a migration would create, and the answers of both engines. Blocks."""
    from brvtui.app.versions.migration_dialog import ShownMigration
    from brvtui.engines.contract import EngineError
    from brvtui.lab.judgments.file import JudgmentsFile
    from brvtui.lab.judgments.model import JudgmentsError
    from brvtui.lab.judgments.reading import affordable
    from brvtui.session.migrating import asked_queries, migrated, migration_report

    try:
        tree = migrated(session)
        judgments = JudgmentsFile.of(session.project).read()
        judged = affordable(judgments, 2)
        report = migration_report(session, asked_queries(session, judged=judged), tree=tree)
        return ShownMigration(tree, report, len(judgments) - len(judged))
    except (EngineError, JudgmentsError) as error:
        raise Refusal(str(error)) from error
