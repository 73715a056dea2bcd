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
from brvtui.engines.registry import names_for
from brvtui.paint.line import Line
from brvtui.report.terms import analysis_lines

_Key = tuple[int, str]


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
        self._key: _Key = (0, "")
        self._shown: Mapping[str, Sequence[AnalysisStep]] = {}
        """The steps of the engines that have answered for :attr:`_key`, keyed by name."""

    def also_reads(self) -> tuple[object, ...]:
        """Returns the typed text and the steps, which are not in the view."""
        return (self._text, self._shown, *super().also_reads())

    def _wanted(self, view: View) -> _Key:
        return view.project.generation, self._text or view.query.text

    def lacks(self, view: View) -> Iterator[Message]:
        """Yields a request for the next engine, because the first use of an engine may take seconds."""
        key = generation, text = self._wanted(view)
        known = self._shown if self._key == key else {}
        engine = next((name for name in names_for(view.kind) if name not in known), "")
        if engine and generation and 0 < len(text) <= LONGEST_QUERY:
            yield WordsWanted(
                "tokens", lambda session: (key, engine, session.engines.analyses(text, engine)), self._show
            )

    def _show(self, found: tuple[_Key, str, Mapping[str, Sequence[AnalysisStep]]]) -> None:
        key, engine, steps = found
        known = self._shown if self._key == key else {}
        self._key, self._shown = key, {**known, engine: steps.get(engine, ())}
        self.rebuild()

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the steps of each engine, or what is missing."""
        _, text = self._wanted(view)
        if view.project.saved:
            return wrapped("a saved trace: open its project to cut a text", width)
        if not text:
            return wrapped(
                self.services.with_keys("Press {pane.filter} and type a text to see how each engine cuts it."), width
            )
        if len(text) > LONGEST_QUERY:
            return wrapped(f"the text has more than {LONGEST_QUERY:,} characters: type a shorter one", width)
        lines = wrapped("Two texts match only if an engine cuts them into the same words.", width)
        for name, steps in self._shown.items():
            lines += analysis_lines(name, steps, width) if steps else ()
        is_whole = self._key == self._wanted(view) and set(names_for(view.kind)) <= self._shown.keys()
        return lines if is_whole else [*lines, *wrapped("cutting…", width)]

    def heading(self, view: View) -> str:
        """Returns the title with the text that is shown."""
        return f"{self.TITLE} · {self._key[1]}" if self._key[1] else self.TITLE

    def put_filter(self, text: str) -> None:
        """Shows the steps of ``text``; of the query if it is blank."""
        self._text = text.strip()
        self.rebuild()

    def keep_filter(self) -> None:
        """Leaves the field and keeps its text."""
        self.screen.set_focus(self, scroll_visible=False)
