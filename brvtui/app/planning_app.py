"""An app in which notes are made, moved, archived and restored, and every change can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from brvtui.app import engine
from brvtui.app.editing import work as editing
from brvtui.app.editing.state import Begun
from brvtui.app.editing_app import EditingApp

if TYPE_CHECKING:
    from brvtui.app.screens.planning import PlanDialog
    from brvtui.notes.operations import Done
    from brvtui.notes.plan import Plan
    from brvtui.notes.signals import Where
    from brvtui.session import Session

_FOREIGN = ("[", "_")
"""How folders of shared sources and of the engine begin."""


@dataclass
class Carried(Message, bubble=False):
    """Something was done to notes. ``hint`` says how to take it back, ``follow`` which note is selected now."""

    done: Done
    hint: str
    follow: str


@dataclass
class NotCarried(Message, bubble=False):
    """Nothing was done; ``what`` says why."""

    what: str


class PlanningApp(EditingApp):
    """Shows what would happen before it happens, and says how to undo it afterwards."""

    # beginning a note

    def action_new_note(self) -> None:
        """Begins a note: from the query, when nothing covers that."""
        from brvtui.app.screens.new_note import NewNoteDialog

        session, trace = self.session, self.view.trace
        if session is None or self.view.overview is None:
            return
        uncovered = trace is not None and trace.uncovered
        title = self.view.query.strip() if uncovered else ""
        why = f"Nothing in the tree covers “{title}”: the note will say that it was asked." if uncovered else ""
        folder = self.view.scope or self._at_hand().rpartition("/")[0]
        taken = frozenset(file.path for file in session.snapshot.files)

        def answered(begun: Begun | None) -> None:
            if begun is not None:
                self.when_safe(lambda: self._begin_here(session, begun, title))

        self.push_screen(NewNoteDialog(title, "" if folder.startswith(_FOREIGN) else folder, why, taken), answered)

    def _begin_here(self, session: Session, begun: Begun, query: str) -> None:
        self._to_open = begun.path
        self._make_text(session, begun, query)

    # plans

    def action_move_note(self) -> None:
        """Renames or moves the note at hand; the links to it follow."""
        path, session = self._at_hand(), self.session
        if session is None or not path:
            self.notify("select a note first: M renames or moves it", timeout=4)
            return
        from brvtui.app.screens.planning import MoveDialog

        notes = session.notes
        self._ask(path, lambda: MoveDialog(path, lambda target: notes.plan_move(path, target)))

    def action_archive_note(self) -> None:
        """Archives the note at hand as the engine does; a stub is restored."""
        path, session = self._at_hand(), self.session
        if session is None or not path:
            self.notify("select a note first: X archives it, or restores a stub", timeout=4)
            return
        from brvtui.app.screens.planning import PlanDialog
        from brvtui.tree.files import Role, role_of

        notes = session.notes
        if role_of(path) is Role.STUB:
            said = f"{path} goes, and the note that it stands for is where it was before."
            self._ask(path, lambda: PlanDialog("Restore", said, lambda: notes.plan_restore(path)))
        else:
            said = (
                f"{path} goes into the archive as ByteRover does it: a stub stays to be searched, the text beside it."
            )
            self._ask(path, lambda: PlanDialog("Archive", said, lambda: notes.plan_archive(path)))

    def action_signals(self) -> None:
        """Sets maturity and importance of the note at hand."""
        path, session = self._at_hand(), self.session
        position = session.snapshot.by_path.get(path) if session is not None and session.is_loaded else None
        if session is None or position is None:
            self.notify("select a note first: I sets its maturity and importance", timeout=4)
            return
        from brvtui.app.screens.signals import SignalsDialog

        now, notes = session.snapshot.signals[position], session.notes

        def make(maturity: str, importance: float, where: Where) -> Plan:
            return notes.plan_signals(path, replace(now, maturity=maturity, importance=importance), where)

        self._ask(path, lambda: SignalsDialog(path, now.maturity, now.importance, make))

    def _ask(self, path: str, make: Callable[[], PlanDialog]) -> None:
        """Shows a plan's dialog, not before unsaved text of the note is saved or given up."""

        def show() -> None:
            self.push_screen(make(), answered)

        def answered(plan: Plan | None) -> None:
            if plan is not None and self.session is not None:
                self._carry_out(self.session, plan)

        if self.editor is not None and self.editor.path == path:
            self.when_safe(show)
        else:
            show()

    # going back and forth

    def action_undo_change(self) -> None:
        """Undoes what was changed last."""
        if self.session is not None:
            self._undo(self.session)

    def action_redo_change(self) -> None:
        """Does again what was undone last."""
        if self.session is not None:
            self._redo(self.session)

    def action_changes(self) -> None:
        """Lists the changes of this session."""
        if self.session is None:
            return
        from brvtui.app.screens.journal import REDO, UNDO, ChangesDialog

        def answered(answer: str | None) -> None:
            if answer == UNDO:
                self.action_undo_change()
            elif answer == REDO:
                self.action_redo_change()

        journal = self.session.notes.journal
        self.push_screen(ChangesDialog(journal.done, journal.undone), answered)

    # what became of it

    @on(Carried)
    def _carried(self, event: Carried) -> None:
        for notice in event.done.notices:
            self.notify(notice, severity="warning", timeout=10)
        self.notify(f"{event.done.title}: {event.hint}", timeout=6)
        if self.editor is not None:
            self.editor.changed_on_disk()
        if event.follow and self.view.knows(event.follow):
            self.select(event.follow)

    @on(NotCarried)
    def _not_carried(self, event: NotCarried) -> None:
        self.notify(event.what, severity="error", timeout=10)

    # workers

    @work(thread=True, group="open", exit_on_error=False)
    def _make_text(self, session: Session, begun: Begun, query: str) -> None:
        editing.begin_note(session, begun, query, self.post_message)

    @work(thread=True, group="change", exit_on_error=False)
    def _carry_out(self, session: Session, plan: Plan) -> None:
        follow = _followed(plan, self.view.selected)
        self._change(session, lambda: session.notes.apply(plan), "done; u undoes it", follow)

    @work(thread=True, group="change", exit_on_error=False)
    def _undo(self, session: Session) -> None:
        self._change(session, session.notes.undo, "undone; U does it again")

    @work(thread=True, group="change", exit_on_error=False)
    def _redo(self, session: Session) -> None:
        self._change(session, session.notes.redo, "done again; u undoes it")

    def _change(self, session: Session, change: Callable[[], Done], hint: str, follow: str = "") -> None:
        from brvtui.notes.plan import NoteError

        try:
            done = change()
        except NoteError as error:
            self.post_message(NotCarried(str(error)))
            return
        engine.read_tree(session, self.surveyor, self.post_message, self.shown_generation)
        self.post_message(Carried(done, hint, follow))


def _followed(plan: Plan, selected: str) -> str:
    """Where the selected note is after ``plan``: moved, or what stands for it now; empty when it stays."""
    from brvtui.notes.plan import Move, Write
    from brvtui.tree.files import SEARCHABLE, role_of

    for step in plan.steps:
        if isinstance(step, Move) and step.path == selected:
            return step.target
    writes = [step for step in plan.steps if isinstance(step, Write)]
    if any(step.path == selected and step.after is None for step in writes):
        return next((step.path for step in writes if step.before is None and role_of(step.path) in SEARCHABLE), "")
    return ""
