"""The tree of the Query screen: choosing a folder keeps the query inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import SCOPE_TREE
from brvtui.app.keys.bindings import bindings
from brvtui.app.view import View
from brvtui.app.widgets.tree import ASIDE, ROOT, UNSEEN, TreePane
from brvtui.paint.line import Line, line


class ScopeTree(TreePane):
    """Shows where results stand, with their scores; follows the selected one while it is not in use itself."""

    HELP_TEXT = (
        "The context tree: folders with their notes by maturity (○ draft, ◐ validated, ● core). {tree.take} on a "
        "folder keeps the query inside it; there again, or on the whole tree, lifts that; in a saved trace it opens "
        "or closes it, as right and left do. The last row lists files that the engine does not see, each with its "
        "reason."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(SCOPE_TREE)

    @dataclass
    class ScopeWanted(Message):
        """Queries are to be kept to a folder; empty for the whole tree."""

        folder: str

    def heading(self, view: View) -> str:
        """Says when the query is kept to a folder."""
        return f"Tree · in {view.query.scope}" if view.query.scope else "Tree"

    def head(self, view: View, width: int) -> list[Line]:
        """The whole tree as a scope; a filter keeps it."""
        mark = self.glyphs.here if not view.query.scope else " "
        right = Line().extend(self.held(view.project.overview.counts) if view.project.overview else [])
        name = view.worded("whole tree") if width > right.width + 12 else "all"
        if view.project.saved:  # of the tree, a trace knows only these
            name = "the trace"
        return [line(mark, "accent").add(name, "bold strong").right(width, right)]

    @property
    def idle(self) -> frozenset[str]:
        """Also choosing the whole tree while the query is kept to no folder, and a folder of a saved trace."""
        is_saved_folder = bool(self.view.project.saved) and self.branch is not None and self.branch.is_folder
        lifts_nothing = self.chosen == ROOT and not self.view.query.scope
        return super().idle | {"tree.take"} if is_saved_folder or lifts_nothing else super().idle

    def followed(self, before: str) -> str:
        """The cursor stays while the tree is in use."""
        return before if self.has_focus else self.view.selection.file

    def action_take(self) -> None:
        """Scopes the query to the folder under the cursor, or shows the note; in a saved trace opens the folder."""
        branch = self.branch
        if self.chosen in (UNSEEN, ASIDE):
            super().action_take()
        elif branch is not None and not branch.is_folder:
            self.post_message(self.NoteWanted(branch.path))
        elif self.view.project.saved:
            self.toggle(self.chosen)
        elif branch is not None or self.chosen == ROOT:
            wanted = ROOT if self.chosen == self.view.query.scope else self.chosen
            if wanted:
                self.toggle(self.chosen, True)
            self.post_message(self.ScopeWanted(wanted))
