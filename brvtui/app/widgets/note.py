"""Note: the text of the selected note."""

from __future__ import annotations

from brvtui.app.paint.line import Line, line
from brvtui.app.paint.text import wrap
from brvtui.app.view import View
from brvtui.app.widgets.answer import marker, paragraphs
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.verdict import empty_lines


class NotePane(Pane):
    """The selected note as the engine reads it."""

    TITLE = "Note"
    HELP_TEXT = "The text of the selected note as the engine reads it. The terms of the current query are underlined."

    def depends(self, view: View) -> tuple[object, ...]:
        """The note, and the query whose terms are marked."""
        return (view.note, view.selected, view.answered)

    def heading(self, view: View) -> str:
        """The note's path."""
        return f"Note · {view.selected}" if view.selected else "Note"

    def update(self, view: View) -> None:
        """Another note is read from its beginning."""
        if view.selected != self.view.selected:
            self.offset_row = 0
        super().update(view)

    def build(self, view: View, width: int) -> list[Line]:
        """The text, or what is missing."""
        if not view.selected:
            return empty_lines("no note is selected", width)
        note = view.note
        if note is None or note.path != view.selected:
            self.brv.want_text(view.selected)
            return empty_lines("reading the note…", width)
        if note.problem:
            return [line(f" {part}", "warn") for part in wrap(note.problem, width - 1)]
        return paragraphs(note.text, width, marker(view.answered))
