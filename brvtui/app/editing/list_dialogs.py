"""The dialogs that list the changes of this session, and the drafts that were left behind."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import CHANGES
from brvtui.app.actions.panes import DRAFTS
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line

UNDO, REDO = "undo", "redo"


class ChangesDialog(Dialog[str]):
    """Lists changes. Dismissed with UNDO, REDO or None."""

    BINDINGS = bindings(CHANGES)
    AUTO_FOCUS = "#changes"

    def __init__(self, done: Sequence[str], undone: Sequence[str]) -> None:
        """A dialog over the titles of changes; the last of each is the next to be undone, or redone."""
        said = (
            "The changes of notes in this session, the newest first. They are undone in this order; those marked "
            "undone can be done again."
        )
        super().__init__("Changes of this session", said, wide=True)
        self._listed = {UNDO: done, REDO: undone}
        self._pane = ChangesPane(done, undone, id="changes")

    def make_parts(self) -> ComposeResult:
        """The list."""
        yield from super().make_parts()
        yield self._pane

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There must be a change to undo, or to do again."""
        return bool(self._listed.get(str(parameters[0]), True)) if action == "dismiss" else True


class ChangesPane(Pane):
    """The changes that can be redone, then those that were made, the newest first."""

    TITLE = "Changes"
    HELP_TEXT = (
        "What can be undone of this session, the newest first, and what was undone, marked so. Undoing goes back one "
        "at a time, in this order; what was undone last is the first that is done again."
    )

    def __init__(self, done: Sequence[str], undone: Sequence[str], *, id: str) -> None:
        """A pane over titles."""
        super().__init__(id=id)
        self._done = done
        self._undone = undone

    def build(self, view: View, width: int) -> list[Line]:
        """A line for each."""
        if not self._done and not self._undone:
            return wrapped("there is no change of a note to undo or to do again", width)
        made = [line("  undone  ", "muted").add(title, "muted") for title in self._undone]
        made += [
            line(f" {self.glyphs.here if place == 0 else ' '}        ", "accent").add(title, "text")
            for place, title in enumerate(reversed(self._done))
        ]
        return [entry.cut(width) for entry in made]


class DraftsDialog(Dialog[str]):
    """Lists drafts. Dismissed with the path of the note whose draft was chosen, or with None."""

    AUTO_FOCUS = "#drafts"

    def __init__(self, paths: Sequence[str]) -> None:
        """A dialog over the notes at ``paths``, the newest draft first."""
        super().__init__("Drafts", "Texts of notes that were typed and never saved, the newest first.", wide=True)
        self._pane = DraftsPane(paths, id="drafts")

    def make_parts(self) -> ComposeResult:
        """The list."""
        yield from super().make_parts()
        yield self._pane


class DraftsPane(ChoicePane):
    """A row for each note that has a draft."""

    TITLE = "Drafts"
    HELP_TEXT = "Texts that were typed and never saved. Enter shows how one differs from its note, and asks."
    BINDINGS = bindings(DRAFTS)

    def __init__(self, paths: Sequence[str], *, id: str) -> None:
        """A pane over the notes at ``paths``."""
        super().__init__(id=id)
        self._paths = paths

    def build(self, view: View, width: int) -> list[Line]:
        """A line for each."""
        self.choices = list(self._paths)
        self.owner = list(range(len(self.choices)))
        return [line(f" {path}", "text").cut(width) for path in self._paths] or wrapped("there are none", width)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without drafts there is none to look at."""
        return bool(self._paths) if action == "take" else super().check_action(action, parameters)

    def clicked(self, place: int) -> None:
        """Takes the draft that was clicked."""
        self.move_to(place)
        self.action_take()

    def action_take(self) -> None:
        """Dismisses the dialog with the draft under the cursor."""
        if self.chosen:
            self.screen.dismiss(self.chosen)
