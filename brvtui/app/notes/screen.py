"""The Notes screen: the tree, the selected note, and facts about it."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from brvtui.app.actions.screens import NOTES_SCREEN
from brvtui.app.arrangement import NOTES
from brvtui.app.keys.bindings import bindings
from brvtui.app.notes.about import AboutPane
from brvtui.app.notes.browsing import Browsing
from brvtui.app.notes.note import NotePane
from brvtui.app.notes.notes_tree import NotesTree
from brvtui.app.project.layouts import Layouts
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.widgets.pane import Pane


class NotesScreen(FrameScreen):
    """Shows the notes of the tree, and follows links between them."""

    TITLE = "Notes"
    PLAN = NOTES
    BINDINGS = bindings(NOTES_SCREEN)
    AUTO_FOCUS = "#tree"

    def __init__(self, layouts: Layouts, browsing: Browsing) -> None:
        """A screen that asks ``browsing`` for what its panes lack."""
        super().__init__(layouts)
        self._browsing = browsing

    def make_panes(self) -> ComposeResult:
        """Tree, note, facts about it."""
        yield NotesTree(id="tree")
        yield NotePane(id="note")
        yield AboutPane(id="about")

    @on(NotePane.PageWanted)
    def _read_page(self, event: NotePane.PageWanted) -> None:
        self._browsing.request_page(event.file)

    @property
    def idle(self) -> frozenset[str]:
        """Also the way back along links where none was followed."""
        return super().idle if self._browsing.leads_back else super().idle | {"notes.back"}

    @on(AboutPane.SurroundingsWanted)
    def _read_surroundings(self, event: AboutPane.SurroundingsWanted) -> None:
        self._browsing.request_surroundings(event.file)

    @on(AboutPane.SimilarWanted)
    def _find_similar(self, event: AboutPane.SimilarWanted) -> None:
        self._browsing.find_similar(event.file)

    @on(Pane.NoteWanted)
    def _show_note(self, event: Pane.NoteWanted) -> None:
        self.services.select(event.file)
        self.action_pane("note")

    @on(Pane.LinkFollowed)
    def _follow_link(self, event: Pane.LinkFollowed) -> None:
        overview = self.view.project.overview
        branch = overview.branches.get(event.path) if overview is not None else None
        if branch is not None and branch.is_folder:
            self.query_one(NotesTree).open_to(event.path)
            self.action_pane("tree")
        else:
            self._browsing.follow_link(event.path)
            self.action_pane("note")

    def action_go(self, way: int) -> None:
        """Goes back (-1) or forward (1) along the links that were followed."""
        self._browsing.step(way)
