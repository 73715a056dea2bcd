"""Opens and reads a project. Every function blocks, so call it in a worker thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brvtui import faults
from brvtui.app.states import WatchState
from brvtui.app.workers import Refusal
from brvtui.garbage import limit_freed_memory

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

_SAMPLES = 3


class Opening(NamedTuple):
    """The project or saved trace to open, with the command-line options."""

    start: Path | None = None
    profile: str | None = None
    now_ms: float | None = None
    signals_file: Path | None = None
    repository: Path | None = None
    """The repository whose code is opened instead of a project."""
    space: str = ""
    """The name of the space to open, regardless of ``start``."""
    root: Path | None = None
    """The tree of the space to open; it has precedence over the name."""
    memory: str = ""
    """The memory to open if the project has two (:class:`brvtui.store.app_state.MemoryChoice`)."""
    query: str = ""
    """The initial text of the query field."""
    note: str = ""
    """The note to select initially."""
    tour: Path | None = None
    """The file to write once the guided tour has been shown; None if the tour is not offered."""
    engine: str = ""
    """The engine to use; empty for the engine from the settings."""
    fleet: OpenFleet | None = None
    """The fleet to open beside the project."""
    member: str = ""
    """The fleet member to open as the project; with a fleet but no member, no project is opened."""

    @property
    def is_fleet_alone(self) -> bool:
        """True if a fleet is opened without a project."""
        return self.fleet is not None and not self.member


class OpenedProject(NamedTuple):
    """A session, and the store of the user's choice if the project has both a context tree and a space."""

    session: Session
    choice: MemoryChoice | None = None
    is_chosen: bool = False
    """True if the user has chosen between the context tree and the space."""


class TreeRead(NamedTuple):
    """The data of a newly published snapshot that the app shows."""

    overview: Overview
    history: tuple[str, ...]
    """The queries that were run, oldest first."""


def open_session(opening: Opening) -> OpenedProject | SettingProblem:
    """Opens the project and reads its settings; returns the setting that prevents this, if there is one.

    Raises :class:`Refusal` for other problems.
    """
    from brvtui.config import ConfigError
    from brvtui.config.schema import UnusableSetting
    from brvtui.tree.reading.project import ProjectError
    from brvtui.typed_tables import ProfileError

    limit_freed_memory()
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
    """Opens the project. Of two memories, opens the chosen one, or else the one for the engine in the settings."""
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
    if session.kind.engine and memory == choice.TREE:  # the settings name this engine, but the user chose the tree
        session.close()
        session = _session(opening, kinds.TREE.native)
    return OpenedProject(session, choice, bool(memory) or bool(session.kind.engine))


def _session(opening: Opening, engine: str = "") -> Session:
    """Opens a session for ``opening``; ``engine``, if not empty, replaces its engine."""
    from brvtui.session import Session
    from brvtui.tree.spaces.project import NamedSpace

    named = NamedSpace(opening.space, opening.root) if opening.space or opening.root is not None else None
    given_by = {"engine": "the memory that you chose"} if engine not in ("", opening.engine) else {}
    if opening.member:
        given_by = dict.fromkeys(("engine", "profile"), f"the fleet's entry for {opening.member}")
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
    """Stores the user's choice of memory. Raises :class:`Refusal` if that fails."""
    try:
        choice.write(memory)
    except OSError as error:
        raise Refusal(f"the choice cannot be saved: {faults.error_line(error, choice.path)}") from error


def read_saved(file: Path) -> tuple[SavedTrace, Overview]:
    """Reads a saved trace; returns it with an overview of the notes in it. Raises :class:`Refusal` if that fails."""
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
    """Reads changes on disk.

    Returns None if generation ``shown`` is still the newest. Raises :class:`Refusal` on errors. During the first
    reading, ``progressed`` is called with the number of files read and the total.
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


def samples(session: Session) -> tuple[str, ...]:
    """Returns at most three queries for the user to start with: judged ones, then logged ones."""
    from brvtui.lab.judgments.file import JudgmentsFile
    from brvtui.lab.judgments.model import JudgmentsError
    from brvtui.session.edit_effect import asked_last

    try:
        judgments = JudgmentsFile.of(session.project).read()
    except JudgmentsError:
        judgments = ()  # the Lab shows the problem
    known = judgments if len(judgments) >= _SAMPLES else (*judgments, *asked_last(session))
    return tuple(dict.fromkeys(one.text for one in known if not one.scope))[:_SAMPLES]


def keep(session: Session) -> None:
    """Stores the index for the next start. Raises :class:`Refusal` if that fails."""
    try:
        session.keep()
    except OSError as error:
        what = faults.error_line(error, "the cache folder")
        raise Refusal(f"{what}; until then, all notes are read again at every start") from error


def follow_texts(session: Session) -> IndexState:
    """Updates the text index and returns its state. Blocks."""
    return session.finder.follow()


def watch(session: Session, changed: Callable[[], None], report: Callable[[WatchState], None]) -> None:
    """Watches the tree; calls ``changed`` after changes, and ``report`` with the state of watching."""
    if not session.settings.watch:
        report(WatchState(why="turned off in the settings"))
        return

    def report_state(watching: Watching) -> None:
        report(WatchState(True, watching.why, watching.poll_seconds))

    report_state(session.watch(changed, report_state))
