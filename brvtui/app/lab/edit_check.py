"""Reports the effect of edits: when notes change, runs the judged queries again and compares the answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from brvtui.app.modes import LAB
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import EditsState, EngineState, QueryState
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.tree.reading.files import notes_among
from brvtui.wording import counted, first_of, shortened

if TYPE_CHECKING:
    from textual.timer import Timer

    from brvtui.session import Session
    from brvtui.session.edit_effect import EditEffect
    from brvtui.session.held_notes import HeldNotes

OPEN_QUERY = "the open query"
"""The id of the query on the Query screen."""
HOLD_S = 1.0
"""The seconds from the first display of the notes until they are recorded, which must not delay the display."""
PAUSE_S = 0.4
"""The delay in seconds after the last change before queries run."""
_ASKING = "edits"
AS_BEFORE = "the same outcome and first note as before"
"""Names the compared parts of answers (``docs/how-to/use-the-lab.md``); scores and further results may differ."""
_TOAST_S = 10
_WAIT_S = 0.2


class EditCheck:
    """Records the notes, and runs queries again in workers after edits inside or outside the app."""

    def __init__(self, services: AppServices, project: Project) -> None:
        self._services = services
        self._project = project
        self._held: HeldNotes | None = None
        self._checking = Lock()
        self._timer: Timer | None = None
        self._saved = False
        """True if the user has saved since the last check, so that even unchanged answers are reported."""
        self._is_restored = False
        """True until the effect of an earlier session's edits is known, which is not reported in a toast."""
        self._message = ""
        """The last message about the effect of edits."""
        self._reported: frozenset[tuple[str, str, str, tuple[str, ...]]] = frozenset()
        """The queries whose answers had changed at the last report: id, text, scope and differences."""
        self._checked_with: tuple[str, str, str] = ("", "", "")
        """The engine, mode and profile of the last check."""
        services.store.subscribe((EngineState,), self._engine_changed)

    def tree_shown(self, first: bool) -> None:
        """Records the notes when they are first shown; after that, runs queries to find the effect of changes."""
        if first:
            self._timer = self._services.set_timer(HOLD_S, self.hold)
        elif self._held is not None:
            self._soon()

    def saved(self) -> None:
        """Reports the effect of the user's save, even if no answer has changed."""
        if self._held is not None:
            self._saved = True
            self._soon()

    def hold(self, accepts_edits: bool = False) -> None:
        """Records the notes to compare later ones with: those from before the edits of the last sessions or, with
        ``accepts_edits``, the current ones.
        """
        session = self._project.session
        if session is not None:
            hold = partial(_hold, session, accepts_edits)
            self._services.background.run(hold, self._set_held, group="hold notes", exclusive=True)

    def _set_held(self, held: tuple[HeldNotes | None, bool]) -> None:
        (self._held, self._is_restored), self._reported = held, frozenset()
        self._services.background.cancel(_ASKING)
        self._services.store.update(EditsState())
        if self._is_restored:
            self._soon()

    def _engine_changed(self) -> None:
        """Runs the queries again, since another engine may answer them differently."""
        if self._services.store.view.edits.earlier is not None and self._checked_with != self._engine():
            self._soon()

    def _engine(self) -> tuple[str, str, str]:
        engine = self._services.store.view.engine
        return engine.name, engine.mode, engine.profile

    def _soon(self) -> None:
        self._services.background.cancel(_ASKING)  # both the running check and the last message are outdated
        self._services.withdraw(self._message)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._services.set_timer(PAUSE_S, self._ask)

    def _ask(self) -> None:
        session, notes, view = self._project.session, self._held, self._services.store.view
        if session is not None and notes is not None:
            self._checked_with = self._engine()
            ask = partial(_effect, session, notes, view.query, view.engine)
            alone = partial(run_alone, self._checking, ask)
            self._services.background.run(alone, self._answered, group=_ASKING, exclusive=True, on_error=self._failed)

    def _answered(self, effect: EditEffect | None) -> None:
        if effect is None:
            return
        saved, restored, self._saved, self._is_restored = self._saved, self._is_restored, False, False
        queries = frozenset((one.now.id, one.now.text, one.now.scope, one.differences) for one in effect.otherwise)
        is_by_earlier = saved and bool(queries) and queries == self._reported
        is_news = bool(queries) and (saved or (queries != self._reported and not restored))
        store, in_front = self._services.store, self._services.current_mode == LAB.name
        is_seen = in_front or restored or not queries or (store.view.edits.is_seen and queries <= self._reported)
        self._reported = queries
        store.update(EditsState(effect, is_seen))
        if (effect.judged or effect.unjudged) and (is_news or saved):
            key = self._services.shown_key("screens.lab")
            session = self._project.session
            can_undo = session is not None and session.notes.journal.done and not is_by_earlier
            undo = self._services.shown_key("note.undo") if can_undo else ""
            message = sentence(effect, store.view.kind.noun, "" if in_front else key, undo)
            if is_by_earlier:
                message = f"this save changed no further answers; {message}"
            if not store.view.is_native:
                message = f"{store.view.presentation.title}: {message}"
            self._message = message
            self._services.notify(message, severity="warning" if effect.worse else "information", timeout=_TOAST_S)

    def _failed(self, why: str) -> None:
        """Shows why a check after a save failed; the Lab shows why other checks failed."""
        if self._saved:
            self._saved = False
            self._services.notify(f"no judged query was run again: {why}", severity="warning", timeout=_TOAST_S)

    def seen(self) -> None:
        """Marks the effect of edits as seen when the user opens the Lab, and removes the message that leads there."""
        self._services.withdraw(self._message)
        edits = self._services.store.view.edits
        if not edits.is_seen:
            self._services.store.update(edits._replace(is_seen=True))


