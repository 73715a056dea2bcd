"""The dialog that lists what was changed in this session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.dialogs import CHANGES
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.lines import empty_lines
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.saying import Saying
from brvtui.paint.line import Line, line

UNDO, REDO = "undo", "redo"


class ChangesPane(Pane):
    """What can be done again, then what was done, the newest first."""

    TITLE = "Changes"
    HELP_TEXT = "What was changed in this session, the newest first. Undoing goes back one at a time, in this order."

    def __init__(self, done: Sequence[str], undone: Sequence[str], *, id: str) -> None:
        """A pane over titles; the last of ``done`` is the next to be undone, the last of ``undone`` to be redone."""
        super().__init__(id=id)
        self._done = done
        self._undone = undone

    def build(self, view: View, width: int) -> list[Line]:
        """A line for each."""
        if not self._done and not self._undone:
            return empty_lines("nothing was changed yet", width)
        made = [line("  undone  ", "muted").add(title, "muted") for title in self._undone]
        made += [
            line(f" {self.glyphs.here if place == 0 else ' '}        ", "accent").add(title, "text")
            for place, title in enumerate(reversed(self._done))
        ]
        return [entry.cut(width) for entry in made]


class ChangesDialog(Dialog[str]):
    """Ends with UNDO, REDO or None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(CHANGES)
    AUTO_FOCUS = "#changes"

    def __init__(self, done: Sequence[str], undone: Sequence[str]) -> None:
        """A dialog over the titles of changes."""
        super().__init__("Changes of this session", wide=True)
        self._titles = (done, undone)

    def make_parts(self) -> ComposeResult:
        """The list."""
        yield Saying(
            ("Saves, moves and archiving, the newest first; they are undone in this order.", "text"), id="question"
        )
        yield ChangesPane(*self._titles, id="changes")
