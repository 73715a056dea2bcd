"""The context tree: folders and files, with the number of notes by maturity. Subclasses define the effect of Enter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from brvtui.app.actions.panes import TREE
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import INDEX, MANIFEST, Phase, ProjectState, QueryState, SelectionState, ancestors
from brvtui.app.view import View, marks_of
from brvtui.app.widgets.choice_pane import NOTHING, ChoicePane
from brvtui.app.widgets.lines import LazyLines, wrapped
from brvtui.app.widgets.outline import Order, Outline, Row
from brvtui.app.widgets.status_line import counts
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, Span, line
from brvtui.paint.text import cut_left, days, wrap
from brvtui.tree.reading.kinds import ProjectKind
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.app.contents import Branch, Overview

ROOT = ""
UNSEEN = "\0unseen"
ASIDE = "\0aside"
_MS_PER_DAY = 86_400_000
_MOST_UNSEEN = 500
_LEAST_NAME = 8
KIND_WORDS = {
    "archive_stub": "stub",
    "summary": "represents its folder",
    INDEX: "folder summary",
    "abstract": "abstract",
    "overview": "overview",
    "archived": "archived note",
    MANIFEST: "manifest",
}
"""The words that the tree shows for special files, keyed by kind."""


class TreePane(ChoicePane):
    """A row for each folder and file, then a row for hidden stubs, and a row for files that the engine does not see."""

    TITLE = "Tree"
    READS = (ProjectState, SelectionState, QueryState)
    TAKES_CLICK = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(TREE)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.outline = Outline()
        self._tail: list[Line] = []
        self._last: list[str] = []
        self._owners: list[int] = []
        self._followed = self._opened_to = ""
        self._stamp = 0
        self._missed = ROOT
        """The choice that disappeared under the cursor, selected again if it reappears before the cursor moves."""
        self._marks: dict[str, str] = {}
        self._look: tuple[object, ...] = ()
        self._to_look_at: frozenset[str] = frozenset()
        """The notes that have problems or changed on disk after they were read, and the folders above them."""

    def also_reads(self) -> tuple[object, ...]:
        """Returns a counter that increases when folders or the order change."""
        return (self._stamp, *super().also_reads())

    def move_to(self, place: int, tell: bool = True) -> None:
        """Moves the cursor to the choice at index ``place``, and forgets a choice that disappeared under the cursor."""
        self._missed = ROOT
        super().move_to(place, tell)

    def restamp(self) -> None:
        """Builds the rows again after a change that is not part of the view."""
        self._stamp += 1
        self.rebuild()

    def update(self, view: View) -> None:
        """Shows ``view``; repaints all rows if trace, selection, scope or stale files have changed."""
        overview = view.project.overview
        paths = frozenset(view.stale.files) | (overview.to_mend if overview is not None else frozenset())
        self._to_look_at = paths.union(*map(ancestors, paths))  # needed before the rows are drawn
        super().update(view)
        look = (view.answered, view.selection.file, view.query.scope, view.stale.files)
        if look != self._look:
            self._look = look
            self._marks = marks_of(view.answered)
            self.repaint()

    @property
    def branch(self) -> Branch | None:
        """The folder or file under the cursor; None on other rows."""
        overview = self.view.project.overview
        return overview.branches.get(self.chosen) if overview is not None else None

    @property
    def note(self) -> str:
        """The path of the note under the cursor, or an empty string."""
        branch = self.branch
        return branch.path if branch is not None and branch.maturity else ""

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: opening a row that is not a folder, and showing stubs if there are none."""
        can_open = self.chosen in (UNSEEN, ASIDE) if self.branch is None else self.branch.is_folder
        overview = self.view.project.overview
        idle = set() if can_open else {"tree.open"}
        return frozenset(idle if overview is not None and overview.aside else idle | {"tree.aside"})

    @property
    def renamed(self) -> Mapping[str, str]:
        """The changed label in the key bar: the key for stubs and derived files hides them while they are shown."""
        return {"tree.aside": "fewer files"} if self.outline.aside else {}

    # rows

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns a line for each visible row; each is drawn when it is painted."""
        overview = view.project.overview
        if overview is None:
            self.choices, self.owner = [], []
            text = "no tree" if view.project.phase is Phase.FAILED else "reading the tree…"
            return wrapped(view.project.problem or text, width)
        before = self.chosen
        self.outline.begin(overview)
        if view.selection.file != self._followed:
            self._followed = view.selection.file
            before = self.followed(before)
        if (
            self._followed != self._opened_to and not self.word_filter
        ):  # while a filter is set, it decides which folders are open
            self._opened_to = self._followed
            self.outline.open(*ancestors(self._followed))
        other = self.outline.settle(overview, view.selection.file, self.word_filter)
        self.all = self.outline.total
        head = self.head(view, width)
        last = self._last
        self._build_tail(overview, width, bool(head))
        if other or last != self._last or not self.choices:
            self.choices = [*([ROOT] if head else []), *(branch.path for branch, _ in self.outline.rows), *self._last]
            self.owner = [*range(len(head) + len(self.outline.rows)), *self._owners]
        if before not in self.choices:
            if self.outline.kept is None:
                self._missed = self._missed or before
            self.cursor = 0
        elif before != self.chosen:
            self.cursor = self.choices.index(before)
        if self._missed and self._missed in self.choices:
            self.cursor, self._missed = self.choices.index(self._missed), ROOT
        return LazyLines(head, self.outline.rows, self._tail, self._row)

    def head(self, view: View, width: int) -> list[Line]:
        """Returns the lines above the rows; by default none."""
        return []

    def followed(self, before: str) -> str:
        """Returns the choice that the cursor moves to when another note is selected; ``before`` is the current one."""
        return before

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns ``lines``, whose rows are already filtered, and moves the cursor to a matching file."""
        kept = self.outline.kept
        if kept is not None and self.chosen not in kept.files:
            self.cursor = next((place for place, choice in enumerate(self.choices) if choice in kept.files), 0)
        return lines

    def tally(self) -> str:
        """Returns the number of matching files out of all files; empty if there is no filter."""
        kept = self.outline.kept
        return f"{len(kept.files)} of {self.all}" if kept is not None else ""

    # painting

    def _row(self, row: Row) -> Line:
        branch, depth = row
        view, glyphs, width, marks = self.view, self.glyphs, self.room, self._marks
        here = branch.path == view.query.scope or (branch.path == view.selection.file and self.marks_selected(marks))
        row_line = line(glyphs.here if here else " ", "accent").gap(depth)
        if branch.is_folder:
            return self._folder(row_line, branch, width)
        sign, role = (glyphs.warn, "warn") if branch.path in self._to_look_at else sign_of(branch, glyphs, view.kind)
        mark = marks.get(branch.path, "")
        row_line.add(f"{sign} ", role).add(branch.name, "bold strong" if mark else self.name_role(branch))
        if branch.kind in KIND_WORDS:
            row_line.add(f"  {KIND_WORDS[branch.kind]}", "faint")
        elif self.outline.kept is not None and not self.word_filter.keeps(branch.name.lower()):
            room = width - row_line.gap(2).width
            row_line.add(cut_left(branch.path.rpartition("/")[2], room) if room >= _LEAST_NAME else "", "faint")
        return row_line.right(width, Line().add(mark, "strong") if mark else self._value(branch))

    def _folder(self, row_line: Line, branch: Branch, width: int) -> Line:
        glyphs, is_open = self.glyphs, self.outline.is_open(branch.path)
        row_line.add(f"{glyphs.open if is_open else glyphs.closed} ", "muted")
        row_line.add(branch.name, "bold accent" if branch.path == self.view.query.scope else "text")
        if not is_open and branch.path in self._to_look_at:
            row_line.add(f" {glyphs.warn}", "warn")
        if self.outline.kept is not None:
            return row_line.right(width, Line().add(str(self.outline.kept.folders[branch.path]), "muted"))
        return row_line.right(width, Line().extend(self.held(branch.counts)))

    def held(self, numbers: tuple[int, int, int]) -> list[Span]:
        """Returns the number of notes by maturity, or of symbols, in a folder."""
        return counts(numbers, self.glyphs) if self.view.kind.has_maturity else [(str(sum(numbers)), "muted")]

    def marks_selected(self, marks: dict[str, str]) -> bool:
        """True if the selected note is marked in the margin."""
        return bool(marks)

    def name_role(self, branch: Branch) -> str:
        """Returns the role of a file's name."""
        return "muted"

    def _value(self, branch: Branch) -> Line:
        overview = self.view.project.overview
        if self.outline.order is Order.IMPORTANCE and branch.maturity:
            return Line().add(f"{branch.importance:.0f}", "importance")
        if self.outline.order is Order.AGE and overview is not None:
            return Line().add(days(max(0.0, overview.loaded_ms - branch.mtime_ms) / _MS_PER_DAY), "recency")
        return Line()

    def _build_tail(self, overview: Overview, width: int, has_head: bool) -> None:
        """Builds the lines below the rows, with their choices and owners."""
        self._last, self._owners = [], []
        self._first_of_last = len(self.outline.rows) + has_head
        lines = self._nothing(overview, width) + self._aside(overview) + self._unseen(overview, width)
        self._tail = [row_line.cut(width) for row_line in lines]

    def _add_tail_choice(self, choice: str, lines: int = 1) -> None:
        self._owners += [self._first_of_last + len(self._last)] * lines
        self._last.append(choice)

    def _nothing(self, overview: Overview, width: int) -> list[Line]:
        if self.outline.rows or (self.outline.kept is not None and self._unseen_here(overview)):
            return []
        text = NOTHING
        if self.outline.kept is None:
            if self.view.project.saved:
                return wrapped("the trace has no notes", width)
            cannot_begin = overview.unreadable or overview.unread or "note.new" in self.view.idle
            begins = "" if cannot_begin else self.services.with_keys("; {note.new} begins one")
            text = f"{overview.why_empty}{begins}"
        lines = wrapped(text, width)
        self._owners += [-1] * len(lines)
        return lines

    def _aside(self, overview: Overview) -> list[Line]:
        if not overview.aside or self.outline.kept is not None:
            return []
        self._add_tail_choice(ASIDE)
        left_out = counted(overview.aside, "stub or derived file", "stubs, derived files")
        verb, key = "hide " if self.outline.aside else "", self.services.shown_key("tree.aside")
        return [line(f" {key} ", "bold muted").add(f"{verb}{left_out}", "faint")]

    def _unseen_here(self, overview: Overview) -> list[tuple[str, str]]:
        """Returns the files that the engine does not see and the filter matches, each with its reason."""
        return [pair for pair in overview.unseen if self.word_filter.keeps(pair[0].lower())]

    def _unseen(self, overview: Overview, width: int) -> list[Line]:
        unseen = self._unseen_here(overview)
        if not unseen:
            return []
        is_open = self.outline.is_open(UNSEEN)
        sign = self.glyphs.open if is_open else self.glyphs.closed
        self._add_tail_choice(UNSEEN)
        right = Line().add(str(len(unseen)), "muted")
        lines = [line(f" {sign} ", "warn").add("not read by the engine", "warn").right(width, right)]
        for path, reason in unseen[:_MOST_UNSEEN] if is_open else ():
            reasons = [line(f"     {part}", "muted") for part in wrap(reason, width - 6)]
            lines += [line("   ").add(cut_left(path, width - 4), "text"), *reasons]
            self._add_tail_choice(path, 1 + len(reasons))
        if is_open and len(unseen) > _MOST_UNSEEN:
            lines.append(line(f"   … {len(unseen) - _MOST_UNSEEN} more", "muted"))
            self._owners.append(-1)
        return lines

    # actions

    def action_take(self) -> None:
        """Opens or closes the groups below the tree; subclasses handle folders and files."""
        if self.chosen == UNSEEN:
            self.toggle(UNSEEN)
        elif self.chosen == ASIDE:
            self.action_aside()

    def action_unfold(self) -> None:
        """Opens the folder under the cursor, or moves into it if it is open."""
        if self.chosen == ASIDE and not self.outline.aside:
            self.action_aside()
        elif self.outline.is_open(self.chosen):
            self.action_down()
        else:
            self.toggle(self.chosen, True)

    def action_fold(self) -> None:
        """Closes the folder under the cursor, or moves to its parent."""
        path = self.chosen
        if path == ASIDE and self.outline.aside:
            self.action_aside()
            return
        if self.outline.is_open(path) and self.outline.kept is None:
            self.toggle(path, False)
            return
        parent = path.rpartition("/")[0]
        if parent in self.choices:
            self.move_to(self.choices.index(parent))

    def action_aside(self) -> None:
        """Shows or hides stubs and derived files."""
        self.outline.aside = not self.outline.aside
        self.restamp()
        self.show_keys()
        self.reveal()

    def action_order(self) -> None:
        """Switches the order of files between name, importance and age."""
        self.outline.order = self.outline.order.next
        self.restamp()
        self.reveal()

    def action_match(self, step: int) -> None:
        """Moves to the next or previous file that matches the filter; wraps around at the ends."""
        kept = self.outline.kept
        if kept is None or not kept.files:
            return
        place = self.cursor
        while True:
            place = (place + step) % len(self.choices)
            if self.choices[place] in kept.files:
                self.move_to(place)
                return

    def step(self, step: int) -> None:
        """Moves to the next or previous matching file while the filter is typed."""
        self.action_match(step)

    def toggle(self, path: str, wanted: bool | None = None) -> None:
        """Opens or closes folder ``path``; toggles it if ``wanted`` is None."""
        branch = self.view.project.overview.branches.get(path) if self.view.project.overview else None
        if path != UNSEEN and (branch is None or not branch.is_folder):
            return
        is_open = path in (self.outline.opened or ())
        if wanted is None or wanted != is_open:
            (self.outline.close if is_open else self.outline.open)(path)
            self.restamp()
            self.reveal()
            if path == UNSEEN and not is_open:
                self.scroll_to_row(self.owner.index(self.cursor))


def sign_of(branch: Branch, glyphs: Glyphs, kind: ProjectKind) -> tuple[str, str]:
    """Returns the sign for a file and the sign's role; all code symbols have the same sign."""
    if not kind.has_maturity:
        return glyphs.bullet, "muted"
    if branch.kind == INDEX:
        return glyphs.kind["summary"], "stub"
    if branch.kind in glyphs.kind:
        return glyphs.kind[branch.kind], "stub" if branch.kind == "archive_stub" else "summary"
    if branch.maturity not in glyphs.maturity:  # a saved trace may contain any text
        return glyphs.derived, "stub"
    return glyphs.maturity[branch.maturity], branch.maturity
