"""The Notes screen: the tree, the selected note, and facts about it."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.message import Message

from brvtui.app.actions.panes import NOTES_TREE
from brvtui.app.actions.screens import NOTES_SCREEN
from brvtui.app.arrangement import LEAST_BESIDE, Arrangement, Split
from brvtui.app.contents import Branch
from brvtui.app.keys.bindings import bindings
from brvtui.app.notes.about import AboutPane
from brvtui.app.notes.browsing import Browsing
from brvtui.app.notes.note import NotePane
from brvtui.app.project.layouts import Layouts
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import ancestors
from brvtui.app.view import View
from brvtui.app.widgets.outline import Order
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.tree import ASIDE, UNSEEN, TreePane
from brvtui.app.workers import PAUSE_S
from brvtui.wording import counted

# The tree of the Notes screen.


class NotesTree(TreePane):
    """A tree that selects the note under its cursor."""

    HELP_TEXT = (
        "This pane shows the context tree: its notes, and its folders, each with its number of notes by maturity (○ "
        "draft, ◐ validated, ● core). The note under the cursor is shown beside it; press {notes_tree.take} to go to "
        "its text. The right and left arrows open and close folders. Press {tree.order} to sort notes by name, "
        "importance or age. Press {pane.filter} to show only notes with given words in their title, path or text; you "
        "can also use phrases, OR, -word, begin* and title:word. The {tree.aside} key shows or hides stubs (▱, the "
        "remains of an archived note) and files that the engine generated from notes (▫: abstracts, folder summaries, "
        "the manifest, full texts of archived notes). ⚠ marks a note that needs attention: it has changed on disk "
        "since it was read, its signals cannot be used, or it has an unresolved conflict; a closed folder with such a "
        "note also has the mark. The last row lists files that the engine does not read, each with its reason."
    )
    BINDINGS = bindings(NOTES_TREE)
    _typed, _requested, _is_searching = "", ("", 0), False
    _best: tuple[str, ...] | None = None
    """The notes found for the text of the filter, best first; None until the search ends."""
    _former: tuple[frozenset[str] | None, str, str] | None = None
    """The open folders, the row under the cursor and the selected note at the time when the filter was opened."""

    @dataclass
    class TextWanted(Message):
        """Posted to request a search of the notes' titles and texts for the filter words."""

        query: str

    def put_filter(self, text: str) -> None:
        """Filters by title and path immediately, and requests a search of the texts."""
        if text != self._typed:
            self._typed, self._best = text, None
        if not text.strip():
            self.outline.found, self._is_searching = frozenset(), False
        super().put_filter(text)
        self._ask_for_texts(self.view)

    def show_found(self, query: str, paths: tuple[str, ...]) -> None:
        """Adds the notes at ``paths``, best first, to the matches, unless the filter has changed since ``query``."""
        if query == self._typed:
            self._is_searching = False
            if paths != self._best:
                self._best, self.outline.found = paths, frozenset(paths)
                self.restamp()
                self.filter_changed()
            self._count()

    def _ask_for_texts(self, view: View) -> None:
        request = (self._typed, view.project.generation)
        if request != self._requested:
            self._requested = request
            if self._typed.strip():
                self._is_searching = True
                self.set_timer(PAUSE_S, self._count)  # a quick search is not announced
                self.post_message(self.TextWanted(self._typed))

    def filter_changed(self) -> None:
        """While the filter is typed, moves to the former row if that matches, and otherwise to the best match."""
        kept = self.outline.kept
        if kept is not None and self._former is not None and self.field is not None and self.field.has_focus:
            best = next((path for path in (self._former[1], *(self._best or ())) if path in kept.files), self.chosen)
            self.cursor = self.choices.index(best) if best in self.choices else 0
        super().filter_changed()

    def action_filter(self) -> None:
        """Opens the filter, and records the state of the tree, which is restored when the filter is cleared."""
        if self.field is None:
            self._former = (self.outline.opened, self.chosen, self.view.selection.file)
        super().action_filter()

    def clear_filter(self) -> bool:
        """Clears the filter; if it was still being typed, also restores the state of the tree."""
        former, self._former = self._former, None
        if former is None or self.field is None or not self.field.has_focus:
            return super().clear_filter()
        opened, chosen, self._followed = former
        self._opened_to = self._followed
        self.services.select(self._followed)
        super().clear_filter()
        self.outline.opened = opened
        self.restamp()
        if chosen in self.choices:
            self.move_to(self.choices.index(chosen), tell=False)
        return True

    def heading(self, view: View) -> str:
        """Returns the title, with the order of the notes unless they are sorted by name."""
        order = self.outline.order
        return "Tree" if order is Order.NAME else f"Tree · by {order.value}"

    def update(self, view: View) -> None:
        """Shows ``view``; clears the filter if it hides a note that was selected elsewhere."""
        kept, selected = self.outline.kept, view.selection.file
        if kept is not None and selected not in (self._followed, *kept.files) and view.knows(selected):
            self._former = None
            self.clear_filter()
        super().update(view)
        self._ask_for_texts(view)
        self._count()

    def tally(self) -> str:
        """Returns the number of matching files out of all listed files; empty if there is no filter."""
        told, overview = super().tally(), self.view.project.overview
        hidden = overview.notes - self.all if told and overview is not None else 0
        stubs = f"without {counted(hidden, 'stub', 'stubs')}" if hidden > 0 else ""
        return ", ".join(filter(None, (told, stubs, "titles and paths only, so far" if self._is_searching else "")))

    def followed(self, before: str) -> str:
        """Returns the selected note, since the cursor moves to it."""
        return self.view.selection.file or before

    def marks_selected(self, marks: dict[str, str]) -> bool:
        """Always False, since the cursor itself marks the selected note, unless it was moved to a folder."""
        return False

    def name_role(self, branch: Branch) -> str:
        """Returns the role for the name of ``branch``; notes are brighter than in other trees."""
        return "muted" if branch.aside else "text"

    def moved(self, choice: str) -> None:
        """Selects the file under the cursor."""
        if self.view.knows(choice) and not self._is_folder(choice):
            self.services.select(choice)

    def action_take(self) -> None:
        """Opens or closes the folder, or moves the focus to the note."""
        if self.chosen in (UNSEEN, ASIDE):
            super().action_take()
        elif self._is_folder(self.chosen):
            self.toggle(self.chosen)
        elif self.chosen:
            self.post_message(self.NoteWanted(self.chosen))

    def open_to(self, folder: str) -> None:
        """Opens ``folder`` and moves the cursor to it."""
        self.outline.open(folder, *ancestors(folder))
        self.restamp()
        if folder in self.choices:
            self.move_to(self.choices.index(folder))

    def clicked(self, place: int) -> None:
        """Selects the clicked note, or opens or closes the clicked folder."""
        self.move_to(place)
        if self.branch is None or self.branch.is_folder:
            self.action_take()

    def _is_folder(self, choice: str) -> bool:
        branch = self.view.project.overview.branches.get(choice) if self.view.project.overview else None
        return branch is not None and branch.is_folder


