"""Retry: what a search tried by itself and what the retry ladder tried, row by row, each with what it found."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from brvtui.app.actions.panes import RETRY
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import AnswerState, QueryState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.verdict import empty_lines
from brvtui.paint.attempts import Attempted, opened_first
from brvtui.paint.glyphs import STATE_ROLES, STATE_WORDS, Glyphs, glyph_of
from brvtui.paint.line import Line, line
from brvtui.paint.text import ms, wrap
from brvtui.trace import Kind, Listed, State

_TIMED = 40
_NARROW = 30
_SHORTER = (("whole tree", "whole"), (" searches", ""), ("retry ladder · advice", "ladder: advice"), (" found", ""))


class RetryPane(ChoicePane):
    """A row for each thing that was tried; the opened one shows its results, which can be chosen too."""

    TITLE = "Retry"
    READS = (QueryState, AnswerState, SelectionState)
    HELP_TEXT = (
        "How the engine relaxes a search by itself: a path look-up, all words inside the scope, any word inside the "
        "scope, then the whole tree; and the supplementary searches for single words when little was found. Below, "
        "the retry ladder of Jeffs Brain: under brv-3 and docs it is advice beside the route, under combined the "
        "route uses what it finds. Enter on a row shows its query, why it ended so, and its results; choosing a "
        "result selects the note on every pane."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(RETRY)

    def __init__(self, *, id: str) -> None:
        """A pane in which nothing was opened by hand."""
        super().__init__(id=id)
        self._rows: tuple[Attempted, ...] = ()
        self._opened: str | None = None

    @property
    def opened(self) -> str:
        """The row whose results are shown; empty for none."""
        return opened_first(self._rows) if self._opened is None else self._opened

    def also_reads(self) -> tuple[object, ...]:
        """Which row is open."""
        return (self._opened, *super().also_reads())

    def update(self, view: View) -> None:
        """Another query opens what found something; the same one keeps what was opened."""
        if view.query.text != self.view.query.text:
            self._opened, self.cursor, self.offset_row = None, 0, 0
        super().update(view)

    def build(self, view: View, width: int) -> list[Line]:
        """The rows, with all reasons while there is room for them."""
        before = self.chosen
        self.choices, self.owner = [], []
        if view.answered is None:
            self._rows = ()
            return empty_lines("how a search is relaxed when it finds too little", width)
        self._rows = view.presentation.attempts(view.answered)
        if not self._rows:
            return empty_lines(f"{view.presentation.title} tries nothing but the query itself", width)
        full = sum(1 + len(_reasons(row, width)) for row in self._rows) <= self.rows
        made: list[Line] = []
        for row in self._rows:
            self._own(row.id, made, [_head(row, width, self.glyphs, row.id == self.opened)])
            if full or row.id == self.opened:
                reasons = _reasons(row, width)
                if not full and 1 + len(reasons) + len(row.results) > self.rows:
                    reasons = _reasons(row, width, short=True)
                self._own(row.id, made, reasons, add=False)
            if row.id == self.opened:
                self._list(row, made, width, view)
        self.cursor = self.choices.index(before) if before in self.choices else self._first()
        return made

    def _first(self) -> int:
        return self.choices.index(self.opened) if self.opened in self.choices else 0

    def _own(self, choice: str, made: list[Line], lines: list[Line], add: bool = True) -> None:
        """Appends ``lines`` as those of ``choice``."""
        if add:
            self.choices.append(choice)
        made += lines
        self.owner += [len(self.choices) - 1] * len(lines)

    def _list(self, row: Attempted, made: list[Line], width: int, view: View) -> None:
        for result in row.results:
            maturity = result.maturity or view.maturity_of(result.file)
            sign = glyph_of(result.kind or Kind.CONTEXT, maturity, self.glyphs)
            entry = _result(result, row, sign, width, self.glyphs.here if result.file == view.selection.file else " ")
            self._own(_choice(row, result), made, [entry])
        text = _rest(row)
        if text:
            made.append(Line().gap(4 + row.depth).add(text, "faint"))
            self.owner.append(-1)

    def changed(self) -> None:
        """Keeps the cursor's row in view."""
        super().changed()
        self.reveal()

    def reveal(self) -> None:
        """An opened row is shown with as many of its results as there is room for."""
        super().reveal()
        row = self.row
        if row is None or self.note or row.id != self.opened:
            return
        shown = {place for place, choice in enumerate(self.choices) if choice.partition("\n")[0] == row.id}
        lines = [number for number, owner in enumerate(self.owner) if owner in shown]
        if lines and lines[-1] >= self.offset_row + self.rows:
            self.scroll_to_row(min(lines[0], lines[-1] - self.rows + 1))

    @property
    def row(self) -> Attempted | None:
        """The row that the cursor is on or in."""
        return next((row for row in self._rows if row.id == self.chosen.partition("\n")[0]), None)

    @property
    def note(self) -> str:
        """The note of the result under the cursor; empty on a row."""
        return self.chosen.partition("\n")[2]

    def moved(self, choice: str) -> None:
        """A result is selected on every pane."""
        if self.note:
            self.services.select(self.note)

    def clicked(self, place: int) -> None:
        """A click opens or closes a row, and selects a result; a second one opens its note."""
        again = place == self.cursor and self.has_focus
        self.move_to(place)
        if again or not self.note:
            self.action_take()

    def action_take(self) -> None:
        """Opens or closes the row, or shows the text of the result."""
        if self.note:
            self.post_message(self.NoteWanted(self.note))
        elif self.row is not None:
            self._open("" if self.opened == self.row.id else self.row.id)

    def action_unfold(self) -> None:
        """Opens the row."""
        if self.row is not None:
            self._open(self.row.id)

    def action_fold(self) -> None:
        """Closes the row, and leaves its results."""
        row = self.row
        if row is not None and self.opened == row.id:
            self.move_to(self.choices.index(row.id))
            self._open("")

    def _open(self, row: str) -> None:
        self._opened = row
        self.rebuild()


