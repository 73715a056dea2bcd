"""What it would take that a query needs no model, as lines."""

from __future__ import annotations

from brvtui.app.view import View
from brvtui.engines.byterover.takes_lines import takes_lines as shown_takes
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, rule


def takes_lines(view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """The kinds of change with what came of each; before that, how to ask, or that they are being tried."""
    if not view.may_take_less:
        return []
    made = [rule(width, "what it would take for tier 2", dash=glyphs.dash)]
    shown = (
        view.answer.takes if view.answer.takes is not None and view.answer.takes.trace is view.answer.trace else None
    )
    if shown is None:
        return [*made, Line().gap().add("v", "bold accent").add(" tries the smallest changes", "muted").cut(width)]
    if shown.found is None:
        return [*made, line(" trying changes…", "muted").cut(width)]
    return [*made, *shown_takes(shown.found, width, glyphs)]
