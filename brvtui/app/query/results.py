"""The Results pane: the ranked hits, and the near misses below a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import RESULTS
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import (
    STALE_LABELS,
    AnswerState,
    FleetState,
    Phase,
    ProjectState,
    QueryState,
    SelectionState,
    StaleState,
)
from brvtui.app.view import View, advised
from brvtui.app.widgets.choice_pane import NOTHING, ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.config.schema import Layer
from brvtui.paint.glyphs import glyph_of
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import cut_left, wrap

if TYPE_CHECKING:
    from brvtui.trace import Hit, NearMiss, Trace

_MOST_MISSES = 20
_CORNERS = 4
_INDENT = 5
_NOTHING = "nothing was found"
_SAMPLES = "Click a question to try it, or press {panes.results}, then {results.open}."
_NO_SAMPLES = "Type a question as you would ask an agent, such as “how do we roll back a deploy”."
_BY_SETTINGS = "To change it, press Esc, then {screens.settings} for Settings; the project is then opened again"
_WAY_OUT = (
    "It opens here as soon as it can be read. Or quit with {app.quit} and open a project (brv-tui PROJECT) or "
    "a folder of Markdown files (brv-tui --tree FOLDER)"
)
_TO_FLEET = "It opens here as soon as it can be read. Press Esc, then {screens.fleet}, to go back to the fleet."


class ResultsPane(ChoicePane):
    """Two lines for each hit (title and score; matching words), and a third line with the path of the selected hit."""

    TITLE = "Results"
    READS = (QueryState, AnswerState, SelectionState, ProjectState, StaleState, FleetState)
    HELP_TEXT = (
        "This pane lists the results of the query in the engine's order. Each row has the rank, maturity (○ draft, ◐ "
        "validated, ● core, ▤ summary, ▱ archived stub), title, score and bar. Below it are the words of your query "
        "that the result contains, by field: = the same word, ^ a longer word that begins with it, ~ a word that "
        "differs in some letters, / another form of it, * a word that contains it; +2 counts words for which there is "
        "no space. Below the ruled lines are near misses: notes that match but are not among the results, each with "
        "the difference to the threshold that it missed. The other panes show the score, the text and the place in "
        "the tree of the row under the cursor. Press {results.plain} to see that row's rank in plain search, and the "
        "note that all other engines put first, if they agree."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(RESULTS)

    @dataclass
    class WordingWanted(Message):
        """Posted to replace the query."""

        query: str

    def heading(self, view: View) -> str:
        """Returns the title with the number of results and, if there is space, the limit on that number."""
        counts = "Results" if view.answered is None else view.presentation.counts(view.answered)
        return counts if cell_len(counts) <= self.outer_size.width - _CORNERS else counts.partition(" · ")[0]

    def tally(self) -> str:
        """Returns the number of rows that match the filter; without a filter, the meaning of the marks before words."""
        trace = self.view.answered
        if self.word_filter or trace is None:
            return super().tally()
        from brvtui.paint.hits import marks_explained

        kinds = [word.kind for hit in trace.hits for word in hit.words]
        places = self.view.presentation.places_explained if any(hit.places for hit in trace.hits) else ""
        return marks_explained(kinds, places, self.room - _CORNERS)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns hits and near misses, or suggested questions if there is no query."""
        before = self.chosen
        self.choices, self.owner = [], []
        if view.answered is None:
            return self._empty(view, width, before)
        lines = self._hits(view.answered, view, width) + self._near(view.answered, view, width)
        selected = view.selection.file
        # a note that is not in the list was selected on another screen, and no row is the target of keys
        self.cursor = self.choices.index(selected) if selected in self.choices else -1 if selected else 0
        return lines

    def _hits(self, trace: Trace, view: View, width: int) -> list[Line]:
        """Returns the title, score and matching words of each hit, and the path of the selected hit."""
        from brvtui.paint.hits import ResultRow, added_rule, hit_lines, title_room
        from brvtui.paint.sentence import told_apart

        titles = told_apart([hit.title for hit in trace.hits], title_room(trace.scale, width))
        lines: list[Line] = []
        added_by = ""
        for rank, (hit, title) in enumerate(zip(trace.hits, titles, strict=True), 1):
            row = ResultRow(
                title,
                hit.signals.maturity if hit.signals else view.maturity_of(hit.file),
                view.presentation.remark(trace, hit),
                STALE_LABELS.get(view.stale.files.get(hit.file, ""), ""),
                hit.file == view.selection.file,
            )
            self.add_rows(lines, added_rule(hit, added_by, width, self.glyphs))
            added_by = hit.found_by
            rows = hit_lines(hit, rank, row, trace.scale, width, self.glyphs)
            self.add_rows(lines, [*rows, *_plain_lines(view, hit.file, width)], hit.file)
        if not trace.hits:
            message = _nothing(trace, view, width - 2, self.services.with_keys)
            self.add_rows(lines, [Line().gap().extend(part.spans) for part in message])
            self._add_advised(lines, advised(trace), view, width)
        return lines

    def _add_advised(self, lines: list[Line], hits: Sequence[Hit], view: View, width: int) -> None:
        """Adds the hits that the retry ladder would find, with the path of the selected hit."""
        if hits:
            self.add_rows(lines, [Line(), rule(width, "the retry ladder would find", dash=self.glyphs.dash)])
        for hit in hits:
            sign, role = glyph_of(hit.kind, view.maturity_of(hit.file), self.glyphs)
            row = [line(" – ", "faint").add(f"{sign} ", role).add(hit.title, "text").cut(width)]
            if hit.file == view.selection.file:
                row.append(Line().gap(5).add(cut_left(hit.path, width - 6), "muted"))
                row += _plain_lines(view, hit.file, width)
            self.add_rows(lines, row, hit.file)

    def _near(self, trace: Trace, view: View, width: int) -> list[Line]:
        from brvtui.paint.hits import ResultRow, miss_title_room, near_miss_lines
        from brvtui.paint.sentence import told_apart

        lines: list[Line] = []
        shown = {hit.file for hit in trace.hits}
        reason = ""
        misses = [miss for miss in trace.near_misses if miss.file not in shown]
        titles = told_apart([miss.title for miss in misses[:_MOST_MISSES]], miss_title_room(trace.scale, width))
        for miss, title in zip(misses, titles, strict=False):
            if miss.reason != reason:
                reason = miss.reason
                self.add_rows(lines, [rule(width, view.presentation.behind(trace, reason), dash=self.glyphs.dash)])
            row = ResultRow(
                title,
                view.maturity_of(miss.file),
                view.presentation.lack(miss, self.glyphs)[1],
                STALE_LABELS.get(view.stale.files.get(miss.file, ""), ""),
                miss.file == view.selection.file,
            )
            rows = near_miss_lines(miss, row, trace.scale, width, self.glyphs)
            self.add_rows(lines, [*rows, *_plain_lines(view, miss.file, width)], miss.file)
        own = sum(1 for hit in trace.hits if not hit.found_by)
        more = trace.matched - own - min(len(misses), _MOST_MISSES)
        if more > 0 and misses:
            self.add_rows(lines, [line(f"   … {more} more matched", "muted")])
        return lines

    def _empty(self, view: View, width: int, before: str) -> list[Line]:
        """Returns the reason why there are no notes, or questions to begin with; the cursor stays on ``before``."""
        if view.project.phase is not Phase.READY or view.project.overview is None:
            texts = ["reading the tree…"]
            if view.project.phase is Phase.FAILED:
                way_out = _TO_FLEET if view.fleet.fleet is not None else _WAY_OUT
                closed_by = view.project.closed_by
                way_out = _BY_SETTINGS if closed_by is not None and closed_by.source.layer is Layer.USER else way_out
                texts = [view.project.problem, self.services.with_keys(way_out)]
            lines = [Line()]
            for text in texts:
                lines += [*wrapped(text, width), Line()]
        elif not view.project.overview.notes:
            overview = view.project.overview
            lines = [Line(), *wrapped(overview.why_empty, width)]
            if not (overview.unreadable or overview.unread or view.kind.not_added):
                lines += wrapped(self.services.with_keys("{panes.back}, then {note.new} begins one here"), width)
        else:
            samples = view.query.samples
            lines = [Line(), *wrapped(self.services.with_keys(_SAMPLES if samples else _NO_SAMPLES), width), Line()]
            self.owner = [-1] * len(lines)
            for text in samples:
                self.add_rows(lines, [line(f" {self.glyphs.prompt} ", "accent").add(text, "strong").cut(width)], text)
            self.cursor = samples.index(before) if before in samples else 0
            return lines
        self.owner = [-1] * len(lines)
        return lines

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Returns the full title and path of a row, or a question to begin with."""
        trace = self.view.answer.trace
        results: list[Hit | NearMiss] = [*trace.hits, *trace.near_misses] if trace else []
        return next((f"{one.title}\n{one.path}" for one in results if one.file == choice), choice)

    def moved(self, choice: str) -> None:
        """Selects the result in all panes."""
        if self.view.answered is not None:
            self.services.select(choice)

    def clicked(self, place: int) -> None:
        """Selects the clicked result; a suggested question is run at the first click."""
        if self.view.answered is not None:
            super().clicked(place)
        else:
            self.move_to(place)
            self.action_take()

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: Enter if no result is selected and no other wording is offered."""
        asks_otherwise = not self.choices and not self.word_filter and _in_words_of_notes(self.view)
        return frozenset() if self.chosen or asks_otherwise else frozenset({"results.open"})

    def action_take(self) -> None:
        """Shows the selected note, or runs a suggested question, or the query in the notes' own words."""
        if self.chosen and self.view.answered is None:
            self.post_message(self.WordingWanted(self.chosen))
        elif self.chosen:
            self.post_message(self.NoteWanted(self.chosen))
        elif self.word_filter:
            self.services.notify(NOTHING, timeout=4)
        elif self.choices:
            self.services.notify(
                self.services.with_keys("no result is selected: {pane.down} selects the first"), timeout=4
            )
        elif query := _in_words_of_notes(self.view):
            self.post_message(self.WordingWanted(query))
        else:
            message = "there is no result" + ("" if self.view.project.saved else ": {panes.query} goes to the query")
            self.services.notify(self.services.with_keys(message), timeout=4)


