"""Tree: folders with their notes by maturity; choosing a folder scopes the query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType

from brvtui.app.glyphs import Glyphs
from brvtui.app.messages import NoteWanted
from brvtui.app.paint.line import Line, line
from brvtui.app.paint.text import cut_left, wrap
from brvtui.app.view import Branch, Phase, View
from brvtui.app.widgets.pane import ChoicePane
from brvtui.app.widgets.status_line import counts
from brvtui.app.widgets.verdict import empty_lines

ROOT = ""
UNSEEN = "\0unseen"
_OPEN_AT_FIRST = 60


class TreePane(ChoicePane):
    """Rows are the root, folders, notes, and a last node for files that the engine does not see."""

    TITLE = "Tree"
    HELP_TEXT = (
        "The context tree: folders with their notes by maturity (○ draft, ◐ validated, ● core). Enter on a folder "
        "keeps the query inside it; Enter on it again, or on the whole tree, lifts that. Right and left open and "
        "close folders. The last node lists files that the engine does not see, each with its reason."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "scope", id="tree.take", tooltip="Keep the query in this folder, or show the note"),
        Binding("l,right", "unfold", "open", id="tree.open", tooltip="Open the folder"),
        Binding("h,left", "fold", "close", id="tree.close", show=False, tooltip="Close the folder, or go up"),
    ]

    def __init__(self, *, id: str) -> None:
        """A tree with nothing opened."""
        super().__init__(id=id)
        self.opened: set[str] | None = None
        self._branches: dict[str, Branch] = {}
        self._of: object = None

    def depends(self, view: View) -> tuple[object, ...]:
        """The tree, what is open, scope, selection and scores."""
        return (view.overview, view.scope, view.selected, view.trace, view.phase, str(sorted(self.opened or ())))

    def heading(self, view: View) -> str:
        """Says when the query is kept to a folder."""
        return f"Tree · in {view.scope}" if view.scope else "Tree"

    def build(self, view: View, width: int) -> list[Line]:
        """One line a visible row."""
        before = self.chosen
        self.choices, self.owner = [], []
        overview = view.overview
        if overview is None:
            text = "no tree" if view.phase is Phase.FAILED else "reading the tree…"
            return empty_lines(text, width)
        if self._of is not overview:
            self._of = overview
            self._branches = {branch.path: branch for branch in _walk(overview.roots)}
        if self.opened is None:
            small = len(self._branches) <= _OPEN_AT_FIRST
            self.opened = {path for path, branch in self._branches.items() if branch.is_folder and small}
        scores = {hit.file: hit.score for hit in view.trace.hits} if view.trace and view.query.strip() else {}
        lit = set(_ancestors(view.selected)) if view.selected else set()
        made = [self._root(view, width)]
        self.choices.append(ROOT)
        for branch, depth in self._rows(overview.roots, 0, lit):
            self.choices.append(branch.path)
            made.append(_row(branch, depth, width, self.glyphs, view, scores, self._is_open(branch, lit)))
        self.owner = list(range(len(made)))
        if overview.unseen:
            made += self._unseen(overview.unseen, width)
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return made

    def update(self, view: View) -> None:
        """Follows the selected result as long as the tree itself is not in use."""
        moved = view.selected != self.view.selected
        super().update(view)
        if moved and view.selected and not self.has_focus:
            place = self.choices.index(view.selected) if view.selected in self.choices else -1
            if place >= 0:
                self.move_to(place, tell=False)

    def _root(self, view: View, width: int) -> Line:
        mark = self.glyphs.here if not view.scope else " "
        overview = view.overview
        right = Line().extend(counts(overview.counts, self.glyphs) if overview else [])
        name = "whole tree" if width > right.width + 12 else "all"
        return line(mark, "accent").add(name, "bold strong").right(width, right)

    def _is_open(self, branch: Branch, lit: set[str]) -> bool:
        return branch.path in (self.opened or ()) or branch.path in lit

    def _rows(self, branches: Iterable[Branch], depth: int, lit: set[str]) -> Iterable[tuple[Branch, int]]:
        for branch in branches:
            yield branch, depth
            if branch.is_folder and self._is_open(branch, lit):
                yield from self._rows(branch.children, depth + 1, lit)

    def _unseen(self, unseen: tuple[tuple[str, str], ...], width: int) -> list[Line]:
        is_open = UNSEEN in (self.opened or ())
        sign = self.glyphs.open if is_open else self.glyphs.closed
        right = Line().add(str(len(unseen)), "muted")
        made = [line(f" {sign} ", "warn").add("not seen by the engine", "warn").right(width, right)]
        self.choices.append(UNSEEN)
        self.owner.append(len(self.choices) - 1)
        for path, reason in unseen if is_open else ():
            made.append(line("   ").add(cut_left(path, width - 4), "text"))
            made += [line(f"     {part}", "muted") for part in wrap(reason, width - 6)]
        self.owner += [-1] * (len(made) - 1)
        return [entry.cut(width) for entry in made]

    def clicked(self, place: int) -> None:
        """A click opens or closes what is not chosen, and takes it."""
        self.move_to(place)
        self.action_take()

    def action_take(self) -> None:
        """Scopes the query to the folder under the cursor, or shows the note."""
        path = self.chosen
        branch = self._branches.get(path)
        if path == UNSEEN:
            self._toggle(path)
        elif branch is None or branch.is_folder:
            wanted = ROOT if path == self.view.scope else path
            if wanted and branch is not None:
                self._toggle(path, True)
            self.brv.scope_to(wanted)
        else:
            self.post_message(NoteWanted(path))

    @property
    def note(self) -> str:
        """The note under the cursor; empty when a folder is."""
        branch = self._branches.get(self.chosen)
        return branch.path if branch is not None and not branch.is_folder else ""

    def action_unfold(self) -> None:
        """Opens the folder, or steps into an open one."""
        if self.chosen in (self.opened or ()):
            self.action_down()
        else:
            self._toggle(self.chosen, True)

    def action_fold(self) -> None:
        """Closes the folder, or goes to the one that holds this."""
        path = self.chosen
        if path in (self.opened or ()):
            self._toggle(path, False)
            return
        parent = path.rpartition("/")[0]
        if parent in self.choices:
            self.move_to(self.choices.index(parent))

    def _toggle(self, path: str, wanted: bool | None = None) -> None:
        opened = set(self.opened or ())
        branch = self._branches.get(path)
        if path != UNSEEN and (branch is None or not branch.is_folder):
            return
        is_open = path in opened
        if wanted is None or wanted != is_open:
            self.opened = opened ^ {path}
            self.rebuild()
            self.reveal()
            if path == UNSEEN and not is_open:
                self.scroll_to_row(self.owner.index(self.cursor))


def _walk(branches: Iterable[Branch]) -> Iterable[Branch]:
    for branch in branches:
        yield branch
        yield from _walk(branch.children)


def _ancestors(path: str) -> Iterable[str]:
    above = path.rpartition("/")[0]
    while above:
        yield above
        above = above.rpartition("/")[0]


def _row(
    branch: Branch, depth: int, width: int, glyphs: Glyphs, view: View, scores: dict[str, float], is_open: bool
) -> Line:
    here = branch.path == view.scope or (branch.path == view.selected and bool(scores))
    made = line(glyphs.here if here else " ", "accent").gap(depth)
    if branch.is_folder:
        made.add(f"{glyphs.open if is_open else glyphs.closed} ", "muted")
        made.add(branch.name, "bold accent" if branch.path == view.scope else "text")
        return made.right(width, Line().extend(counts(branch.counts, glyphs)))
    sign = glyphs.maturity.get(branch.maturity) or glyphs.kind.get(branch.kind, " ")
    role = branch.maturity if branch.maturity in glyphs.maturity else "muted"
    if branch.kind in glyphs.kind:
        sign, role = glyphs.kind[branch.kind], "stub" if branch.kind == "archive_stub" else "summary"
    score = scores.get(branch.path)
    made.add(f"{sign} ", role).add(branch.name, "bold strong" if score is not None else "muted")
    return made.right(width, Line().add(f"{score:.2f}" if score is not None else "", "strong"))
