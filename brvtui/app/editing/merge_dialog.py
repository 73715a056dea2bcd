"""The dialog for merging two notes, which shows both side by side, and the changes with their effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import MERGE
from brvtui.app.editing.plan_dialog import FindEffect, PlanDialog
from brvtui.app.keys.bindings import bindings
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.ordered_keys import Options
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line, rule
from brvtui.tree.editing.joining import share_words
from brvtui.tree.editing.merging import Hunk, Side, difference

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan
    from brvtui.session.session import Session

MERGED = (
    "One note of each pair is archived; links and judged queries then refer to the other, which gets the text of both, "
    "unless they share at least 60 % of their words."
)
_ONE_OF_TWO = "One of the notes is archived; links and judged queries then refer to the other."
ONLY, BOTH = "keep only this note", "join both texts"


@dataclass(frozen=True, slots=True)
class TwoNotes:
    """Two notes to merge, and their differences."""

    texts: Mapping[str, str]
    """Both texts, keyed by path."""
    hunks: Sequence[Hunk]
    are_alike: bool
    """True if the texts share most of their words."""

    @classmethod
    def of(cls, session: Session, paths: Sequence[str]) -> TwoNotes:
        """Reads and compares the notes at both ``paths``. Blocks."""
        texts = {path: session.about(path).text for path in paths}
        left, right = texts.values()
        return cls(texts, difference(left, right), share_words(left, right))


class SidesPane(Pane):
    """Two texts side by side, with marks at the lines that only one of them contains."""

    TITLE = "Both notes"
    HELP_TEXT = (
        "This pane shows where the notes differ, side by side. Marked lines are only in the note on that side. Below "
        "are the effect of the merge, and every line that it changes."
    )

    def __init__(self, notes: TwoNotes, *, id: str) -> None:
        """Creates a pane for two ``notes``."""
        super().__init__(id=id)
        self.pinned = 1
        self._notes = notes

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line per pair of lines, below the paths."""
        half = max((width - 4) // 2, 1)
        left, right = self._notes.texts
        rows = [line(" ").fit(left, half, "bold strong").gap(2).add(right, "bold strong").cut(width)]
        if not self._notes.hunks:
            rows += wrapped("both texts are equal", width)
        for hunk in self._notes.hunks:
            rows += [rule(width, dash=self.glyphs.dash)] if len(rows) > 1 else []
            for is_both, group in groupby(hunk.lines, lambda row: row.side is Side.BOTH):
                lines = list(group)
                sides = ([row.text for row in lines if row.side is not other] for other in (Side.THEIRS, Side.MINE))
                for texts in zip_longest(*sides):
                    row = Line()
                    for text in texts:
                        mark = " " if is_both or text is None else "+"
                        row.add(mark, "accent").fit(text or "", half, "muted" if is_both else "text").gap()
                    rows.append(row.cut(width))
        return rows


class MergeDialog(PlanDialog):
    """Shows two notes side by side, and the plan that merges them."""

    BINDINGS = bindings(MERGE)

    def __init__(self, notes: TwoNotes, make: Callable[..., Plan], effect: FindEffect) -> None:
        """Creates a dialog for two ``notes``. ``make`` plans the merge of a list of pairs of paths; its argument
        ``joins`` is True if the merged note gets both texts. By default, the second note is kept.
        """
        super().__init__("Merge two notes", _ONE_OF_TWO, effect=effect)
        self._notes = notes
        self._make_merge = make

    def make_fields(self) -> ComposeResult:
        """Yields the choice of the note to keep, the choice of its text, and both texts."""
        yield Options("keep", [*reversed(list(self._notes.texts))], id="keep")
        yield Options("text", [ONLY, BOTH], ONLY if self._notes.are_alike else BOTH, id="text")
        yield SidesPane(self._notes, id="sides")

    @property
    def entered(self) -> tuple[str, str]:
        """The path of the note to keep, and the choice of its text."""
        return self.query_one("#keep", Options).chosen, self.query_one("#text", Options).chosen

    def maker(self) -> Callable[[], Plan]:
        """Returns a function that plans the merge."""
        keep, way = self.entered
        other = next(path for path in self._notes.texts if path != keep)
        return partial(self._make_merge, [(other, keep)], joins=way == BOTH)

    def action_switch_text(self) -> None:
        """Switches between keeping only one text and joining both."""
        self.query_one("#text", Options).choose(ONLY if self.entered[1] == BOTH else BOTH)
