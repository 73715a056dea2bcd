"""A column of the maturity board: the notes of one maturity as cards, drawn only when visible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import COLUMN
from brvtui.app.arrangement import STRIP
from brvtui.app.keys.bindings import bindings
from brvtui.app.maturity.board_on_day import BoardOnDay
from brvtui.app.maturity.cards import HEIGHT, card, header
from brvtui.app.states import Phase, ProjectState, StaleState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import NOTHING, ChoicePane
from brvtui.app.widgets.lines import LazyLines, wrapped
from brvtui.app.widgets.outline import WordFilter
from brvtui.engines.ageing.events import OF_NOTES, OF_TOPICS, Event, next_days
from brvtui.paint.line import Line, line
from brvtui.wording import counted


def _explained(events: Collection[Event]) -> str:
    heaviest_first = sorted(events, key=lambda event: -event.weight)
    return "".join(f"\n• {event.short}: {event.meaning}" for event in heaviest_first)


_TERMS = f"{_explained(OF_NOTES)}\nIn a space of ByteRover V4:{_explained(set(OF_TOPICS) - set(OF_NOTES))}"
"""Explanations of the words on cards."""


class ColumnPane(ChoicePane):
    """Cards of two lines: the title, then the importance and the next event."""

    TITLE = "Maturity"
    READS = (ProjectState, StaleState)
    HELP_TEXT = (
        "This column shows the notes of one maturity and how they age. A note's bar is its importance after decay; "
        "the light part is what decay took from the stored value, and each ┊ marks an importance at which a hit would "
        "promote the note or decay would demote it. Next to the bar are the importance and the next ageing event with "
        "its days, or a past event, such as archivable. ▾ marks an event that happens by the day of the "
        "forecast.\nPress {forecast.before} or {forecast.next} to move the forecast by one day, "
        "{forecast.month_before} or {forecast.month} by 30, and {forecast.today} to go back to today. Press "
        "{board.order} to sort and {pane.filter} to filter. Press {board.only} to show only notes affected by one "
        "kind of event by that day ({panes.back} shows all again), or {board.changes} for only notes that will have "
        "changed by then. Press {note.edit} to edit the note; in a context tree, also {note.signals} to set its "
        "maturity and {note.archive} to archive it. A column without notes is a narrow strip.\n"
        "The events:" + _TERMS
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(COLUMN)

    class DetailsWanted(Message):
        """Posted to show the curve of the selected note."""

    class Filtered(Message):
        """Posted when the filter has changed in every column."""

    def __init__(self, level: str) -> None:
        super().__init__(id=level)
        self.level = level
        self.pinned = 1
        self.on_day: BoardOnDay | None = None
        self._positions: list[int] = []
        self._of: tuple[BoardOnDay, WordFilter] | None = None
        """The board and filter of the current rows, to avoid building these rows again."""

    def put(self, on_day: BoardOnDay) -> None:
        """Shows ``on_day``, the board for another day or with other options."""
        self.on_day = on_day
        self._choose(on_day)
        self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the board."""
        return (self.on_day, *super().also_reads())

    @property
    def _is_strip(self) -> bool:
        """True if the column is collapsed because it is empty."""
        return 0 < self.outer_size.width <= STRIP

    @property
    def tab_name(self) -> str:
        """The maturity, capitalised."""
        return self.level.capitalize()

    def heading(self, view: View) -> str:
        """Returns the title with the maturity's symbol and the number of notes."""
        if self._is_strip:
            return ""
        name = f"{self.glyphs.maturity[self.level]} {self.level}"
        if self.on_day is None:
            return name
        return f"{name} {len(self.on_day.columns[self.level])}"

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns a card for every note that matches the filter."""
        on_day = self.on_day
        if on_day is None:
            text = view.project.problem if view.project.phase is Phase.FAILED else "reading the tree…"
            return wrapped("" if view.project.saved else text, width)
        self._choose(on_day)
        if not self.choices and self._is_strip:
            return [line(letter, "muted") for letter in f"{self.glyphs.maturity[self.level]}0 {self.level}"]
        if not self.choices:
            return wrapped(NOTHING if self.word_filter else self._empty(on_day, view), width)
        height, positions, paths, stale = HEIGHT, self._positions, tuple(self.choices), view.stale.files
        self.owner = [-1, *(place for place in range(len(positions)) for _ in range(height))]

        @cache
        def lines_of(place: int) -> list[Line]:
            return card(on_day, positions[place], width, self.glyphs, stale.get(paths[place], ""))

        rows = range(len(positions) * height)
        return LazyLines([header(width)], rows, [], lambda row: lines_of(row // height)[row % height])

    def _choose(self, on_day: BoardOnDay) -> None:
        """Applies the filter and keeps the cursor on its note, even while the column is hidden and draws no cards."""
        if self._of is not None and self._of[0] is on_day and self._of[1] == self.word_filter:
            return
        self._of = (on_day, self.word_filter)
        before = self.chosen or self.view.selection.file
        column = on_day.columns[self.level]
        self.all = len(column)
        keeps = self.word_filter.keeps
        self._positions = (
            [place for place in column if keeps(on_day.names[place])] if self.word_filter else list(column)
        )
        notes = on_day.board.snapshot.notes
        self.choices, self.owner = [notes[place].path for place in self._positions], []
        if before in self.choices:
            self.cursor = self.choices.index(before)
        else:
            hidden = on_day.level_of(before) == self.level
            self.cursor = 0 if hidden else max(0, min(self.cursor, len(self.choices) - 1))

    def _empty(self, on_day: BoardOnDay, view: View) -> str:
        options, noun = on_day.wanted, view.kind.noun
        others = sum(map(len, on_day.columns.values()))
        beside = f"; {others} with other maturities" if others else ""
        if options.in_span:
            does = options.only.happens if options.only is not None else "changes"
            key = self.services.shown_key("board.changes")
            again = "shows all again" if options.only is None else "shows earlier ones too"
            return f"no {self.level} {noun} {does} in {next_days(options.day)}{beside}; {key} {again}"
        if options.only is not None:
            key, then = (
                self.services.shown_key("board.only"),
                f" in {counted(options.day, 'day', 'days')}" if options.day else "",
            )
            return f"no {self.level} {noun} {options.only.has_come}{then}{beside}; {key} shows another event"
        overview = view.project.overview
        return f"no {self.level} {noun}" if len(on_day.board) or overview is None else overview.why_empty

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns the lines unchanged, since only matching cards were built."""
        return lines

    def update(self, view: View) -> None:
        """Shows ``view`` and moves the cursor to the selected note."""
        before = self.view.selection.file
        super().update(view)
        if before != view.selection.file and self.on_day is not None:
            was_here, is_here = (self.on_day.level_of(path) == self.level for path in (before, view.selection.file))
            if is_here:
                self.follow(view.selection.file)
            if was_here != is_here:
                self.repaint()

    @property
    def last_offset(self) -> int:
        """The last row to scroll to, which is the title of a card, so that no bar is shown without its title."""
        last = super().last_offset
        return last + last % HEIGHT

    def scroll_to_row(self, offset: int) -> None:
        """Scrolls by whole cards."""
        super().scroll_to_row(offset + offset % HEIGHT)

    def follow(self, path: str) -> None:
        """Moves the cursor to the note at ``path``, if it is in this column."""
        if path in self.choices and path != self.chosen:
            self.move_to(self.choices.index(path), tell=False)

    def ground(self, number: int) -> str:
        """Returns the cursor's background only in the focused column and in the column of the selected note."""
        if not self.has_focus and self.chosen != self.view.selection.file:
            return ""
        return super().ground(number)

    def moved(self, choice: str) -> None:
        """Selects the note under the cursor."""
        self.services.select(choice)

    def on_focus(self, event: events.Focus) -> None:
        """Selects the note under the cursor."""
        super().on_focus(event)
        if self.chosen and self.view.selection.file not in self.choices:
            self.moved(self.chosen)

    def put_filter(self, text: str) -> None:
        """Applies the same filter to every column."""
        super().put_filter(text)
        if self.on_day is not None:
            self._choose(self.on_day)
        for column in self.screen.query(ColumnPane).results(ColumnPane):
            if column.word_filter != self.word_filter:
                column.put_filter(text)
        self.post_message(self.Filtered())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables details if there are no notes."""
        return bool(self.choices) if action == "details" else super().check_action(action, parameters)

    def action_details(self) -> None:
        """Shows the curve of the note under the cursor."""
        self.moved(self.chosen)
        self.post_message(self.DetailsWanted())

    def clicked(self, place: int) -> None:
        """Selects the clicked note; a second click shows its details."""
        if place == self.cursor and self.chosen == self.view.selection.file:
            self.post_message(self.DetailsWanted())
        self.move_to(place)
        self.moved(self.chosen)

    @property
    def note(self) -> str:
        """The note under the cursor."""
        return self.chosen
