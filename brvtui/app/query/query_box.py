"""The query: its field, scope and mode, and the lint line."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from brvtui.app.query.lint_line import LintLine
from brvtui.app.query.query_input import QueryInput
from brvtui.app.states import AnswerState, EngineState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, line
from brvtui.paint.text import cut_left


class Prompt(Lines):
    """The sign before the field."""

    def build(self, view: View, width: int) -> list[Line]:
        """One sign."""
        return [line(f" {self.glyphs.prompt} ", "bold accent")]


class QueryBadge(Lines):
    """The scope of the query, and whether what is shown was probed or run."""

    READS = (QueryState, AnswerState, EngineState)

    def build(self, view: View, width: int) -> list[Line]:
        """Scope and mode at the right."""
        made = Line()
        if not view.engine.mode:
            scope = cut_left(view.query.scope, max(8, width - 18)) if view.query.scope else "whole tree"
            made.add("in ", "muted").add(scope, "bold accent" if view.query.scope else "text").add("  ")
        else:
            made.add("mode ", "muted").add(view.engine.mode, "text").add("  ")
        if view.query.followed is not None and view.query.followed.query == view.query.text:
            made.add(" ENGINE'S, RE-COMPUTED ", "bold badge-text on accent")
        else:
            made.add(" RUN " if view.ran else " PROBE ", "bold badge-text on ok" if view.ran else "bold accent")
        return [Line().right(width, made)]


class QueryBox(Vertical):
    """Field and lint line, in a frame when there is room."""

    def compose(self) -> ComposeResult:
        """Prompt, field, mode; below them the lint line."""
        with Horizontal(id="query-row"):
            yield Prompt(id="prompt")
            yield QueryInput(id="query")
            yield QueryBadge(id="mode")
        yield LintLine(id="lint")

    def update(self, view: View) -> None:
        """Shows ``view``."""
        for part in self.query(Lines).results(Lines):
            part.update(view)
