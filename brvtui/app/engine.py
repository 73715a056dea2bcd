"""The engine as the Query screen's workers call it: every method blocks and is meant for a thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from brvtui import faults
from brvtui.app.ask import Ask
from brvtui.app.messages import (
    AroundRead,
    CacheSeen,
    Changed,
    Detailed,
    EngineAnswered,
    Explained,
    Failed,
    FilesSeen,
    Loaded,
    LogCompared,
    Logged,
    LogRead,
    NoteRead,
    Opened,
    PageRead,
    Prepared,
    ProfileSwitched,
    Progressed,
    Refused,
    Reopened,
    SimilarFound,
    TakesFound,
    Traced,
    WatchBegun,
)
from brvtui.app.states import NoteText, SimilarNotes
from brvtui.config.sources import Layer
from brvtui.trace import Detail, Trace

if TYPE_CHECKING:
    from brvtui.app.overview import Surveyor
    from brvtui.session import Session
    from brvtui.tree.engine_files.logged_query import LoggedQuery
    from brvtui.tree.watching.watch import Watching

MOST_SIMILAR = 12
Post = Callable[[Message], bool]
_MOST_LOGGED = 2_000


def open_project(
    start: Path | None,
    profile: str | None,
    now_ms: float | None,
    signals_file: Path | None,
    surveyor: Surveyor,
    post: Post,
) -> Session | None:
    """Opens and reads the project; posts Opened, Progressed and Loaded, or Failed. None when there is none."""
    from brvtui.config import ConfigError
    from brvtui.engines.byterover.profile import ProfileError
    from brvtui.session import Session
    from brvtui.tree.reading.project import ProjectError

    try:
        session = Session.open(start, profile, now_ms, signals_file, tolerant=True)
    except (ProjectError, ConfigError, ProfileError) as error:
        post(Failed(str(error)))
        return None
    except OSError as error:
        post(Failed(faults.line(error, start or "")))
        return None
    import_painters(session.engine)
    post(Opened(session))
    if not read_tree(session, surveyor, post):
        session.close()
        return None
    return session


def import_painters(engine: str) -> None:
    """Imports what paints an answer of ``engine``, so that the first one need not wait for it.

    It takes longer than all that the first screen shows without an answer.
    """
    from brvtui.app.paint import model, takes  # noqa: F401
    from brvtui.engines.registry import presentation
    from brvtui.paint import hits, score  # noqa: F401

    presentation(engine)


def reopen(file: Path, post: Post) -> None:
    """Reads the saved trace in ``file``; posts Reopened, or Failed."""
    from brvtui.app.overview import remembered
    from brvtui.saved.traces import SavedError, read

    try:
        saved = read(file)
    except SavedError as error:
        post(Failed(str(error)))
        return
    import_painters(saved.trace.engine)
    post(Reopened(saved, saved.trace, remembered(saved.trace)))


def read_tree(session: Session, surveyor: Surveyor, post: Post, shown: int = 0) -> bool:
    """Reads what changed on disk; posts Loaded unless generation ``shown`` is the newest. False: it cannot be read."""
    from brvtui.tree.reading.signals import SignalsError

    def progress(done: int, total: int) -> None:
        post(Progressed(done, total))

    try:
        if session.is_loaded:
            session.refresh()
        else:
            session.load(progress)
    except SignalsError as error:
        post(Failed(str(error)))
        return False
    except OSError as error:
        post(Failed(faults.line(error, session.project.tree)))
        return False
    if session.snapshot.generation != shown:
        post(Loaded(surveyor.survey(session.snapshot), session.history.read()))
    return True


def keep(session: Session, post: Post) -> None:
    """Keeps what was read for the next start; posts Failed when the tool's cache folder cannot be written."""
    try:
        session.keep()
    except OSError as error:
        what = faults.line(error, "the cache folder")
        post(Failed(f"{what}; until then each start has to read every note again"))


def use_profile(session: Session, name: str, surveyor: Surveyor, post: Post) -> None:
    """Switches to another profile, reads the tree with it, and posts ProfileSwitched."""
    session.use_profile(name)
    if read_tree(session, surveyor, post):
        post(ProfileSwitched(session.profile.name, session.profile.summary))


def watch(session: Session, post: Post) -> None:
    """Begins watching, which posts Changed, and posts how that works, now and later, or that it is not wanted."""
    if not session.settings.watch:
        post(WatchBegun(False, "turned off in the settings"))
        return

    def changed() -> None:
        post(Changed())

    def told(watching: Watching) -> None:
        post(WatchBegun(watching.active, watching.why, watching.poll_seconds))

    told(session.watch(changed, told))


def answer(
    session: Session,
    ask: Ask,
    engine: str,
    mode: str,
    surveyor: Surveyor,
    post: Post,
    run: bool,
    serves: bool = True,
) -> None:
    """Probes or runs, and posts Traced or Refused; a run also joins the history and the log.

    A run ``serves`` when a probe of the same request goes on beside it.
    """
    from brvtui.engines.contract import EngineError

    before = session.snapshot.generation
    started = time.perf_counter()
    options = {"mode": mode} if mode else {}
    asks = session.run if run else session.probe
    try:
        trace = asks(ask.query, ask.scope, engine, options)
    except EngineError as error:
        post(Refused(str(error)))
        return
    took_ms = (time.perf_counter() - started) * 1000
    tell(session, ask, trace, took_ms, before, surveyor, post, run and serves)
    if run:
        log(session, trace, took_ms, post)


