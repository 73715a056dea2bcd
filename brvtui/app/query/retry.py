"""The Retry pane: the searches of the retry ladder and other attempts, each with its results."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from brvtui.app.actions.panes import RETRY
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import AnswerState, QueryState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.paint.line import Line

if TYPE_CHECKING:
    from brvtui.paint.attempts import Attempted
    from brvtui.trace import Listed, Scale, Trace


class RetryPane(ChoicePane):
    """A row for each attempt. The row that is open lists the attempt's results, which can be selected."""

    TITLE = "Retry"
    READS = (QueryState, AnswerState, SelectionState)
    HELP_TEXT = (
        "This pane shows, one per row, the searches with which an engine retries a query that finds too little. Press "
        "{retry.take} on a row to see its query, the reason for its outcome, and its results. Selecting a result "
        "selects its note in every pane."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(RETRY)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._rows: tuple[Attempted, ...] = ()
        self._opened: str | None = None
        self._first_opened = ""
        """The row that is open by default."""

    @property
    def opened(self) -> str:
        """The row with visible results; empty if none is open."""
        return self._first_opened if self._opened is None else self._opened

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the row opened by the user."""
        return (self._opened, *super().also_reads())

    def update(self, view: View) -> None:
        """Shows ``view``; a new query closes rows that the user opened."""
        if view.query.text != self.view.query.text:
            self._opened, self.choices, self.cursor, self.offset_row = None, [], 0, 0
        super().update(view)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the rows, with all reasons if there is enough space."""
        before = self.chosen
        self.choices, self.owner = [], []
        if view.answered is None:
            self._rows = ()
            return wrapped("how a search that finds too little is relaxed", width)
        lines = self._tried(view.answered, view, width)
        kept = before if before in self.choices else self.opened
        self.cursor = self.choices.index(kept) if kept in self.choices else 0
        return lines or wrapped(f"{view.presentation.title} does not retry queries", width)

    def _tried(self, trace: Trace, view: View, width: int) -> list[Line]:
        from brvtui.paint.attempts import head_line, opened_first, reason_lines

        self._rows = view.presentation.attempts(trace)
        self._first_opened = opened_first(self._rows)
        full = sum(1 + len(reason_lines(row, width)) for row in self._rows) <= self.rows
        lines: list[Line] = []
        for row in self._rows:
            rows = [head_line(row, width, self.glyphs, row.id == self.opened)]
            if full or row.id == self.opened:
                reasons = reason_lines(row, width)
                if not full and 1 + len(reasons) + len(row.results) > self.rows:
                    reasons = reason_lines(row, width, short=True)
                rows += reasons
            self.add_rows(lines, rows, row.id)
            if row.id == self.opened:
                self._list(row, trace.scale, lines, width, view)
        return lines

    def _list(self, row: Attempted, scale: Scale, lines: list[Line], width: int, view: View) -> None:
        from brvtui.paint.attempts import rest_of, result_line

        for result in row.results:
            maturity = result.maturity or view.maturity_of(result.file)
            here = result.file == view.selection.file
            line = result_line(result, row, scale, maturity, here, width, self.glyphs)
            self.add_rows(lines, [line], _choice(row, result))
        text = rest_of(row)
        if text:
            self.add_rows(lines, [Line().gap(4 + row.depth).add(text, "faint")])

    def reveal(self) -> None:
        """Scrolls to the cursor, and shows as many results of an open row as fit."""
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
        """The attempt under the cursor, or that of the result under the cursor; None if there is no attempt."""
        return next((row for row in self._rows if row.id == self.chosen.partition("\n")[0]), None)

    @property
    def note(self) -> str:
        """The note of the result under the cursor; empty on a row."""
        return self.chosen.partition("\n")[2]

    def moved(self, choice: str) -> None:
        """Selects the result in all panes."""
        if self.note:
            self.services.select(self.note)

    def clicked(self, place: int) -> None:
        """Opens or closes the clicked row, or selects the clicked result; a second click opens its note."""
        again = place == self.cursor and self.has_focus
        self.move_to(place)
        if again or not self.note:
            self.action_take()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables Enter if there are no attempts."""
        return bool(self.choices) if action == "take" else super().check_action(action, parameters)

    def action_take(self) -> None:
        """Opens or closes the row, or shows the note of the result."""
        if self.note:
            self.post_message(self.NoteWanted(self.note))
        elif self.row is not None:
            self._open("" if self.opened == self.row.id else self.row.id)

    def action_unfold(self) -> None:
        """Opens the row under the cursor."""
        if self.row is not None:
            self._open(self.row.id)

    def action_fold(self) -> None:
        """Closes the open row if the cursor is on that row or on one of its results."""
        row = self.row
        if row is not None and self.opened == row.id:
            self.move_to(self.choices.index(row.id))
            self._open("")

    def _open(self, row: str) -> None:
        self._opened = row
        self.rebuild()


def _choice(row: Attempted, result: Listed) -> str:
    return f"{row.id}\n{result.file}"
