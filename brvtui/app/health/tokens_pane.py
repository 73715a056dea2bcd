"""The Tokens pane: the words into which each engine splits a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from textual.message import Message

from brvtui.app.health.checks import SessionRequest
from brvtui.app.states import ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.engines.contract import LONGEST_QUERY, AnalysisStep
from brvtui.paint.line import Line
from brvtui.report.terms import analysis_lines

_Key = tuple[int, str]


class TokensPane(Pane):
    """Each engine's steps for the typed text or, if nothing is typed, for the query on the Query screen."""

    TITLE = "Tokens"
    READS = (ProjectState, QueryState)
    FILTER_DOES = "split"
    HELP_TEXT = (
        "This pane shows how each engine splits a text into words: the scope, the stop words that it leaves out, the "
        "words that it searches, their stems, the FTS5 expression, and the words that match nothing in this memory. It "
        "begins with the query of the Query screen. {pane.filter} types another text; Esc shows the query again."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._text = ""
        self._cut: tuple[_Key, Mapping[str, Sequence[AnalysisStep]]] = (0, ""), {}
        """The text that was split, its snapshot, and each engine's steps."""

    def also_reads(self) -> tuple[object, ...]:
        """Returns the typed text and the steps, which are not in the view."""
        return (self._text, self._cut, *super().also_reads())

    def _wanted(self, view: View) -> _Key:
        return view.project.generation, (self._text or view.query.text)[:LONGEST_QUERY]

    def lacks(self, view: View) -> Iterator[Message]:
        """Yields a request for the steps."""
        key = generation, text = self._wanted(view)
        if key != self._cut[0] and generation and text:
            yield SessionRequest("tokens", lambda session: (key, session.engines.analyses(text)), self._show)

    def _show(self, cut: tuple[_Key, Mapping[str, Sequence[AnalysisStep]]]) -> None:
        self._cut = cut
        self.rebuild()

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the steps of each engine, or the reason why there are none."""
        key = _, text = self._wanted(view)
        if view.project.saved:
            return wrapped("a saved trace: open its project to split a text", width)
        if not text:
            hint = "Press {pane.filter} and type a text to see how each engine splits it into words."
            return wrapped(self.services.with_keys(hint), width)
        if key != self._cut[0]:
            return wrapped("cutting…", width)
        why = wrapped("Two texts match only if an engine splits them into the same words.", width)
        return [*why, *analysis_lines(self._cut[1], width)]

    def heading(self, view: View) -> str:
        """Returns the title with the text that is shown."""
        text = self._wanted(view)[1]
        return f"{self.TITLE} · {text}" if text else self.TITLE

    def put_filter(self, text: str) -> None:
        """Shows the steps for ``text``, or for the query if ``text`` is blank."""
        self._text = text.strip()
        self.rebuild()

    def keep_filter(self) -> None:
        """Leaves the field and keeps its text."""
        self.screen.set_focus(self, scroll_visible=False)
