"""Differences between two texts as lines. In every comparison, theirs is on disk, and mine would be saved."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap
from brvtui.tree.editing.merging import Hunk, Side

_SIGNS = {Side.THEIRS: ("-", "bad"), Side.MINE: ("+", "ok"), Side.BOTH: (" ", "muted")}
"""The sign and the role of a line, by side."""


def legend(mine: str) -> Line:
    """Returns a legend for the signs; ``mine`` describes the user's text."""
    (theirs, their_role), (own, own_role) = _SIGNS[Side.THEIRS], _SIGNS[Side.MINE]
    row = line(f" {theirs} theirs: ", their_role).add("the note on disk", "muted")
    return row.add(f"   {own} mine: ", own_role).add(mine, "muted")


def hunk_lines(hunks: Sequence[Hunk], width: int, between: Sequence[Line] = ()) -> list[Line]:
    """Returns each line of ``hunks`` with its numbers in both texts and its sign; ``between`` separates the hunks."""
    numbers = [number for hunk in hunks for row in hunk.lines for number in (row.mine, row.theirs) if number]
    digits, lines = len(str(max(numbers, default=0))), list[Line]()
    for place, hunk in enumerate(hunks):
        lines += between if place else ()
        for row in hunk.lines:
            sign, role = _SIGNS[row.side]
            head, rest = f" {row.theirs or '':>{digits}} {row.mine or '':>{digits}} ", " " * (2 * digits + 3)
            for part in wrap(row.text, width - 2 * digits - 6):
                entry = line(head, "faint").add(f"{sign} ", role)
                lines.append(entry.add(part, "text" if role == "muted" else role))
                head, sign = rest, " "
    return lines
