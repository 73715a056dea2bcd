"""Opens and reads a project. Every function blocks: call it in a worker thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brvtui import faults
from brvtui.app.states import WatchState
from brvtui.app.workers import Refusal

if TYPE_CHECKING:
    from brvtui.app.contents import Overview
    from brvtui.app.overview import OverviewBuilder
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session
    from brvtui.tree.watching.watch import Watching


class Opening(NamedTuple):
    """The project or saved trace to open, with the options of the command line."""

    start: Path | None = None
    profile: str | None = None
    now_ms: float | None = None
    signals_file: Path | None = None
    repository: Path | None = None
    """The repository whose code is opened in place of a project."""


class TreeRead(NamedTuple):
    """A newly published snapshot, as the app shows it."""

    overview: Overview
    history: tuple[str, ...]
    """The queries that were run, oldest first."""


def open_session(opening: Opening) -> Session:
    """Opens the project and reads its settings. Raises :class:`Refusal`."""
    from brvtui.config import ConfigError
    from brvtui.session import Session
    from brvtui.tree.reading.project import ProjectError
    from brvtui.typed_tables import ProfileError

    try:
        return Session.open(
            opening.start,
            opening.profile,
            opening.now_ms,
            opening.signals_file,
            tolerant=True,
            repository=opening.repository,
        )
    except (ProjectError, ConfigError, ProfileError) as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(faults.error_line(error, opening.start or "")) from error


def read_saved(file: Path) -> tuple[SavedTrace, Overview]:
    """Reads a saved trace, and returns it with what it says about its tree. Raises :class:`Refusal`."""
    from brvtui.app.overview import remembered
    from brvtui.saved.traces import SavedError, read

    try:
        saved = read(file)
    except SavedError as error:
        raise Refusal(str(error)) from error
    return saved, remembered(saved.trace)


def read_tree(
    session: Session, overviews: OverviewBuilder, shown: int = 0, progressed: Callable[[int, int], None] | None = None
) -> TreeRead | None:
    """Reads what changed on disk. Returns None if generation ``shown`` is still the newest. Raises :class:`Refusal`.

    The first time, ``progressed`` is called with the number of files read so far, and of all files.
    """
    from brvtui.tree.reading.project import ProjectError
    from brvtui.tree.reading.signals import SignalsError

    try:
        if session.is_loaded:
            session.refresh()
        else:
            session.load(progressed)
    except (SignalsError, ProjectError) as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(faults.error_line(error, session.project.tree)) from error
    if session.snapshot.generation == shown:
        return None
    return TreeRead(overviews.build(session.snapshot), tuple(session.history.read()))


def keep(session: Session) -> None:
    """Keeps the index for the next start. Raises :class:`Refusal`."""
    try:
        session.keep()
    except OSError as error:
        what = faults.error_line(error, "the cache folder")
        raise Refusal(f"{what}; until then each start has to read every note again") from error


def watch(session: Session, changed: Callable[[], None], report: Callable[[WatchState], None]) -> None:
    """Watches the tree: calls ``changed`` after changes, and ``report`` with how watching works, now and later."""
    if not session.settings.watch:
        report(WatchState(why="turned off in the settings"))
        return

    def report_state(watching: Watching) -> None:
        report(WatchState(True, watching.why, watching.poll_seconds))

    report_state(session.watch(changed, report_state))
