"""Counterfactuals as lines: the smallest changes after which a query needs no model."""

from __future__ import annotations

from brvtui.app.view import View
from brvtui.engines.byterover.counterfactuals.lines import counterfactual_lines as lines_of
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, rule


def counterfactual_lines(view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """Each kind of change with its result; before there are results, the key to press, or that the search goes on."""
    if not view.may_need_less:
        return []
    made = [rule(width, "what it would take for tier 2", dash=glyphs.dash)]
    search = view.answer.counterfactuals
    if search is None or search.trace is not view.answer.trace:
        return [*made, Line().gap().add("v", "bold accent").add(" tries the smallest changes", "muted").cut(width)]
    if search.found is None:
        return [*made, line(" trying changes…", "muted").cut(width)]
    return [*made, *lines_of(search.found, width, glyphs)]
