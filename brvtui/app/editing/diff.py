"""Two texts as one: what only the first has, what only the second has, and some of what is around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from brvtui.app.view import View
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.tree.editing.merging import DiffLine, Hunk

_SIGNS = {"mine": ("-", "bad"), "theirs": ("+", "ok"), "both": (" ", "muted")}


class DiffPane(Pane):
    """The places at which two texts differ."""

    TITLE = "Differences"
    HELP_TEXT = (
        "Lines with - are in the first text only, lines with + in the second only; the numbers are those of each."
    )

    def __init__(self, hunks: Sequence[Hunk], *, id: str) -> None:
        """A pane over ``hunks``."""
        super().__init__(id=id)
        self._hunks = hunks

    def build(self, view: View, width: int) -> list[Line]:
        """Numbers in both texts, a sign, the line; a rule between places."""
        numbers = [number for hunk in self._hunks for row in hunk.lines for number in (row.mine, row.theirs) if number]
        digits = len(str(max(numbers, default=0)))
        made: list[Line] = []
        for hunk in self._hunks:
            made += [rule(width, dash=self.glyphs.dash)] if made else []
            for row in hunk.lines:
                made += _row(row, digits, width)
        return made or [line(" nothing differs", "muted")]


def _row(row: DiffLine, digits: int, width: int) -> list[Line]:
    sign, role = _SIGNS[row.side]
    made: list[Line] = []
    for place, part in enumerate(wrap(row.text, width - 2 * digits - 6)):
        mine, theirs, mark = (row.mine or "", row.theirs or "", sign) if place == 0 else ("", "", " ")
        head = line(f" {mine:>{digits}} {theirs:>{digits}} ", "faint")
        made.append(head.add(f"{mark} ", role).add(part, "text" if role == "muted" else role))
    return made
