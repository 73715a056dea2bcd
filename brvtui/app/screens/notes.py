"""The Notes screen: the tree, the selected note, and what is known of it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import NOTES_SCREEN
from brvtui.app.arrangement import NOTES
from brvtui.app.keys.bindings import bindings
from brvtui.app.messages import LinkFollowed, NoteWanted
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.widgets.about import AboutPane
from brvtui.app.widgets.note import NotePane
from brvtui.app.widgets.notes_tree import NotesTree


class NotesScreen(FrameScreen):
    """Browses the tree."""

    TITLE = "Notes"
    PLAN = NOTES
    BINDINGS: ClassVar[list[BindingType]] = bindings(NOTES_SCREEN)
    AUTO_FOCUS = "#tree"

    def make_panes(self) -> ComposeResult:
        """Tree, note, and what is known of it."""
        yield NotesTree(id="tree")
        yield NotePane(id="note")
        yield AboutPane(id="about")

    @on(NoteWanted)
    def _note_wanted(self, event: NoteWanted) -> None:
        self.brv.selection.select(event.file)
        self.action_pane("note")

    @on(LinkFollowed)
    def _link_followed(self, event: LinkFollowed) -> None:
        overview = self.view.overview
        branch = overview.branches.get(event.path) if overview is not None else None
        if branch is not None and branch.is_folder:
            self.query_one(NotesTree).open_to(event.path)
            self.action_pane("tree")
        else:
            self.brv.browsing.go_to(event.path)
            self.action_pane("note")

    def action_go(self, way: int) -> None:
        """Back to the note before on the trail of links that were followed, or forward again."""
        self.brv.browsing.go(way)
