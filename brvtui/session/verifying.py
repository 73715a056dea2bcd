"""Verifies an open project's engine by running the same queries with the installed engine and with the tool's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui import programs
from brvtui.engines.contract import Verifies
from brvtui.engines.profile_files import EngineVersion, tree_profile
from brvtui.engines.verification.installed import InstalledEngine, NotInstalled, find_node
from brvtui.engines.verification.results import Verification, VerificationRun, made_questions
from brvtui.engines.verification.sealed_node import sealed_node
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgmentsError
from brvtui.store.app_state import VerifiedVersion, remember_verified, verified_versions

if TYPE_CHECKING:
    from brvtui.session.session import Session

_MOST_LOGGED = 500
MOST_QUESTIONS, MOST_OF_SPACE = 226, 30
_MS_PER_SECOND = 1000.0


@dataclass(frozen=True, slots=True)
class VerificationStatus:
    """The engine installed on this machine for a project, and its last verification."""

    installed: InstalledEngine | None
    problem: str
    """The reason why no engine was found, with the remedy; empty if one was found."""
    last: VerifiedVersion | None
    """The last verification; None if this version has never been verified on this machine."""
    profile: str
    """The profile for this engine, chosen by the engine's version and a space's marker."""
    versions: str
    """The versions that the profile describes, such as ``3.14``."""
    is_known: bool
    """True if the profile describes the installed version, or if no engine is installed."""

    @property
    def sentence(self) -> str:
        """The status in one sentence."""
        if self.installed is None:
            return self.problem
        if self.last is None:
            if not self.is_known:
                why = f"but profile {self.profile} describes {self.versions}"
                return (
                    f"{self.installed.name} is installed, {why}: brv-tui verify checks whether its answers are the same"
                )
            return f"{self.installed.name} is installed, but has not been verified on this machine: run brv-tui verify"
        day = time.strftime("%Y-%m-%d", time.gmtime(self.last.at_ms / _MS_PER_SECOND))
        return f"{self.last.same} of {self.last.queries} answers match {self.last.engine}, over {self.last.over}, {day}"


def installed_engine(session: Session, named: Path | None = None) -> InstalledEngine:
    """The installed engine for the project of ``session``: ByteRover 3's package, or V4's bundle for a space.

    Raises :class:`brvtui.engines.verification.installed.NotInstalled`.
    """
    return _engine(session).find_installed(named, programs.environment(session.project.root))


def _engine(session: Session) -> Verifies:
    engine = session.engines.named(session.kind.native)
    assert isinstance(engine, Verifies)
    return engine


def verification_status(session: Session, named: Path | None = None) -> VerificationStatus:
    """The status of the engine installed for the project of ``session``. Runs no query."""
    profile, versions, described = _described(session)
    try:
        found = installed_engine(session, named)
    except NotInstalled as error:
        return VerificationStatus(None, str(error), None, profile, versions, True)
    last = next((one for one in verified_versions() if one.engine == found.name), None)
    return VerificationStatus(found, "", last, profile, versions, described.covers(found.version))


def _described(session: Session) -> tuple[str, str, EngineVersion]:
    """The profile for the engine of ``session``, and the engine versions that it describes: as text and as a range."""
    constants = session.engines.named(session.kind.native).constants()
    described = constants.engine
    until = getattr(described, "until", described.version)
    first, last = (".".join(version.split(".")[:2]) for version in (described.version, until))
    versions = first if first == last else f"{first} to {last}"
    return constants.name, versions, EngineVersion(described.name, described.version, until)


def questions(session: Session, most: int | None = None) -> list[str]:
    """At most ``most`` different questions: judged ones, logged ones, then some generated from the notes.

    If ``most`` is None, returns as many as can run in about a minute: 226, or 30 for a space.
    """
    most = most or (MOST_OF_SPACE if session.kind.is_html else MOST_QUESTIONS)
    queries: dict[str, None] = {}
    with suppress(JudgmentsError):  # brv-tui judge reports problems with the file; other queries can be used as well
        queries.update(dict.fromkeys(one.text for one in JudgmentsFile.of(session.project).read()))
    queries.update(dict.fromkeys(entry.query for entry in session.logbook.read(_MOST_LOGGED)))
    queries.update(dict.fromkeys(made_questions(session.snapshot, most)))
    return [query for query in queries if query.strip()][:most]


def _silent(done: int, of: int) -> None:
    pass


def verify(
    session: Session,
    queries: Sequence[str],
    named: Path | None = None,
    progress: Callable[[int, int], None] = _silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Verification | None:
    """Runs ``queries`` over a copy of the project with both the installed engine and the tool's own. Stores the result.

    The installed engine is the one at ``named`` or, if that is not given, one that is found. Writes nothing to the
    project. Returns None if ``cancelled`` returns True. Raises
    :class:`brvtui.engines.verification.installed.NotInstalled`,
    :class:`brvtui.engines.verification.sealed_node.EngineRunError` and OSError.
    """
    found = installed_engine(session, named)
    variables = programs.environment(session.project.root)
    sealed = sealed_node(find_node(variables), variables)
    reading = tree_profile()
    snapshot, now_ms = session.snapshot, session.clock()
    result = _engine(session).verify(
        VerificationRun(found, sealed, snapshot, reading, queries, now_ms, progress, cancelled)
    )
    if result is not None:
        at_ms = time.time() * _MS_PER_SECOND
        remember_verified(VerifiedVersion(result.engine, at_ms, result.queries, result.same, result.over))
    return result
