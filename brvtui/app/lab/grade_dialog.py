"""The dialog that asks how relevant a note is to the open query."""

from __future__ import annotations

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import GRADE
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.widgets.paragraphs import Paragraphs

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
