"""The Notes screen: the tree, and the selected note."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app import keymap
from brvtui.app.arrangement import NOTES
from brvtui.app.messages import NoteWanted
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.widgets.note import NotePane
from brvtui.app.widgets.notes_tree import NotesTree


class NotesScreen(FrameScreen):
    """Browses the tree."""

    TITLE = "Notes"
    PLAN = NOTES
    BINDINGS: ClassVar[list[BindingType]] = keymap.NOTES_SCREEN
    AUTO_FOCUS = "#tree"

    def make_panes(self) -> ComposeResult:
        """Tree and note."""
        yield NotesTree(id="tree")
        yield NotePane(id="note")

    @on(NoteWanted)
    def _note_wanted(self, event: NoteWanted) -> None:
        self.brv.select(event.file)
        self.action_pane("note")
