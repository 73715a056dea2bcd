"""Answer: what the user would read, the prompt that would be sent, or the text of the selected note."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import ANSWER
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import AnswerState, ModelState, NoteState, ProjectState, QueryState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.lines import empty_lines
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.app.live_answer import LiveAnswer
    from brvtui.paint.answers import Mark
    from brvtui.trace import Trace

TABS = ("answer", "prompt", "note")


class AnswerPane(Pane):
    """Three tabs over one text; the query's terms are marked in it."""

    TITLE = "Answer"
    READS = (QueryState, AnswerState, SelectionState, NoteState, ModelState, ProjectState)
    HELP_TEXT = (
        "answer: what the user would read at this tier. prompt: what would be sent to a model at tier 3 or 4, section "
        "by section with estimated tokens, and the lanes of the manifest. note: the text of the selected result. The "
        "left and right arrows change the tab; the query's terms are underlined. Jeffs Brain only retrieves: its "
        "second tab holds what a reranker is sent of the head of the list."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ANSWER)

    @dataclass
    class TextWanted(Message):
        """The text of a note is to be read."""

        file: str

    def __init__(self, *, id: str) -> None:
        """An answer pane on its first tab."""
        super().__init__(id=id)
        self.tab = TABS[0]
        self._edges: list[tuple[int, str]] = []

    @property
    def copies(self) -> str:
        """The answer or the prompt in front; of a note, its path."""
        return {"note": "path"}.get(self.tab, self.tab)

    def also_reads(self) -> tuple[object, ...]:
        """The tab in front."""
        return (self.tab, *super().also_reads())

    def heading(self, view: View) -> str:
        """What kind of answer it is."""
        if view.answered is not None and self.tab == "note" and view.selection.file:
            return f"Note · {view.selection.file}"
        if view.answered is None:
            return "Answer"
        if _live(view) is not None:
            return "Answer · being written"
        return f"Answer · {view.presentation.kind_of_answer(view.answered.answer)}"

    def show_tab(self, tab: str) -> None:
        """Brings ``tab`` to the front."""
        if tab != self.tab:
            self.tab = tab
            self.offset_row = 0
            self.rebuild()

    def action_tab(self, step: int) -> None:
        """The next or previous tab."""
        self.show_tab(TABS[(TABS.index(self.tab) + step) % len(TABS)])

    def on_click(self, event: events.Click) -> None:
        """A click on a tab's name shows it."""
        content = event.get_content_offset(self)
        if content is not None and content.y == 0:
            wanted = next((tab for edge, tab in self._edges if content.x < edge), "")
            if wanted:
                self.show_tab(wanted)

    def update(self, view: View) -> None:
        """Another query or note is read from its beginning."""
        if view.query.text != self.view.query.text:
            self.tab = TABS[0]
        if view.query.text != self.view.query.text or (
            self.tab == "note" and view.selection.file != self.view.selection.file
        ):
            self.offset_row = 0
        super().update(view)

    def build(self, view: View, width: int) -> list[Line]:
        """The tabs and the text of the one in front."""
        self.pinned = 1
        made = [self._tabs(view)]
        trace = view.answered
        if self.tab == "note" and view.selection.file:
            return made + self._note(view, width)
        if trace is None:
            return [*made, *empty_lines("what the user would read, and what a model would be sent", width)]
        if self.tab == "note":
            return [*made, *empty_lines("no result is selected", width)]
        if self.tab == "prompt":
            return made + view.presentation.prompt(trace, width, self.glyphs)
        live = _live(view)
        if live is not None:
            return made + self._written(live, view, trace, width)
        shown = view.presentation
        return made + shown.answer(trace, width, self.glyphs) + shown.completion(trace, width, self.glyphs)

    def lacks(self, view: View) -> Iterable[Message]:
        """The text of the selected note, when its tab is in front."""
        if (
            self.tab == "note"
            and view.selection.file
            and (view.note.text is None or view.note.text.path != view.selection.file)
        ):
            yield self.TextWanted(view.selection.file)

    def _tabs(self, view: View) -> Line:
        made = Line().gap()
        self._edges = []
        for tab in TABS:
            label = tab
            if tab == "prompt" and not view.opening:
                label = view.presentation.prompt_title(view.answered)
            chosen = tab == self.tab
            made.add(f"[{label}]" if chosen else f" {label} ", "bold accent" if chosen else "muted").gap()
            self._edges.append((made.width, tab))
        return made

    def _written(self, live: LiveAnswer, view: View, trace: Trace, width: int) -> list[Line]:
        """What a model does, and what it has written so far."""
        from brvtui.app.query.model_lines import live_lines
        from brvtui.paint.answers import paragraphs

        text = paragraphs(live.text, width, _marked(view, trace)) if live.text else []
        return [*live_lines(live, width, self.glyphs), *text]

    def _note(self, view: View, width: int) -> list[Line]:
        from brvtui.paint.answers import paragraphs

        note = view.note.text
        if note is None or note.path != view.selection.file:
            return empty_lines("reading the note…", width)
        if note.problem:
            return [line(f" {part}", "warn") for part in wrap(note.problem, width - 1)]
        return paragraphs(note.text, width, _marked(view, view.answered))


def _marked(view: View, trace: Trace | None) -> Mark:
    """What marks the query's words in texts; None before there is an answer."""
    from brvtui.paint.answers import marker

    return marker(view.presentation.words(trace)) if trace is not None else None


def _live(view: View) -> LiveAnswer | None:
    """The work of a model on the query that is shown."""
    live = view.model.live
    return live if live is not None and live.is_about(view.query.text, view.query.scope) else None
