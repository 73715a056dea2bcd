"""Asks how relevant a note is to the open query."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import GRADE
from brvtui.app.keys.bindings import bindings
from brvtui.app.lab import asking
from brvtui.app.project.project import Project
from brvtui.app.screens.dialog import Dialog
from brvtui.app.services import AppServices
from brvtui.app.widgets.paragraphs import Paragraphs

# The dialog that asks how relevant a note is to the open query.


NO_GRADE = -1


class GradeDialog(Dialog[int]):
    """Asks for a grade. Dismissed with 0 to 3, with :data:`NO_GRADE` to take one away, or with None."""

    BINDINGS = bindings(GRADE)

    def __init__(self, query: str, path: str, noun: str) -> None:
        """A dialog about the note at ``path`` and ``query``; ``noun`` is what is ranked."""
        said = "3 is what the query is about, 2 relevant, 1 related, 0 irrelevant. The screen Lab lists judged queries."
        super().__init__(f"How relevant is this {noun} to the query?", f"{query}", path, said)

    def make_parts(self) -> ComposeResult:
        """The question, and a line for the grade of now."""
        yield from super().make_parts()
        yield Paragraphs(id="grade")

    def show_grade(self, grade: int | None) -> None:
        """Says which grade the note has now."""
        said = "It has no grade yet." if grade is None else f"Its grade is {grade}."
        self.query_one("#grade", Paragraphs).set_text((said, "muted"))


def ask_grade(services: AppServices, project: Project, path: str, grade: Callable[[str, int | None], None]) -> None:
    """Asks for the grade of the note at ``path`` for the open query; says what to do where one of the two is missing.

    ``grade`` is called with the path and the grade, None to take one away.
    """
    view = services.store.view
    query = view.query.text.strip()
    if project.refuses():
        return
    if not query or not path:
        said = "ask something and choose a result: {results.judge} then grades it for the query"
        services.notify(services.with_keys(said), timeout=4)
        return

    def answered(value: int | None) -> None:
        if value is not None:
            grade(path, None if value == NO_GRADE else value)

    dialog = GradeDialog(query, path, view.noun)
    services.push_screen(dialog, answered)

    def show(grade: int | None) -> None:
        if dialog.is_attached:
            dialog.show_grade(grade)

    if project.session is not None:
        known = partial(asking.grade_of, project.session, query, view.query.scope, path)
        services.background.run(known, show, group="grade", exclusive=True)
