"""Changes of notes: carried out, undone, done again, listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from brvtui.app.news import News
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Notifies, OpensDialogs, Posts
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.store import ViewStore

if TYPE_CHECKING:
    from brvtui.notes.operations import Done
    from brvtui.notes.plan import Plan
    from brvtui.session import Session

_CHANGE = Job("change")


@dataclass
class Carried(News, bubble=False):
    """Something was done to notes. ``hint`` says how to take it back, ``follow`` which note is selected now."""

    done: Done
    hint: str
    follow: str


@dataclass
class NotCarried(News, bubble=False):
    """Nothing was done; ``what`` says why."""

    what: str


class Host(Notifies, OpensDialogs, Posts, Protocol):
    """What changes need of the app."""


class Changes:
    """Does what plans say, and says how to undo it afterwards."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: HasSession,
        store: ViewStore,
        read_tree: Callable[[Session], object],
        look_at_editor: Callable[[], None],
        select: Callable[[str], None],
    ) -> None:
        """``read_tree`` reads what changed on disk, and blocks; ``look_at_editor`` has the note there compared."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._read_tree = read_tree
        self._look_at_editor = look_at_editor
        self._select = select
        hearing.hear(Carried, self._carried)
        hearing.hear(NotCarried, self._not_carried)

    def carry_out(self, plan: Plan) -> None:
        """Does what ``plan`` says."""
        session = self._project.session
        if session is not None:
            selected = self._store.view.selection.file
            self._threads.start(_CHANGE, self._carry_out, session, plan, selected)

    def undo(self) -> None:
        """Undoes what was changed last. What that needs is imported in the thread."""
        session = self._project.session
        if session is not None:
            self._threads.start(_CHANGE, self._change, session, lambda: session.notes.undo(), "undone; U does it again")

    def redo(self) -> None:
        """Does again what was undone last."""
        session = self._project.session
        if session is not None:
            self._threads.start(_CHANGE, self._change, session, lambda: session.notes.redo(), "done again; u undoes it")

    def list_all(self) -> None:
        """Lists the changes of this session."""
        session = self._project.session
        if session is None:
            return
        from brvtui.app.screens.journal import REDO, UNDO, ChangesDialog

        def answered(answer: str | None) -> None:
            if answer == UNDO:
                self.undo()
            elif answer == REDO:
                self.redo()

        journal = session.notes.journal
        self._host.push_screen(ChangesDialog(journal.done, journal.undone), answered)

    def _carried(self, event: Carried) -> None:
        for notice in event.done.notices:
            self._host.notify(notice, severity="warning", timeout=10)
        self._host.notify(f"{event.done.title}: {event.hint}", timeout=6)
        self._look_at_editor()
        if event.follow and self._store.view.knows(event.follow):
            self._select(event.follow)

    def _not_carried(self, event: NotCarried) -> None:
        self._host.notify(event.what, severity="error", timeout=10)

    # in threads

    def _carry_out(self, session: Session, plan: Plan, selected: str) -> None:
        follow = _followed(plan, selected)
        self._change(session, lambda: session.notes.apply(plan), "done; u undoes it", follow)

    def _change(self, session: Session, change: Callable[[], Done], hint: str, follow: str = "") -> None:
        from brvtui.notes.plan import NoteError

        try:
            done = change()
        except NoteError as error:
            self._host.post_message(NotCarried(str(error)))
            return
        self._read_tree(session)
        self._host.post_message(Carried(done, hint, follow))


def _followed(plan: Plan, selected: str) -> str:
    """Where the selected note is after ``plan``: moved, or what stands for it now; empty when it stays."""
    from brvtui.notes.plan import Move, Write
    from brvtui.tree.reading.files import SEARCHABLE, role_of

    for step in plan.steps:
        if isinstance(step, Move) and step.path == selected:
            return step.target
    writes = [step for step in plan.steps if isinstance(step, Write)]
    if any(step.path == selected and step.after is None for step in writes):
        return next((step.path for step in writes if step.before is None and role_of(step.path) in SEARCHABLE), "")
    return ""