def _plain_lines(view: View, file: str, width: int) -> list[Line]:
    """Returns the lines with the rank of ``file`` in plain search, if the user requested it."""
    text = view.selection.plain if file == view.selection.file else ""
    return [Line().gap(_INDENT).add(part, "accent") for part in wrap(text, width - _INDENT)] if text else []


def _in_words_of_notes(view: View) -> str:
    """Returns the query in words that the notes contain; empty if there is no better wording."""
    if view.answered is None or view.project.saved:
        return ""
    return view.presentation.in_words_of_notes(view.answered)


def _nothing(trace: Trace, view: View, width: int, with_keys: Callable[[str], str]) -> list[Line]:
    """Returns the lines for an empty list, with keys to change the query or to create a note."""
    overview = view.project.overview
    lines = [line(_NOTHING, "bold strong")]
    lines += view.presentation.nothing(trace, width)
    if query := _in_words_of_notes(view):
        hint = with_keys("{panes.back}, then {results.open} asks for “") + f"{query}”"
        lines += [Line(), *(line(part, "text") for part in wrap(hint, width))]
    if overview is not None and (overview.unreadable or overview.unread):
        lines += [Line(), *(line(part, "warn") for part in wrap(overview.why_empty, width))]
    elif not (trace.covered or advised(trace) or view.kind.not_added or view.project.saved) and any(
        sign.isalnum() for sign in trace.query
    ):
        hint = with_keys("{panes.back}, then {note.new} begins a note about it")
        lines += [Line(), *(line(part, "text") for part in wrap(hint, width))]
    return lines
