"""The Tokens pane: the words into which each engine cuts a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from textual.message import Message

from brvtui.app.health.words import WordsWanted
from brvtui.app.states import ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.engines.contract import LONGEST_QUERY, AnalysisStep
from brvtui.paint.line import Line
from brvtui.report.terms import analysis_lines

_Key = tuple[int, str]
_Analyses = Mapping[str, Sequence[AnalysisStep]]


class TokensPane(Pane):
    """The steps of each engine for the typed text or, if none is typed, for the query of the Query screen."""

    TITLE = "Tokens"
    READS = (ProjectState, QueryState)
    FILTER_DOES = "cut"
    HELP_TEXT = (
        "This pane shows how each engine cuts a text: the scope, the stop words that it leaves out, the words that it "
        "searches, their stems, the FTS5 expression, and the words that match nothing in this memory. It begins with "
        "the query of the Query screen. {pane.filter} types another text; Esc shows the query again."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._text = ""
        self._shown: tuple[_Key, _Analyses] | None = None

    def also_reads(self) -> tuple[object, ...]:
        """Returns the typed text and the steps, which are not in the view."""
        return (self._text, self._shown, *super().also_reads())

    def _key(self, view: View) -> _Key:
        return view.project.generation, self._text or view.query.text

    def lacks(self, view: View) -> Iterator[Message]:
        """Yields a request for the steps of the current text."""
        key = generation, text = self._key(view)
        if generation and 0 < len(text) <= LONGEST_QUERY and (self._shown is None or self._shown[0] != key):
            yield WordsWanted(
                "tokens", lambda session: (key, session.engines.analyses(text)), lambda shown: self._show(shown)
            )

    def _show(self, shown: tuple[_Key, _Analyses]) -> None:
        self._shown = shown
        self.rebuild()

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the steps of each engine, or what is missing."""
        _, text = self._key(view)
        if view.project.saved:
            return wrapped("a saved trace: open its project to cut a text", width)
        if not text:
            return wrapped(
                self.services.with_keys("Press {pane.filter} and type a text to see how each engine cuts it."), width
            )
        if len(text) > LONGEST_QUERY:
            return wrapped(f"the text has more than {LONGEST_QUERY:,} characters: type a shorter one", width)
        lines = wrapped("Two texts match only if an engine cuts them into the same words.", width)
        if self._shown is None:
            return [*lines, *wrapped("cutting…", width)]
        for name, steps in self._shown[1].items():
            lines += analysis_lines(name, steps, width)
        return lines

    def heading(self, view: View) -> str:
        """Returns the title with the text that is shown."""
        text = self._shown[0][1] if self._shown is not None else ""
        return f"{self.TITLE} · {text}" if text else self.TITLE

    def put_filter(self, text: str) -> None:
        """Shows the steps of ``text``; of the query if it is blank."""
        self._text = text.strip()
        self.rebuild()

    def keep_filter(self) -> None:
        """Leaves the field and keeps its text."""
        self.screen.set_focus(self, scroll_visible=False)
