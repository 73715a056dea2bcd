"""Plans for notes: making, moving, archiving, restoring one, setting its signals. What would happen is shown first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.app.editing.controller import Editing
from brvtui.app.editing.state import Begun
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices

if TYPE_CHECKING:
    from brvtui.app.editing.plan_dialog import PlanDialog
    from brvtui.notes.plan import Plan
    from brvtui.notes.signals import Where

_FOREIGN = ("[", "_")
"""How folders of shared sources and of the engine begin."""


class Planning:
    """Asks what is to be done to the note at hand, and has it done."""

    def __init__(
        self, services: AppServices, project: Project, editing: Editing, carry_out: Callable[[Plan], None]
    ) -> None:
        """``carry_out`` does what a plan says."""
        self._services = services
        self._project = project
        self._editing = editing
        self._carry_out = carry_out

    def new_note(self, path: str) -> None:
        """Begins a note: from the query, when nothing covers that; beside the one at ``path``."""
        from brvtui.app.editing.new_note import NewNoteDialog

        session, view = self._project.session, self._services.store.view
        if session is None or view.project.overview is None:
            return
        uncovered = view.answer.trace is not None and not view.answer.trace.covered
        title = view.query.text.strip() if uncovered else ""
        why = f"Nothing in the tree covers “{title}”: the note will say that it was asked." if uncovered else ""
        folder = view.query.scope or path.rpartition("/")[0]
        taken = frozenset(file.path for file in session.snapshot.files)

        def answered(begun: Begun | None) -> None:
            if begun is not None:
                self._editing.begin(begun, title)

        shown = "" if folder.startswith(_FOREIGN) else folder
        self._services.push_screen(NewNoteDialog(title, shown, why, taken), answered)

    def move(self, path: str) -> None:
        """Renames or moves the note at ``path``; the links to it follow."""
        session = self._project.session
        if session is None or not path:
            self._services.notify("select a note first: M renames or moves it", timeout=4)
            return
        from brvtui.app.editing.plan_dialog import MoveDialog

        notes = session.notes
        self._ask(path, lambda: MoveDialog(path, lambda target: notes.plan_move(path, target)))

    def archive(self, path: str) -> None:
        """Archives the note at ``path`` as the engine does; a stub is restored."""
        session = self._project.session
        if session is None or not path:
            self._services.notify("select a note first: X archives it, or restores a stub", timeout=4)
            return
        from brvtui.app.editing.plan_dialog import PlanDialog
        from brvtui.tree.reading.files import Role, role_of

        notes = session.notes
        if role_of(path) is Role.STUB:
            said = f"{path} goes, and the note that it stands for is where it was before."
            self._ask(path, lambda: PlanDialog("Restore", said, lambda: notes.plan_restore(path)))
        else:
            said = (
                f"{path} goes into the archive as ByteRover does it: a stub stays to be searched, the text beside it."
            )
            self._ask(path, lambda: PlanDialog("Archive", said, lambda: notes.plan_archive(path)))

    def set_signals(self, path: str) -> None:
        """Sets maturity and importance of the note at ``path``."""
        session = self._project.session
        position = session.snapshot.by_path.get(path) if session is not None and session.is_loaded else None
        if session is None or position is None:
            self._services.notify("select a note first: I sets its maturity and importance", timeout=4)
            return
        from brvtui.app.editing.signals_dialog import SignalsDialog

        now, notes = session.snapshot.signals[position], session.notes

        def make(maturity: str, importance: float, where: Where) -> Plan:
            return notes.plan_signals(path, replace(now, maturity=maturity, importance=importance), where)

        self._ask(path, lambda: SignalsDialog(path, now.maturity, now.importance, make))

    def _ask(self, path: str, make: Callable[[], PlanDialog]) -> None:
        """Shows a plan's dialog."""

        def answered(plan: Plan | None) -> None:
            if plan is not None:
                self._carry_out(plan)

        self._editing.when_left(path, lambda: self._services.push_screen(make(), answered))
