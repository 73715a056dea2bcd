"""The dialog that lists unsaved texts of editors that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.panes import DRAFTS
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import empty_lines
from brvtui.app.widgets.saying import Saying
from brvtui.paint.line import Line, line


class DraftsPane(ChoicePane):
    """A row for each note that has a draft."""

    TITLE = "Drafts"
    HELP_TEXT = "Texts that were typed and never saved. Enter shows how one differs from its note, and asks."
    BINDINGS: ClassVar[list[BindingType]] = bindings(DRAFTS)

    def __init__(self, paths: Sequence[str], *, id: str) -> None:
        """A pane over the notes at ``paths``."""
        super().__init__(id=id)
        self._paths = paths

    def build(self, view: View, width: int) -> list[Line]:
        """A line for each."""
        self.choices = list(self._paths)
        self.owner = list(range(len(self.choices)))
        return [line(f" {path}", "text").cut(width) for path in self._paths] or empty_lines("there are none", width)

    def clicked(self, place: int) -> None:
        """A click takes what it chooses."""
        self.move_to(place)
        self.action_take()

    def action_take(self) -> None:
        """Ends the dialog with the draft under the cursor."""
        if self.chosen:
            self.screen.dismiss(self.chosen)


class DraftsDialog(Dialog[str]):
    """Ends with the path of a note whose draft is to be looked at, or None."""

    AUTO_FOCUS = "#drafts"

    def __init__(self, paths: Sequence[str]) -> None:
        """A dialog over the notes at ``paths``, the newest draft first."""
        super().__init__("Drafts", wide=True)
        self._paths = paths

    def make_parts(self) -> ComposeResult:
        """The list."""
        yield Saying(("Texts of notes that were typed and never saved, the newest first.", "text"), id="question")
        yield DraftsPane(self._paths, id="drafts")
