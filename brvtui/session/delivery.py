"""The answers that reached the agents of an open project, from their transcripts and the engine's log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from brvtui.lab.delivery.finding import Transcripts, claude_folder
from brvtui.lab.delivery.matching import WINDOW_MS, match_entries
from brvtui.lab.delivery.outcomes import turns_of
from brvtui.lab.delivery.turns import Delivery, DeliveryChannel, DeliveryOutcome, Recall, Turn
from brvtui.store.app_state import TranscriptsChoice
from brvtui.tree.reading.project import MARKER, WORKTREE_OF
from brvtui.tree.saving.ages import TRANSCRIPTS

if TYPE_CHECKING:
    from brvtui.session.session import Session

_MOST_ENTRIES = 20_000


def permitted_folder(session: Session) -> Path | None:
    """The folder of transcripts that the user permitted for the project; None without permission.

    A project to which a pointer leads has none, since a permission belongs to the folder that the user opened.
    """
    known = "" if is_pointed_to(session) else TranscriptsChoice(session.project.tree).read()
    return Path(known) if known else None


def proposed_folder(project: Path) -> Path:
    """The folder to propose to the user: the project's own ``.brv/transcripts``, or else the one of Claude Code.

    A link in the project is not proposed, since it could lead anywhere.
    """
    own = project.resolve() / MARKER / TRANSCRIPTS
    return own if own.is_dir() and own.resolve() == own else claude_folder()


def remember_folder(session: Session, folder: Path) -> None:
    """Stores that ``folder`` is permitted, unless a pointer leads to the project. Raises OSError."""
    if not is_pointed_to(session):
        TranscriptsChoice(session.project.tree).write(str(folder))


def is_pointed_to(session: Session) -> bool:
    """True if a pointer in another folder leads to the project."""
    return any(notice.startswith(WORKTREE_OF) for notice in session.project.notices)


class DeliveryReader:
    """Finds out what became of the answers to a project's agents. Writes and sends nothing."""

    def __init__(self, session: Session, folder: Path, since_ms: float, reads_all: bool = False) -> None:
        """Reads the turns since ``since_ms`` from the transcripts below ``folder``. The project need not be loaded. If
        ``reads_all`` is set, files last written before ``since_ms``, and files in Claude Code's folders of other
        projects, are read too.
        """
        self.folder = folder
        self._log = session.logbook.engine
        self._engine = session.kind.native
        self._since_ms = since_ms
        self._reading = Lock()
        self._known: dict[Recall, Turn] = {}
        self._transcripts = Transcripts(session.project.root, folder, since_ms, reads_all)

    def has_grown(self) -> bool:
        """True if a transcript was added, removed or written since the last reading."""
        with self._reading:
            return self._transcripts.has_grown()

    def read(self, limit_ms: float) -> Delivery:
        """Returns the turns so far. After the first call, only new rows of transcripts are read.

        ``limit_ms`` is the time after which the agent's hook gives up.
        """
        with self._reading:
            found = self._transcripts.read()
            logged, problem, is_missing = self._log.evidence(_MOST_ENTRIES)
            recent = [entry for entry in logged if entry.at_ms >= self._since_ms - WINDOW_MS]
            matched, left = match_entries(found.recalls, recent)
            found_turns = turns_of(zip(found.recalls, matched, strict=True), limit_ms, self._known)
            turns = tuple(replace(turn, engine=self._engine) for turn in found_turns)
            self._known = {turn.recall: turn for turn in turns}
        unknown = (turn for turn in turns if turn.outcome is DeliveryOutcome.UNKNOWN)
        is_needed = any(turn.recall.channel is DeliveryChannel.HOOK for turn in unknown)
        if len(logged) == _MOST_ENTRIES and found.recalls and logged[-1].at_ms > found.recalls[0].at_ms - WINDOW_MS:
            problem = problem or f"only the newest {_MOST_ENTRIES} entries of the engine's log are read"
        notices = found.notices + ((problem,) if problem and (is_needed or not is_missing) else ())
        unmatched = tuple(entry for entry in left if entry.at_ms >= self._since_ms)
        return Delivery(turns, unmatched, found.unknown_rows, notices, found.is_cut_off)


def selected(found: Delivery, session_id: str, outcomes: frozenset[str]) -> Delivery:
    """The turns of ``found`` in the session ``session_id`` with one of ``outcomes``; an empty value selects all."""
    turns = (turn for turn in found.turns if not session_id or turn.recall.session == session_id)
    return replace(found, turns=tuple(turn for turn in turns if not outcomes or turn.outcome in outcomes))
