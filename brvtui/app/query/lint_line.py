"""The line under the query: what is left of it, and what in it can never match."""

from __future__ import annotations

from brvtui.app.states import AnswerState, EngineState, Phase, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, line, spread


class LintLine(Lines):
    """How the engine reads the query: words, terms, what cannot match."""

    READS = (QueryState, AnswerState, EngineState, ProjectState)

    def build(self, view: View, width: int) -> list[Line]:
        """One line; the least important group gives way when it is narrow."""
        if view.answered is None:
            return [line("  " + _waiting(view), "muted").cut(width)]
        groups = view.presentation.reading(view.answered, self.glyphs)
        return [Line().gap(2).extend(spread(width - 2, groups).spans)]


def _waiting(view: View) -> str:
    if view.project.phase is Phase.LOADING:
        return "type on: the query is probed as soon as the notes are read"
    if view.project.phase is Phase.FAILED:
        return "no tree to ask"
    return view.presentation.typing
