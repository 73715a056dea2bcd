"""The dialog for merging two notes, which shows both side by side, and the changes with their effect."""

from __future__ import annotations

from collections.abc import Callable
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
from brvtui.tree.editing.merging import Side, difference

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan

MERGED = (
    "One note of each pair is archived; links and judged queries then refer to the other, which gets the text of both, "
    "unless they share at least 60 % of their words."
)
_ONE_OF_TWO = "One of the notes is archived; links and judged queries then refer to the other."
_ONLY, _BOTH = "keep only this note", "join both texts"


class SidesPane(Pane):
    """Two texts side by side, with marks at the lines that only one of them contains."""

    TITLE = "Both notes"
    HELP_TEXT = (
        "This pane shows where the notes differ, side by side. Marked lines are only in the note on that side. Below "
        "are the effect of the merge, and every line that it changes."
    )

    def __init__(self, left: tuple[str, str], right: tuple[str, str], *, id: str) -> None:
        """Creates a pane for two notes, each with its path and its text."""
        super().__init__(id=id)
        self.pinned = 1
        self._paths = left[0], right[0]
        self._hunks = difference(left[1], right[1])

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line per pair of lines, below the paths."""
        half = max((width - 4) // 2, 1)
        left, right = self._paths
        rows = [line(" ").fit(left, half, "bold strong").gap(2).add(right, "bold strong").cut(width)]
        if not self._hunks:
            rows += wrapped("both texts are equal", width)
        for hunk in self._hunks:
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

    def __init__(self, notes: dict[str, str], make: Callable[..., Plan], effect: FindEffect) -> None:
        """Creates a dialog for two ``notes``: texts by path. ``make`` plans the merge of a list of pairs of paths; its
        argument ``joins`` is True if the merged note gets both texts. By default, the second note is kept.
        """
        super().__init__("Merge two notes", _ONE_OF_TWO, effect=effect)
        self._notes = notes
        self._make_merge = make

    def make_fields(self) -> ComposeResult:
        """Yields the choice of the note to keep, the choice of its text, and both texts."""
        yield Options("keep", [*reversed(self._notes)], id="keep")
        yield Options("text", [_ONLY, _BOTH], _ONLY if share_words(*self._notes.values()) else _BOTH, id="text")
        yield SidesPane(*self._notes.items(), id="sides")

    @property
    def entered(self) -> tuple[str, str]:
        """The path of the note to keep, and the choice of its text."""
        return self.query_one("#keep", Options).chosen, self.query_one("#text", Options).chosen

    def maker(self) -> Callable[[], Plan]:
        """Returns a function that plans the merge."""
        keep, way = self.entered
        other = next(path for path in self._notes if path != keep)
        return partial(self._make_merge, [(other, keep)], joins=way == _BOTH)

    def action_switch_text(self) -> None:
        """Switches between keeping only one text and joining both."""
        self.query_one("#text", Options).choose(_ONLY if self.entered[1] == _BOTH else _BOTH)
