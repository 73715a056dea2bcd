"""The Answer pane: the answer, the prompt, the selected note, or a comparison with the pinned answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import ANSWER
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import AnswerState, ModelState, NoteState, PinState, ProjectState, QueryState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, lit
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.app.live_answer import LiveAnswer

TABS = ("answer", "prompt", "note")
PINNED = "pinned"
"""The tab that compares the answer with the pinned answer; the tab exists only while an answer is pinned."""
_LEAST_WIDTH, _LEAST_HEIGHT = 60, 16
"""The minimum size for a comparison, in cells."""
_MOST_RENDERED = 100_000
"""The maximum length of a rendered text in characters; a longer one is shown as it is written."""
_FRONTMATTER = re.compile(r"^---[ \t]*\n((?:[ \t-].*\n|[\w.][\w.-]*:.*\n)+)---[ \t]*$", re.MULTILINE)


class AnswerPane(Pane):
    """Three tabs of text with the query's terms marked, and a fourth while an answer is pinned."""

    TITLE = "Answer"
    READS = (QueryState, AnswerState, PinState, SelectionState, NoteState, ModelState, ProjectState)
    HELP_TEXT = (
        "This pane shows, in tabs, the texts behind the answer; the left and right arrows change the tab. The first "
        "tab is the text that a reader would get at this tier. The second is the text that a model would receive: in "
        "ByteRover, the prompt at tier 3 or 4, section by section with estimated tokens. The third is the selected "
        "result's text. The query's words are underlined. Press {answer.pin} to pin the answer, then {answer.compare} "
        "to see in a fourth tab how another answer (for another wording, profile, engine or time) differs from it: ▴ "
        "up, ▾ down, + new, − gone, = same rank."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ANSWER)

    @dataclass
    class TextWanted(Message):
        """Posted to request the text of a note."""

        file: str

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.tab = TABS[0]
        self._edges: list[tuple[int, str]] = []
        self._wanted = self._rendered = ("", 0)
        """The text to render and the text that was rendered, each with its width in cells."""
        self._lines: Sequence[Line] = ()
        """The rendered text, without the marks of the query's words."""

    @property
    def copies(self) -> str:
        """The text that the copy key copies: ``answer``, ``prompt``, ``comparison`` or, on the note's tab, ``path``."""
        return {"note": "path", PINNED: "comparison"}.get(self.tab, self.tab)

    def reads(self, view: View) -> tuple[object, ...]:
        """Returns the parts of ``view`` that are used; the note is used only while its tab is in front."""
        note = (view.selection.file, view.note.text, view.project.overview) if self.tab == "note" else ()
        return (view.answered, view.live, view.opening, view.engine.name, view.pin, *note)

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the front tab."""
        return (self.tab, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the title for the front tab and the kind of answer."""
        if self.tab == PINNED:
            return "Compared with the pinned answer"
        if view.answered is not None and self.tab == "note" and view.selection.file:
            return view.worded("Note") + f" · {view.selection.file}"
        if view.answered is None:
            return "Answer"
        if view.live is not None:
            return "Answer · being written"
        from brvtui.paint.answers import kind_of_answer

        return f"Answer · {kind_of_answer(view.answered.answer)}"

    @property
    def has_room_to_compare(self) -> bool:
        """True if the pane is large enough for a comparison; otherwise the pane should be maximised."""
        return self.size.width >= _LEAST_WIDTH and self.size.height >= _LEAST_HEIGHT

    def _markdown(self, text: str, view: View, width: int) -> list[Line]:
        """Returns Markdown ``text`` with the query's words marked. While a worker renders it, the last text remains."""
        if len(text) > _MOST_RENDERED:
            return _paragraphs(text, view, width)
        if self._wanted != (text, width):
            self._wanted = text, width
            on_result = partial(self._was_rendered, text, width)
            self.services.background.run(
                partial(_render, text, width), on_result, group="rendered answer", exclusive=True, owner=self
            )
        if self._rendered[1] != width:
            return []
        from brvtui.paint.blocks import HIGHLIGHT, marker

        marks = marker(view.presentation.words(view.answered)) if view.answered is not None else None
        return [Line(lit(one.spans, marks, HIGHLIGHT)) if marks else one for one in self._lines]

    def _was_rendered(self, text: str, width: int, lines: Sequence[Line]) -> None:
        if self._wanted == (text, width):
            self._rendered, self._lines = (text, width), lines
            self.rebuild(force=True)

    def show_tab(self, tab: str) -> None:
        """Brings ``tab`` to the front."""
        if tab != self.tab:
            self.tab = tab
            self.offset_row = 0
            self._wanted = self._rendered = ("", 0)  # the text of another tab must not remain
            self.rebuild()

    def action_tab(self, step: int) -> None:
        """Switches to the next or previous tab."""
        tabs = tabs_of(self.view)
        self.show_tab(tabs[(tabs.index(self.tab) + step) % len(tabs)])

    def on_click(self, event: events.Click) -> None:
        """Switches to the clicked tab."""
        content = event.get_content_offset(self)
        if content is not None and content.y == 0:
            self.show_tab(next((tab for edge, tab in self._edges if content.x < edge), self.tab))

    def update(self, view: View) -> None:
        """Shows ``view``; scrolls to the top for another query or note, but keeps a comparison in front."""
        other_query = view.query.text != self.view.query.text
        if (other_query and self.tab != PINNED) or self.tab not in tabs_of(view):
            self.tab = TABS[0]
        if other_query or (self.tab == "note" and view.selection.file != self.view.selection.file):
            self.offset_row = 0
        super().update(view)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the tabs and the text of the front tab."""
        self.pinned = 1
        lines = [self._tabs(view)]
        trace = view.answered
        if self.tab == "note" and view.selection.file:
            return lines + self._note(view, width)
        if self.tab == PINNED and view.pin.trace is not None:
            from brvtui.app.query.comparison import pinned_lines

            return lines + pinned_lines(view.pin, trace, width, self.glyphs, self.services.shown_key("answer.pin"))
        if trace is None:
            return [*lines, *wrapped("the text that the user would read, and the prompt for a model", width)]
        if self.tab == "note":
            return [*lines, *wrapped("no result is selected", width)]
        from brvtui.paint.answers import completion_blocks
        from brvtui.paint.blocks import Marked, lines_of

        if self.tab == "prompt":
            return lines + lines_of(view.presentation.prompt(trace).blocks, width, self.glyphs)
        if view.live is not None:
            text = _paragraphs(view.live.text, view, width) if view.live.text else []
            return [*lines, *live_lines(view.live, width, self.glyphs), *text]
        for block in (*view.presentation.answer(trace), *completion_blocks(trace.answer.completion, self.glyphs)):
            if isinstance(block, Marked):
                lines += self._markdown(block.text, view, width)
            else:
                lines += lines_of([block], width, self.glyphs)
        return lines

    def lacks(self, view: View) -> Iterable[Message]:
        """Requests the text of the selected note while its tab is in front."""
        file, text = view.selection.file, view.note.text
        if self.tab == "note" and file and (text is None or text.path != file):
            yield self.TextWanted(file)

    def _tabs(self, view: View) -> Line:
        row = Line().gap()
        self._edges = []
        for tab in tabs_of(view):
            label = view.worded(tab)
            if tab == "prompt" and not view.opening:
                label = view.presentation.prompt(view.answered).title
            chosen = tab == self.tab
            row.add(f"[{label}]" if chosen else f" {label} ", "bold accent" if chosen else "muted").gap()
            self._edges.append((row.width, tab))
        return row

    def _note(self, view: View, width: int) -> list[Line]:
        note = view.note.text
        if note is None or note.path != view.selection.file:
            return wrapped(view.worded("reading the note…"), width)
        if note.problem:
            return [line(f" {part}", "warn") for part in wrap(note.problem, width - 1)]
        return self._markdown(note.text, view, width)


def tabs_of(view: View) -> tuple[str, ...]:
    """Returns the available tabs."""
    return TABS if view.pin.trace is None else (*TABS, PINNED)


def _paragraphs(text: str, view: View, width: int) -> list[Line]:
    """Returns ``text`` as lines; once there is an answer, with the query's words marked."""
    from brvtui.paint.blocks import marker, paragraphs

    marks = marker(view.presentation.words(view.answered)) if view.answered is not None else None
    return paragraphs(text, width, marks)


