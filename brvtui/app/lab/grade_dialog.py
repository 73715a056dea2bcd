"""The dialog that asks how relevant a note is to the open query."""

from __future__ import annotations

from brvtui.app.actions.dialogs import GRADE
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog

NO_GRADE = -1


class GradeDialog(Dialog[int]):
    """Asks for a grade. Dismissed with 0 to 3, with :data:`NO_GRADE` to take one away, or with None."""

    BINDINGS = bindings(GRADE)

    def __init__(self, query: str, path: str, noun: str) -> None:
        """A dialog about the note at ``path`` and ``query``; ``noun`` is what is ranked."""
        said = "3 is what the query is about, 2 relevant, 1 related, 0 irrelevant. The screen Lab lists judged queries."
        super().__init__(f"How relevant is this {noun} to the query?", f"{query}", path, said)
