"""How every view of two texts marks them: what is on disk, which is theirs, and what would be saved, which is mine."""

from __future__ import annotations

from brvtui.paint.line import Line, line
from brvtui.tree.editing.merging import Side

SIGNS = {Side.THEIRS: ("-", "bad"), Side.MINE: ("+", "ok"), Side.BOTH: (" ", "muted")}
"""The sign of a line, and its role."""


def legend(mine: str) -> Line:
    """Returns what the signs mean; ``mine`` says which text of the user's that is."""
    (theirs, their_role), (own, own_role) = SIGNS[Side.THEIRS], SIGNS[Side.MINE]
    made = line(f" {theirs} theirs: ", their_role).add("the note on disk", "muted")
    return made.add(f"   {own} mine: ", own_role).add(mine, "muted")