def _render(text: str, width: int) -> Sequence[Line]:
    """Returns Markdown ``text`` as lines; frontmatter is code, and links lead nowhere. Blocks for up to a second."""
    from brvtui.app.markdown import Full, LinkTarget, Typesetter, typeset

    typesetter = Typesetter(width, lambda _, written: LinkTarget(outside=written))
    try:
        typeset(_FRONTMATTER.sub(r"```\n\1```", text), typesetter)
    except Full:
        typesetter.end_early("too long to be shown in full")
    return typesetter.document().lines


def live_lines(live: LiveAnswer, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the model's name, its tool calls and its state, to be shown above the text that it writes."""
    from brvtui.paint.answers import tokens, tool_blocks  # imported late to keep it out of the first paint
    from brvtui.paint.blocks import lines_of

    state = "stopping…" if live.cancelling else "Esc stops it"
    head = f"{live.model} · turn {live.turn}" if live.turn else live.model
    lines = wrapped(f"{head} · {tokens(live.sent, live.received)} · {state}", width, "accent")
    for step in live.steps:
        lines += lines_of(tool_blocks(step, glyphs), width, glyphs)
    if live.waiting:
        lines += wrapped(live.waiting, width, "warn")
    elif not live.text:
        lines.append(line(" waiting for the model's first words…", "muted"))
    return lines