def sentence(effect: EditEffect, noun: str, key: str = "", undo: str = "") -> str:
    """Returns one line about the changed answers.

    ``noun`` is the kind of document that the engine ranks; ``key`` opens the Lab, and is empty if the Lab is in front.
    ``undo`` undoes the latest change, and is empty if there is none in this session.
    """
    if effect.judged:
        judged = "the judged query" if effect.judged == 1 else f"{effect.judged} judged queries"
        parts = [(f"the first {judged}" if effect.left_out else judged, effect.judged, len(effect.judged_otherwise))]
        parts += [(OPEN_QUERY, 1, len(effect.unjudged_otherwise))] if effect.unjudged else []
    else:
        name = "the latest query" if effect.unjudged == 1 else f"the latest {effect.unjudged} queries"
        parts = [(name, effect.unjudged, len(effect.unjudged_otherwise))]
    rest = "" if effect.judged else "; none of them is judged"
    otherwise = [(who if count == 1 else f"{changed} of {who}", changed) for who, count, changed in parts if changed]
    as_before = [(who, count) for who, count, changed in parts if not changed]
    if not otherwise:
        return f"{_with_verb(as_before)} {AS_BEFORE}{rest}"
    if as_before:
        rest = f"; {_with_verb(as_before)} {AS_BEFORE}"
    names = [f"“{shortened(text, 40)}”" for text in effect.worse]
    worse = f", {len(names)} worse ({first_of(names)})" if names else ""
    earlier = effect.earlier
    paths: tuple[str, ...] = ()
    if earlier is not None:
        targets = frozenset(earlier.paths_now.values())
        paths = tuple(path for path in earlier.paths if path not in targets)
    notes = notes_among(paths)
    changed = notes or paths
    many = counted(len(notes), noun, f"{noun}s") if notes else f"{len(paths)} files"
    edits = f"the edit to {changed[0].rpartition('/')[2]}" if len(changed) == 1 else f"edits to {many}"
    ways = [f"the Lab ({key}) shows {'it' if len(effect.otherwise) == 1 else 'them'}"] if key else []
    ways += [f"{undo} undoes the latest change"] if undo and effect.worse else []
    return f"{_with_verb(otherwise)} a different answer after {edits}{worse}{rest}{': ' * bool(ways)}{', '.join(ways)}"


def _with_verb(queries: list[tuple[str, int]]) -> str:
    """Returns the names of ``queries``, pairs of name and number, followed by ``has`` or ``have``."""
    verb = "has" if sum(number for _, number in queries) == 1 else "have"
    return f"{' and '.join(name for name, _ in queries)} {verb}"


def run_alone(lock: Lock, check: Callable[[], EditEffect | None]) -> EditEffect | None:
    """Runs ``check`` when no other one holds ``lock``. Returns None if it was cancelled before that.

    A cancelled check continues for a while, and holds two more trees in memory. Many edits in a row would start many.
    """
    while not lock.acquire(timeout=_WAIT_S):
        if is_cancelled():
            return None
    try:
        return None if is_cancelled() else check()
    finally:
        lock.release()


def _hold(session: Session, accepts_edits: bool) -> tuple[HeldNotes | None, bool]:
    """Returns the notes to compare with, and True if there is a record of edits, which the next check updates."""
    from brvtui.session.held_notes import hold
    from brvtui.store.edit_record import read_record, record_time
    from brvtui.tree.reading.signals import defaults

    recorded, tree = None, session.project.tree
    with suppress(OSError, ValueError):  # the Lab works without a record
        recorded = None if accepts_edits else read_record(tree, defaults(session.profile.signals))
    return hold(session.snapshot, recorded), bool(record_time(tree))


def _effect(session: Session, notes: HeldNotes, opened: QueryState, engine: EngineState) -> EditEffect | None:
    from brvtui.engines.contract import EngineError
    from brvtui.lab.judgments.file import JudgmentsFile
    from brvtui.lab.judgments.model import Judgment, JudgmentsError
    from brvtui.session.edit_effect import asked_last, effect_of_edits

    earlier = notes.recorded(session.snapshot)
    try:
        judgments = JudgmentsFile.of(session.project).read()
        unjudged, text = () if judgments else asked_last(session), opened.text.strip()
        if text and (text, opened.scope) not in [(each.text, each.scope) for each in unjudged]:
            unjudged = (Judgment(OPEN_QUERY, text, opened.scope), *unjudged)
        return effect_of_edits(session, earlier, judgments, unjudged, engine.name, engine.mode, is_cancelled)
    except (JudgmentsError, EngineError) as error:
        raise Refusal(str(error)) from error