def _wide_notes(width: int, height: int) -> Split:
    tree = max(LEAST_BESIDE + 6, width * 24 // 100)
    about = max(LEAST_BESIDE + 8, width * 27 // 100)
    return Split("tree", True, ("tree", "note", "about"), (tree, width - tree - about, about))


NOTES = Arrangement(
    panes=("tree", "note", "about"), beside="tree", tabs=("note", "about"), wide=_wide_notes, beside_share=0.38
)


class NotesScreen(FrameScreen):
    """Shows the notes of the tree and follows links between them."""

    TITLE = "Notes"
    PLAN = NOTES
    BINDINGS = bindings(NOTES_SCREEN)
    AUTO_FOCUS = "#tree"

    def __init__(self, layouts: Layouts, browsing: Browsing) -> None:
        """Creates the screen; ``browsing`` reads the data for its panes."""
        super().__init__(layouts)
        self._browsing = browsing

    def make_panes(self) -> ComposeResult:
        """Yields the tree, the note and the facts about it."""
        yield NotesTree(id="tree")
        yield NotePane(id="note")
        yield AboutPane(id="about")

    @on(NotePane.PageWanted)
    def _read_page(self, event: NotePane.PageWanted) -> None:
        self._browsing.request_page(event.file)

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, including going back if no link was followed."""
        return super().idle if self._browsing.leads_back else super().idle | {"notes.back"}

    @on(AboutPane.SurroundingsWanted)
    def _read_surroundings(self, event: AboutPane.SurroundingsWanted) -> None:
        self._browsing.request_surroundings(event.file)

    @on(AboutPane.SimilarWanted)
    def _find_similar(self, event: AboutPane.SimilarWanted) -> None:
        self._browsing.find_similar(event.file)

    @on(NotesTree.TextWanted)
    def _find_texts(self, event: NotesTree.TextWanted) -> None:
        self._browsing.find_texts(event.query, self.query_one(NotesTree).show_found)

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
        """Goes back (-1) or forward (1) along followed links."""
        self._browsing.step(way)
