"""Changes of notes: carried out, undone, done again, listed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.opening import TreeRead
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal

if TYPE_CHECKING:
    from brvtui.notes.operations import Done
    from brvtui.notes.plan import Plan
    from brvtui.session import Session


class Changes:
    """Does what plans say, and says how to undo it afterwards."""

    def __init__(self, services: AppServices, project: Project, look_at_editor: Callable[[], None]) -> None:
        """``look_at_editor`` has the note in the editor compared with the disk."""
        self._services = services
        self._project = project
        self._look_at_editor = look_at_editor

    def carry_out(self, plan: Plan) -> None:
        """Does what ``plan`` says; the selection follows the note that it moves."""
        selected = self._services.store.view.selection.file
        self._change(lambda session: session.notes.apply(plan), "done; u undoes it", lambda: _followed(plan, selected))

    def undo(self) -> None:
        """Undoes what was changed last."""
        self._change(lambda session: session.notes.undo(), "undone; U does it again")

    def redo(self) -> None:
        """Does again what was undone last."""
        self._change(lambda session: session.notes.redo(), "done again; u undoes it")

    def list_all(self) -> None:
        """Lists the changes of this session."""
        session = self._project.session
        if session is None:
            return
        from brvtui.app.editing.changes_dialog import REDO, UNDO, ChangesDialog

        def answered(answer: str | None) -> None:
            if answer == UNDO:
                self.undo()
            elif answer == REDO:
                self.redo()

        journal = session.notes.journal
        self._services.push_screen(ChangesDialog(journal.done, journal.undone), answered)

    def _change(self, change: Callable[[Session], Done], hint: str, followed: Callable[[], str] = lambda: "") -> None:
        """Carries out ``change`` in a worker; ``hint`` says how to take it back, ``followed`` what is selected then."""
        session = self._project.session
        if session is None:
            return

        def work() -> tuple[Done, str, TreeRead | Refusal | None]:
            from brvtui.notes.plan import NoteError

            try:
                done = change(session)
            except NoteError as error:
                raise Refusal(str(error)) from error
            try:
                return done, followed(), self._project.read_tree(session)
            except Refusal as refusal:
                return done, "", refusal

        self._services.background.run(work, partial(self._changed, hint), group="change")

    def _changed(self, hint: str, made: tuple[Done, str, TreeRead | Refusal | None]) -> None:
        done, follow, read = made
        if isinstance(read, Refusal):
            self._project.failed(str(read))
        else:
            self._project.show_tree(read)
        for notice in done.notices:
            self._services.notify(notice, severity="warning", timeout=10)
        self._services.notify(f"{done.title}: {hint}", timeout=6)
        self._look_at_editor()
        if follow and self._services.store.view.knows(follow):
            self._services.select(follow)


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
