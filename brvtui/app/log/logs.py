"""Reads the logs, repeats logged queries, and follows the engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.timer import Timer

from brvtui import faults
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import EngineLog, LogState
from brvtui.app.view import View
from brvtui.app.workers import Newest, Refusal
from brvtui.engines.contract import EngineError
from brvtui.engines.registry import presentation
from brvtui.lab.delivery.turns import LOST, Delivery, Turn
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import Judgment, JudgmentsError
from brvtui.lab.whatif.variant import Variant
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.delivery import DeliveryReader, is_pointed_to, permitted_folder, proposed_folder, remember_folder
from brvtui.store.folders import shown_path
from brvtui.tree.engine_files.query_log import UNLOGGED, LoggedQuery
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.lab.evaluation.results import QueryResult
    from brvtui.lab.log_comparison import LogComparison
    from brvtui.session import Session

Explain = Callable[[LoggedQuery, str], None]

_MOST_LOGGED = 2_000
_DAYS = 30
"""The maximum age in days of turns that are read."""
_MOST_UNJUDGED = 50
"""The number of answers after which queries that are not judged do not run again."""
_POLL_S = 2.0
_SHARE = 200
"""The pause until the next reading, as a multiple of the time that the last one took, so that following costs little.
"""
_BEGINS = {"note": "{note.new} begins a note about it; ", "topic": "have ByteRover curate a topic about it; "}


class Logs:
    """Reads both logs when they are first needed, and again whenever one of them grows."""

    def __init__(
        self, services: AppServices, project: Project, fill: Callable[[str, str], None], explain: Explain
    ) -> None:
        """Creates the controller; the logs are not read yet.

        ``fill`` puts a query and its scope into the Query screen. ``explain`` is called with an entry and a note, to
        explain the note's place in the answer.
        """
        self._services = services
        self._project = project
        self._fill = fill
        self._explain = explain
        self._begun = False
        self._reader: tuple[Session, DeliveryReader] | None = None
        self._polls: Timer | None = None
        self._has_news = True
        """True if the engine's log may have grown since turns were last read."""
        self._readings: Newest[Session] = Newest(self._begin_reading)

    def read(self) -> None:
        """Reads both logs, and starts to watch the engine's log."""
        session = self._project.session
        if session is None:
            return
        self._read(session)
        self._has_news = True
        self._read_delivery()
        if not self._begun:
            self._begun = True
            answered = self._services.background.relay(self._engine_answered)
            # without a watch, the log is still read whenever its screen opens
            self._services.background.run(partial(session.logbook.engine.follow, answered), group="log watch")

    def _read(self, session: Session) -> None:
        self._services.background.run(partial(_read, session), self._were_read, group="log", exclusive=True)

    def _were_read(self, read: LogState) -> None:
        store = self._services.store
        entries = _with_turns(read.entries or (), store.view.log.turns)
        log = store.view.log._replace(entries=entries, summary=read.summary)
        store.update(log._replace(engine_log=read.engine_log))
        session = self._project.session
        if session is not None and session.is_loaded:
            task = partial(_answers, session, read.entries or ())
            self._services.background.run(task, self._were_answered, group="log answers", exclusive=True)

    def _were_answered(self, answers: dict[LoggedQuery, QueryResult]) -> None:
        store = self._services.store
        store.update(store.view.log._replace(answers=answers))

    # what reached the agents

    @property
    def proposed_folder(self) -> Path:
        """The folder of transcripts for which to ask the user's permission."""
        session = self._project.session
        return proposed_folder(session.project.root if session is not None else Path())

    def permit(self, folder: Path | None) -> None:
        """Remembers that the user permits reading the transcripts in ``folder``, and reads them."""
        session = self._project.session
        if folder is None or session is None:
            return
        self._reader = None
        permit = partial(_permit, session, folder)
        self._services.background.run(permit, lambda _: self._read_delivery(), group="permit transcripts")

    def _read_delivery(self) -> None:
        """Reads the turns of agents, if the user permitted it, and again when their transcripts grow."""
        if self._project.session is not None:
            self._readings.want(self._project.session)

    def _begin_reading(self, session: Session) -> None:
        known = self._reader[1] if self._reader is not None and self._reader[0] is session else None
        task = partial(_delivered, session, known, self._has_news)
        self._has_news = False
        run, finished = self._services.background.run, self._readings.finished
        run(task, self._was_delivered, group="delivery", on_end=finished)

    def _was_delivered(self, read: DeliveryRead | None) -> None:
        session, store = self._project.session, self._services.store
        if read is None or session is not read.session:
            return
        self._reader = (session, read.reader)
        if read.delivery is not None and store.view.log.delivery is None:
            lost = sum(turn.outcome in LOST for turn in read.delivery.turns)
            text = f"{counted(len(read.delivery.turns), 'turn', 'turns')} read: {lost} answers did not reach the agent"
            self._services.notify(text, timeout=6)
            for notice in read.delivery.notices:
                self._services.notify(notice, severity="warning", timeout=10)
        if read.delivery is not None:
            log = store.view.log
            entries = _with_turns(log.entries or (), read.turns)
            store.update(log._replace(delivery=read.delivery, turns=read.turns, entries=entries))
        if self._polls is not None:
            self._polls.stop()
        self._polls = self._services.set_timer(max(_POLL_S, read.took_s * _SHARE), self._poll)

    def _poll(self) -> None:
        if self._services.current_mode == "log":
            self._read_delivery()

    def compare(self, entry: LoggedQuery) -> bool:
        """Repeats a logged query on an empty cache and shows the differences; returns False before notes are read."""
        session = self._project.session
        if session is None or self._services.store.view.project.overview is None:
            return False
        earlier = self._services.store.view.edits.earlier
        outside = earlier.paths_now if earlier is not None else {}
        journal = session.notes.journal

        def path_now(path: str) -> str:
            # The journal records times of the system's clock. A frozen session clock cannot be compared with them, so
            # in that case all moves are followed, including those before the query.
            now = journal.path_now(path, 0.0 if session.frozen else entry.at_ms)
            return now if now != path else outside.get(path, path)

        def compare() -> LogComparison:
            from brvtui.session.edit_effect import edits_behind

            found = session.explainer.compare_logged(entry, path_now)
            with suppress(EngineError):
                if earlier is not None and found.differences and (edits := edits_behind(session, found, earlier)):
                    return replace(found, causes=edits)
            return found

        self._services.background.run(compare, self._compared, group="log compare", exclusive=True)
        return True

    def compare_none(self) -> None:
        """Removes the comparison, since no entry is selected."""
        self._services.background.cancel("log compare")
        self._compared(None)

    def _compared(self, compared: LogComparison | None) -> None:
        store = self._services.store
        store.update(store.view.log._replace(compared=compared))

    def explain(self, entry: LoggedQuery | None) -> None:
        """Explains why the current note is or is not in the current answer to the query of ``entry``."""
        view = self._services.store.view
        note = answering_note(view, entry)
        if entry is not None and note:
            self._explain(entry, note)
            return
        message = "select a query first; {log.why} then explains why a note is or is not in its answer"
        compared = view.log.compared
        if compared is not None and compared.entry == entry and compared.failure:
            message = compared.verdict_sentence or compared.failure
        elif entry is not None:
            which = (
                "that answered this query exists any more"
                if results_of(view, entry)
                else "answered this query, then or now"
            )
            noun = view.kind.noun
            asks = f"{{log.take}} runs it; there, {{results.why}} on a {noun} explains why it is not in the answer"
            overview = view.project.overview
            begins = "" if overview is not None and overview.unread else _BEGINS.get(noun, "")
            message = f"no {noun} {which}: {begins}{asks}"
        self._services.notify(self._services.with_keys(message), timeout=6)

    def follow_engine(self) -> None:
        """Starts or stops explaining each query that the engine logs."""
        store = self._services.store
        log = store.view.log
        if log.engine_log is None:
            return
        if not log.following and not log.engine_log.exists and not log.engine_log.is_pending:
            text = (
                f"there is nothing to follow: the engine has logged no query for this project in {log.engine_log.place}"
            )
            self._services.notify(f"{text}: run one first (brv query)", severity="warning")
            return
        following = not log.following
        store.update(log._replace(following=following), store.view.query._replace(followed=None))
        text = "each query that the engine logs is now run again and explained on the Query screen"
        self._services.notify(text if following else "stopped following the engine", timeout=4)

    def _engine_answered(self, entries: list[LoggedQuery]) -> None:
        store = self._services.store
        if self._project.session is not None:
            self._read(self._project.session)
            self._has_news = True
            self._read_delivery()
        if store.view.log.following and entries:
            store.update(store.view.query._replace(followed=entries[-1]))
            self._fill(entries[-1].query, entries[-1].scope)

    def logged(self, problem: str) -> None:
        """Reads the logs again after a run; ``problem`` is shown if the run could not be logged."""
        if problem:
            self._services.notify(problem, severity="warning")
        if self._begun and self._project.session is not None:
            self._read(self._project.session)


