"""Answer: what the user would read, the prompt that would be sent, or the text of the selected note."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import ANSWER
from brvtui.app.jeffs_brain import answer as hybrid
from brvtui.app.keys.bindings import bindings
from brvtui.app.live import Live
from brvtui.app.paint.model import completion_lines, live_lines
from brvtui.app.states import AnswerState, AnyTrace, ModelState, NoteState, QueryState, SelectionState
from brvtui.app.view import View, fell_short
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.verdict import empty_lines
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint.line import Line, Span, line, rule
from brvtui.paint.marking import lit
from brvtui.paint.text import plural, wrap
from brvtui.text.visible import visible
from brvtui.trace import Lane, Prompt, Trace

TABS = ("answer", "prompt", "note")
_KINDS = {
    "cached": "from the cache",
    "direct": "direct",
    "not_covered": "not covered",
    "model": "by the model",
    "extractive": "no LLM asked",
}
_MOST_LINES = 1500
_MOST_TERMS = 200
HIGHLIGHT = "bold underline match on match-ground"
"""The role of a term of the query."""


class AnswerPane(Pane):
    """Three tabs over one text; the query's terms are marked in it."""

    TITLE = "Answer"
    READS = (QueryState, AnswerState, SelectionState, NoteState, ModelState)
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
        match view.answered:
            case None:
                return "Answer"
            case Trace() as trace:
                if _live(view) is not None:
                    return "Answer · being written"
                kind = trace.answer.kind
                return f"Answer · {fell_short(trace.answer) or _KINDS.get(kind, kind)}"
            case HybridTrace():
                return "Answer · retrieval alone"

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
        made = [self._tabs(view.answered)]
        if self.tab == "note" and view.selection.file:
            return made + self._note(view, width, marker(view.answered))
        if view.answered is None:
            return [*made, *empty_lines("what the user would read, and what a model would be sent", width)]
        if self.tab == "note":
            return [*made, *empty_lines("no result is selected", width)]
        match view.answered:
            case Trace() as trace:
                live = _live(view)
                if live is not None and self.tab == TABS[0]:
                    text = paragraphs(live.text, width, marker(trace)) if live.text else []
                    return [*made, *live_lines(live, width, self.glyphs), *text]
                return made + self._routed(trace, width)
            case HybridTrace() as found:
                shown = hybrid.sent if self.tab == "prompt" else hybrid.answer
                return made + shown(found, width, self.glyphs)

    def lacks(self, view: View) -> Iterable[Message]:
        """The text of the selected note, when its tab is in front."""
        if (
            self.tab == "note"
            and view.selection.file
            and (view.note.text is None or view.note.text.path != view.selection.file)
        ):
            yield self.TextWanted(view.selection.file)

    def _routed(self, trace: Trace, width: int) -> list[Line]:
        mark = marker(trace)
        prompt = trace.answer.prompt
        if self.tab == "prompt":
            return _prompt(prompt, width, mark) if prompt else empty_lines("no model is asked at this tier", width)
        done = trace.answer.completion
        return _answer(trace, width, mark) + (completion_lines(done, width, self.glyphs) if done is not None else [])

    def _tabs(self, answered: AnyTrace | None) -> Line:
        made = Line().gap()
        self._edges = []
        for tab in TABS:
            label = tab
            if tab == "prompt":
                label = _prompt_tab(answered)
            chosen = tab == self.tab
            made.add(f"[{label}]" if chosen else f" {label} ", "bold accent" if chosen else "muted").gap()
            self._edges.append((made.width, tab))
        return made

    def _note(self, view: View, width: int, mark: re.Pattern[str] | None) -> list[Line]:
        note = view.note.text
        if note is None or note.path != view.selection.file:
            return empty_lines("reading the note…", width)
        if note.problem:
            return [line(f" {part}", "warn") for part in wrap(note.problem, width - 1)]
        return paragraphs(note.text, width, mark)


def _prompt_tab(answered: AnyTrace | None) -> str:
    match answered:
        case Trace() if answered.answer.prompt is not None:
            return f"prompt {answered.answer.prompt.tokens} t"
        case HybridTrace():
            return "reranker"
        case _:
            return "prompt"


def _live(view: View) -> Live | None:
    """The work of a model on the query that is shown."""
    live = view.model.live
    return live if live is not None and live.is_about(view.query.text, view.query.scope) else None


def _answer(trace: Trace, width: int, mark: re.Pattern[str] | None) -> list[Line]:
    answer = trace.answer
    made = [line(f" {part}", "warn") for part in wrap(answer.notice, width - 1) if answer.notice]
    return made + paragraphs(answer.text, width, mark)


def _prompt(prompt: Prompt, width: int, mark: re.Pattern[str] | None) -> list[Line]:
    facts = (
        f"{prompt.tokens} tokens in, at most {prompt.max_tokens} out, temperature {prompt.temperature:g}, "
        f"{prompt.max_iterations} iterations"
    )
    made = [line(f" {part}", "text") for part in wrap(facts, width - 1)]
    made += [line(f" {part}", "muted") for part in wrap(f"manifest: {prompt.manifest}", width - 1)]
    made += [_lane(lane, width) for lane in prompt.lanes]
    for section in prompt.sections:
        made.append(rule(width, f"{section.name} · {section.tokens} tokens"))
        made += paragraphs(section.text, width, mark)
        if len(made) > _MOST_LINES:
            break
    return made


def _lane(lane: Lane, width: int) -> Line:
    made = Line().gap().fit(f"lane {lane.name}", 16, "muted").add(f"{lane.tokens:>5} of {lane.budget} tokens  ", "text")
    return made.add(f"{plural(len(lane.entries), 'note')}, {lane.left_out} left out", "muted").cut(width)


def marker(answered: AnyTrace | None) -> re.Pattern[str] | None:
    """A pattern of the words that the query matched, None when there is none."""
    match answered:
        case None:
            return None
        case Trace():
            words = _matched_terms(answered)
        case HybridTrace():
            words = hybrid.searched_words(answered)
    if not words:
        return None
    longest = sorted(set(words[:_MOST_TERMS]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)


def _matched_terms(trace: Trace) -> list[str]:
    """Every index term that the query's terms matched."""
    words = [match.term for term in trace.search.lint.expansions for match in term.matches]
    return words + [token for token in trace.search.lint.tokens if token not in words]


def paragraphs(text: str, width: int, mark: re.Pattern[str] | None) -> list[Line]:
    """``text`` wrapped to ``width`` with the marked terms; headings stand out; very long texts end with a note."""
    made: list[Line] = []
    source = text.split("\n")
    for number, paragraph in enumerate(source):
        clean = visible(paragraph.rstrip("\r"))
        role = "bold strong" if clean.startswith("#") else "muted" if clean.startswith(("---", "```")) else "text"
        made += [Line([(" ", "text"), *_marked(part, role, mark)]) for part in wrap(clean, width - 1)]
        if len(made) > _MOST_LINES:
            made.append(line(f" … {len(source) - number - 1} more lines", "muted"))
            break
    return made


def _marked(text: str, role: str, mark: re.Pattern[str] | None) -> list[Span]:
    return [(text, role)] if mark is None else lit([(text, role)], mark, HIGHLIGHT)