def _rest(row: Attempted) -> str:
    """What is said below the results of a row."""
    more = row.total - len(row.results)
    if not row.results:
        return "the scope of what follows" if row.total else "no results"
    return f"… {more} more" if more > 0 else ""


def _choice(row: Attempted, result: Listed) -> str:
    return f"{row.id}\n{result.file}"


def _head(row: Attempted, width: int, glyphs: Glyphs, opened: bool) -> Line:
    state = row.state.value
    reached = row.state not in (State.NOT_REACHED, State.SKIPPED, State.NOT_RUN)
    name, found = row.name, row.found or STATE_WORDS[state]
    if width < _NARROW:
        found = row.found
        for long, short in _SHORTER:
            name, found = name.replace(long, short), found.replace(long, short)
    made = Line().gap(row.depth).add(f"{glyphs.state[state]} ", STATE_ROLES[state])
    made.add(name, ("bold strong" if opened else "text") if reached else "faint")
    right = Line().add(found, "strong" if reached else "faint")
    if row.took_ms is not None and width >= _TIMED:
        right.add(f" {ms(row.took_ms):>8}", "muted")
    return made.right(width, right)


def _reasons(row: Attempted, width: int, short: bool = False) -> list[Line]:
    """What was asked, where, and why it ended as it did; ``short``: a line each, which leaves room for results."""
    indent = 2 + row.depth
    made = []
    if row.query:
        made.append(Line().gap(indent).add("“", "faint").add(row.query, "text").add("”", "faint").cut(width))
    if row.scope:
        made.append(Line().gap(indent).add("in ", "faint").add(row.scope, "muted").cut(width))
    if short:
        return [*made, line(" " * indent + row.why, "muted").cut(width)] if row.why else made
    return made + [line(" " * indent + part, "muted") for part in wrap(row.why, width - indent - 1) if row.why]


def _result(result: Listed, row: Attempted, sign: tuple[str, str], width: int, here: str) -> Line:
    glyph, role = sign
    value = f"{result.score:.2f}"
    if row.unit != "score" and width >= _TIMED:
        value = f"{row.unit} {value}"
    made = Line().gap(1 + row.depth).add(here, "accent").add(f"{glyph} ", role)
    return made.add(result.title, "text").right(width, Line().add(value, "strong"))