def results_of(view: View, entry: LoggedQuery | None) -> tuple[str, ...]:
    """Returns the logged results of ``entry``; after a comparison, at their current paths, then the current results."""
    compared = view.log.compared
    if entry is None:
        return ()
    if compared is None or compared.entry != entry:
        return entry.paths
    return (*(compared.paths_now.get(path, path) for path in entry.paths), *compared.paths)


def answering_note(view: View, entry: LoggedQuery | None) -> str:
    """Returns the first existing note: the logged first result, the current one, or any other; empty if none."""
    overview, results = view.project.overview, results_of(view, entry)
    if overview is None or entry is None:
        return ""
    now = results[len(entry.paths) :]
    branches = (overview.branches.get(path) for path in (*results[:1], *now[:1], *results))
    return next((one.path for one in branches if one is not None and not one.is_folder), "")


@dataclass(frozen=True, slots=True)
class DeliveryRead:
    """The turns of agents; ``delivery`` is None if nothing has changed."""

    session: Session
    reader: DeliveryReader
    delivery: Delivery | None
    turns: Mapping[LoggedQuery, Turn]
    took_s: float


def _permit(session: Session, folder: Path) -> None:
    """Stores the permission to read transcripts. Blocks. Raises :class:`Refusal`."""
    if is_pointed_to(session):
        raise Refusal("a pointer leads to this project: open the project itself to let brv-tui read transcripts")
    try:
        remember_folder(session, folder)
    except OSError as error:
        raise Refusal(f"the permission cannot be stored: {faults.reason(error)}") from error