def tell(
    session: Session,
    ask: Ask,
    trace: Trace,
    took_ms: float,
    before: int,
    surveyor: Surveyor,
    post: Post,
    serves: bool = False,
) -> None:
    """Posts Traced for ``trace``, made since generation ``before`` was the newest; a run's query joins the history."""
    explained = _detail(session, trace, trace.hits[0].file) if trace.hits else None
    history, problem = _remembered(session, ask.query) if trace.ran else (None, "")
    if trace.ran and session.recording and session.snapshot.generation != before:
        post(Loaded(surveyor.survey(session.snapshot), session.history.read(), by_the_run=True))
    post(Traced(ask.number, trace, took_ms, explained, history, problem, serves))


def log(session: Session, trace: Trace, took_ms: float, post: Post) -> None:
    """Logs a run, and posts Logged."""
    problem = ""
    try:
        session.logbook.add(trace, session.clock(), took_ms)
    except OSError as error:
        problem = f"the log cannot be written: {faults.advised(error)}"
    post(Logged(problem))


def _remembered(session: Session, query: str) -> tuple[list[str] | None, str]:
    """The history with ``query`` in it, or why it cannot be written."""
    try:
        return session.history.add(query), ""
    except OSError as error:
        return None, f"the history cannot be written: {faults.advised(error)}"


def has_services(session: Session) -> bool:
    """Whether a run may ask a service that a probe does not; one that cannot be used counts."""
    services = session.settings.services
    return bool(services.embedder.model or services.reranker.model)


def chose_engine(session: Session) -> bool:
    """Whether the engine that the settings name is the user's own choice, and not that of the project's file."""
    return session.configuration.source("engine").layer is not Layer.PROJECT


def prepare(session: Session, engine: str, post: Post, cancelled: Callable[[], bool]) -> None:
    """Makes what the engine needs ahead of queries, and posts Prepared while and when that is done, or Refused."""
    from brvtui.engines.contract import EngineError, Prepares

    wanted = 0

    def progress(made: int, all_: int) -> None:
        nonlocal wanted
        wanted = all_
        post(Prepared(made, all_))

    chosen = session.engines.named(engine)
    assert isinstance(chosen, Prepares)
    try:
        chosen.prepare(session.engines.context(engine), progress, cancelled)
    except EngineError as error:
        post(Refused(str(error)))
        return
    if not cancelled():
        post(Prepared(wanted, wanted, done=True))


def detail(session: Session, trace: Trace, file: str, post: Post) -> None:
    """Posts the term × field detail of ``file`` under the search that found it, when anything of it matches."""
    found = _detail(session, trace, file)
    if found is not None:
        post(Detailed(trace, found))


def explain(session: Session, trace: Trace, file: str, post: Post) -> None:
    """Posts why ``file`` is, or is not, in the answer of ``trace``, or Refused; remedies are found by asking again."""
    from brvtui.engines.contract import EngineError
    from brvtui.snapshot.naming import UnknownNote

    try:
        post(Explained(trace, session.answers.explain(trace.query, file, trace.scope_option, trace)))
    except UnknownNote:
        return
    except EngineError as error:
        post(Refused(str(error)))


def takes(session: Session, trace: Trace, post: Post, cancelled: Callable[[], bool]) -> None:
    """Posts what it would take that the query of ``trace`` needs no model; nothing once that is not wanted any more."""
    try:
        found = session.answers.what_it_takes(trace, cancelled=cancelled)
    except KeyError:  # the tree went on, and an answer to the newest one is on its way
        return
    if found is not None:
        post(TakesFound(trace, found))


def _detail(session: Session, trace: Trace, file: str) -> Detail | None:
    try:
        return session.answers.detail(trace, file)
    except KeyError:
        return None


def note(session: Session, file: str, post: Post) -> None:
    """Posts the text of ``file`` as the engine reads it."""
    try:
        post(NoteRead(NoteText(file, session.snapshot.text(file))))
    except OSError as error:
        post(NoteRead(NoteText(file, "", faults.line(error, file))))


def page(session: Session, file: str, post: Post) -> None:
    """Posts what is known of ``file`` by itself."""
    post(PageRead(session.about(file)))


def around(session: Session, file: str, post: Post) -> None:
    """Posts what surrounds ``file``; the first time, every note is read for its links."""
    post(AroundRead(session.around(file)))


def similar(session: Session, file: str, post: Post) -> None:
    """Posts the notes that are most like ``file``; the first time, every note is read."""
    try:
        post(SimilarFound(SimilarNotes(file, session.notes.similar(file, MOST_SIMILAR))))
    except KeyError:
        post(SimilarFound(SimilarNotes(file, problem="only notes have notes that are like them")))
    except OSError as error:
        post(SimilarFound(SimilarNotes(file, problem=faults.line(error, file))))


def look_at_files(session: Session, paths: tuple[str, ...], post: Post) -> None:
    """Posts which of the files at ``paths`` are not as they were read."""
    post(FilesSeen(session.astray(paths)))


def cache(session: Session, query: str, post: Post) -> None:
    """Posts the simulated cache at this moment."""
    post(CacheSeen(query, session.cache_now(query)))


def read_log(session: Session, post: Post) -> None:
    """Posts both logs and what they say as a whole."""
    from brvtui.lab.log_summary import summarise

    entries = session.logbook.read(_MOST_LOGGED)
    post(LogRead(entries, summarise(entries)))


def compare_logged(session: Session, entry: LoggedQuery, post: Post) -> None:
    """Asks ``entry`` again, on an empty cache, and posts it beside its answer now."""
    post(LogCompared(session.answers.compare_logged(entry)))


def watch_log(session: Session, post: Post) -> None:
    """Begins to post what the engine logs; a log that cannot be watched is read when it is looked at."""

    def answered(entries: list[LoggedQuery]) -> None:
        post(EngineAnswered(entries))

    session.logbook.follow(answered)
