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
    from brvtui.app.project.open_fleet import OpenFleet
    from brvtui.config.schema import SettingProblem
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session
    from brvtui.session.finding import IndexState
    from brvtui.store.app_state import MemoryChoice
    from brvtui.tree.watching.watch import Watching


class Opening(NamedTuple):
    """The project or saved trace to open, with the options of the command line."""

    start: Path | None = None
    profile: str | None = None
    now_ms: float | None = None
    signals_file: Path | None = None
    repository: Path | None = None
    """The repository whose code is opened in place of a project."""
    space: str = ""
    """The name of the space that is opened, whatever is in ``start``."""
    root: Path | None = None
    """The tree of the space that is opened; it goes before its name."""
    memory: str = ""
    """Which memory is opened of a project that has two (:class:`brvtui.store.app_state.MemoryChoice`)."""
    query: str = ""
    """What stands in the query's field once the project is read."""
    note: str = ""
    """The note that is selected then."""
    engine: str = ""
    """The engine that answers, whatever is set; empty for that of the settings."""
    fleet: OpenFleet | None = None
    """The fleet that is open beside the project."""
    member: str = ""
    """The member of the fleet whose memory the project is; with a fleet and without a member, no project is opened."""

    @property
    def is_fleet_alone(self) -> bool:
        """Whether a fleet is opened without a project."""
        return self.fleet is not None and not self.member


class OpenedProject(NamedTuple):
    """A session, and, for a project that has a context tree and a space, where the choice is kept."""

    session: Session
    choice: MemoryChoice | None = None
    is_chosen: bool = False
    """Whether the user chose one of the two, now or before."""


class TreeRead(NamedTuple):
    """A newly published snapshot, as the app shows it."""

    overview: Overview
    history: tuple[str, ...]
    """The queries that were run, oldest first."""


def open_session(opening: Opening) -> OpenedProject | SettingProblem:
    """Opens the project and reads its settings; returns the setting that keeps it closed, if one does.

    Raises :class:`Refusal`.
    """
    from brvtui.config import ConfigError
    from brvtui.config.schema import UnusableSetting
    from brvtui.tree.reading.project import ProjectError
    from brvtui.typed_tables import ProfileError

    try:
        if opening.space or opening.member or opening.root is not None or opening.repository is not None:
            return OpenedProject(_session(opening))
        return _opened_of_two(opening)
    except UnusableSetting as error:
        return error.problem
    except (ProjectError, ConfigError, ProfileError) as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(faults.error_line(error, opening.start or "")) from error


def _opened_of_two(opening: Opening) -> OpenedProject:
    """The session of the memory that was chosen where the project has two; of the context tree until then."""
    from brvtui.engines.registry import kind_of
    from brvtui.store.app_state import MemoryChoice
    from brvtui.tree.reading import kinds
    from brvtui.tree.spaces.project import has_both

    tree = has_both(opening.start)
    if tree is None:
        return OpenedProject(_session(opening))
    choice = MemoryChoice(tree)
    of_engine = "" if not opening.engine else choice.SPACE if kind_of(opening.engine).engine else choice.TREE
    memory = opening.memory or of_engine or choice.read()
    session = _session(opening, kinds.SPACE.engine if memory == choice.SPACE else "")
    if session.kind.engine and memory == choice.TREE:  # the settings name it; the user chose otherwise
        session.close()
        session = _session(opening, kinds.TREE.native)
    return OpenedProject(session, choice, bool(memory) or bool(session.kind.engine))


def _session(opening: Opening, engine: str = "") -> Session:
    """The session of ``opening``, answered by ``engine``, that of the chosen memory, in place of the opening's own."""
    from brvtui.session import Session
    from brvtui.tree.spaces.project import NamedSpace

    named = NamedSpace(opening.space, opening.root) if opening.space or opening.root is not None else None
    given_by = {"engine": "the memory that you chose"} if engine not in ("", opening.engine) else {}
    if opening.member:
        given_by = dict.fromkeys(("engine", "profile"), f"the fleet's entry of {opening.member}")
    return Session.open(
        opening.start,
        None if opening.memory else opening.profile,
        opening.now_ms,
        opening.signals_file,
        tolerant=True,
        engine=engine or opening.engine,
        repository=opening.repository,
        space=named,
        given_by=given_by,
    )


def remember(choice: MemoryChoice, memory: str) -> None:
    """Keeps which memory the user chose. Raises :class:`Refusal`."""
    try:
        choice.write(memory)
    except OSError as error:
        raise Refusal(f"the choice is not kept: {faults.error_line(error, choice.path)}") from error


def read_saved(file: Path) -> tuple[SavedTrace, Overview]:
    """Reads a saved trace, and returns it with what it says about its tree. Raises :class:`Refusal`."""
    from brvtui.app.overview import remembered
    from brvtui.saved.traces import SavedError, read
    from brvtui.text.visible import bounded

    try:
        saved = read(file)
    except SavedError as error:
        raise Refusal(str(error)) from error
    return saved, remembered(bounded(saved.trace))


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


def follow_texts(session: Session) -> IndexState:
    """Brings the text index up to date, and returns its state. Blocks."""
    return session.finder.follow()


def watch(session: Session, changed: Callable[[], None], report: Callable[[WatchState], None]) -> None:
    """Watches the tree: calls ``changed`` after changes, and ``report`` with how watching works, now and later."""
    if not session.settings.watch:
        report(WatchState(why="turned off in the settings"))
        return

    def report_state(watching: Watching) -> None:
        report(WatchState(True, watching.why, watching.poll_seconds))

    report_state(session.watch(changed, report_state))