def _delivered(session: Session, reader: DeliveryReader | None, has_news: bool) -> DeliveryRead | None:
    """Reads the turns of agents with ``reader`` or a new one; returns None without the user's permission. Blocks."""
    began = time.monotonic()
    folder = permitted_folder(session)
    if folder is None:
        return None
    is_first = reader is None or reader.folder != folder
    if reader is None or is_first:
        reader = DeliveryReader(session, folder, session.clock() - _DAYS * MS_PER_DAY)
    is_needed = is_first or has_news or reader.has_grown()
    delivery = reader.read(1000.0 * session.settings.hook_seconds) if is_needed else None
    turns = {turn.logged: turn for turn in delivery.turns} if delivery is not None else {}
    return DeliveryRead(session, reader, delivery, turns, 0.0 if is_first else time.monotonic() - began)


def _with_turns(entries: tuple[LoggedQuery, ...], turns: Mapping[LoggedQuery, Turn]) -> tuple[LoggedQuery, ...]:
    """Returns ``entries`` together with the ones that only transcripts contain, newest first."""
    logged = [entry for entry in entries if entry.status != UNLOGGED]
    only_there = [entry for entry in turns if entry.status == UNLOGGED]
    newest = sorted([*logged, *only_there], key=lambda entry: -entry.at_ms) if only_there else logged
    return tuple(newest[:_MOST_LOGGED])


def _read(session: Session) -> LogState:
    """Returns the entries of both logs, their counts, and the place of the engine's log. Blocks."""
    from brvtui.lab.log_comparison import summarise

    entries = session.logbook.read(_MOST_LOGGED)
    for engine in {entry.engine for entry in entries}:
        presentation(engine)  # loads the engine, so that panes do not wait for it
    place = session.logbook.engine.place
    engine_log = EngineLog(shown_path(place), place.exists(), session.kind.is_html)
    return LogState(tuple(entries), engine_log, summarise(entries))


def _answers(session: Session, entries: Sequence[LoggedQuery]) -> dict[LoggedQuery, QueryResult]:
    """Returns the current answers to judged queries and to the newest uncovered ones, by their entries. Blocks."""
    judged: dict[tuple[str, str], Judgment] = {}
    with suppress(JudgmentsError):
        judged = {(one.text.strip(), one.scope): one for one in JudgmentsFile.of(session.project).read()}
    found: dict[LoggedQuery, QueryResult] = {}
    for entry in entries:
        query = entry.query.strip(), entry.scope
        judgment = judged.get(query)
        if judgment is None and entry.not_covered and len(found) < _MOST_UNJUDGED:
            judgment = Judgment(f"logged: {entry.scope}: {query[0]}", *query)
        if judgment is not None:
            with suppress(EngineError):
                state = session.variants.state(Variant(), entry.engine)
                found[entry] = session.variants.result(state, judgment)
    return found
