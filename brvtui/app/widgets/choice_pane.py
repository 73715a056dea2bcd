"""A pane with rows that can be selected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events

from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line

NOTHING = "nothing matches: Esc clears the filter"


class ChoicePane(Pane):
    """A pane with a cursor over choices, each drawn as one or more lines."""

    FILTER_DOES = "keep"
    TAKES_CLICK: ClassVar[bool] = False
    """True if a click acts like ``Enter``; False if the first click only selects."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.choices: list[str] = []
        """The unique names of the choices, from top to bottom."""
        self.owner: list[int] = []
        """For each line, the index of its choice in :attr:`choices`; -1 if the line cannot be selected."""
        self.cursor = 0
        self.all = 0
        """The number of choices before filtering."""
        self._revealed = (0, 0, 0)
        """The cursor, the number of lines and the height when the cursor was last scrolled into view."""

    @property
    def chosen(self) -> str:
        """The choice under the cursor, or an empty string."""
        return self.choices[self.cursor] if 0 <= self.cursor < len(self.choices) else ""

    def add_rows(self, lines: list[Line], rows: Sequence[Line], choice: str = "") -> None:
        """Appends ``rows`` to ``lines`` as the lines of ``choice``; if that is empty, the rows cannot be selected."""
        if choice:
            self.choices.append(choice)
        lines += rows
        self.owner += [len(self.choices) - 1 if choice else -1] * len(rows)

    def ground(self, number: int) -> str:
        """Returns the background of line ``number``: that of the cursor if the line belongs to the selected choice."""
        if number < len(self.owner) and self.owner[number] == self.cursor and self.chosen:
            return "cursor" if self.has_focus else "cursor-idle"
        return super().ground(number)

    def move_to(self, place: int, tell: bool = True) -> None:
        """Moves the cursor to index ``place`` and scrolls to it; calls :meth:`moved` unless ``tell`` is false."""
        if not self.choices:
            return
        place = max(0, min(place, len(self.choices) - 1))
        moved = place != self.cursor
        self.cursor = place
        self.reveal()
        if moved:
            self.repaint()
            if tell:
                self.moved(self.choices[place])
            self.show_keys()  # some keys act only on some choices

    def rebuild(self, force: bool = False) -> None:
        """Builds the lines again; keeps the selected choice in view if lines were added or the height changed."""
        super().rebuild(force)
        if self._revealed != (self.cursor, len(self.owner), self.content_size.height):
            self.reveal()

    def reveal(self) -> None:
        """Scrolls the lines of the selected choice into view."""
        self._revealed = (self.cursor, len(self.owner), self.content_size.height)
        if not self.chosen or self.cursor not in self.owner or not self.content_size.height:
            return
        first = last = self.owner.index(self.cursor)
        while last + 1 < len(self.owner) and self.owner[last + 1] == self.cursor:
            last += 1
        if first < self.offset_row + self.pinned:
            self.scroll_to_row(0 if self.cursor == 0 else first - self.pinned)
        elif last >= self.offset_row + self.rows:
            self.scroll_to_row(last - self.rows + 1)

    def on_resize(self, event: events.Resize) -> None:
        """Keeps the selected choice in view."""
        self.call_later(self.reveal)

    def moved(self, choice: str) -> None:
        """Called after the cursor moved to another choice."""

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Returns the text of ``choice``, drawn as ``lines``, that the filter searches."""
        return "\n".join(line.plain for line in lines)

    def keeps(self, choice: str, lines: Sequence[Line]) -> bool:
        """True if ``choice``, drawn as ``lines``, matches the filter."""
        return self.word_filter.keeps(self.words(choice, lines).lower())

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns the lines of the choices that match the filter, and removes all other choices."""
        self.all = len(self.choices)
        if not self.word_filter:
            return lines
        chosen, choices = self.chosen, self.choices
        drawn: dict[int, list[Line]] = {}
        for line, owner in zip(lines, self.owner, strict=False):
            if owner >= 0:
                drawn.setdefault(owner, []).append(line)
        kept = {choices[place]: rows for place, rows in drawn.items() if self.keeps(choices[place], rows)}
        self.choices = list(kept)
        self.owner = [place for place, rows in enumerate(kept.values()) for _ in rows]
        self.cursor = self.choices.index(chosen) if chosen in kept else 0
        shown = [line for rows in kept.values() for line in rows]
        return shown or wrapped(NOTHING, self.room)

    def tally(self) -> str:
        """Returns the number of matching choices out of all choices; empty if there is no filter."""
        return f"{len(self.choices)} of {self.all}" if self.word_filter else ""

    def filter_changed(self) -> None:
        """Scrolls the cursor into view and, while the filter is being typed, calls :meth:`moved` for its row."""
        self.reveal()
        if self.field is not None and self.word_filter and self.chosen:
            self.moved(self.chosen)

    def keep_filter(self) -> None:
        """Leaves the filter's field and calls :meth:`moved`, since the row under the cursor may have changed."""
        super().keep_filter()
        if self.word_filter and self.chosen:
            self.moved(self.chosen)

    def step(self, step: int) -> None:
        """Moves the cursor by ``step`` choices while the filter is being typed."""
        self.move_to(self.cursor + step)

    @property
    def has_match(self) -> bool:
        """True if a choice matches the filter."""
        return bool(self.word_filter and self.choices)

    def action_match(self, step: int) -> None:
        """Moves to the next or previous matching choice and wraps around at the ends."""
        if self.choices:
            self.move_to((self.cursor + step) % len(self.choices))

    def on_focus(self, event: events.Focus) -> None:
        """Repaints the cursor, which is brighter while the pane has the focus."""
        self.repaint()

    def on_blur(self, event: events.Blur) -> None:
        """Repaints the cursor, which is dimmer while the pane does not have the focus."""
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Passes a click on a choice to :meth:`clicked`."""
        content = event.get_content_offset(self)
        if content is None:
            return
        number = self.line_at(content.y)
        owner = self.owner[number] if 0 <= number < len(self.owner) else -1
        if owner < 0:
            return
        self.clicked(owner)

    def clicked(self, place: int) -> None:
        """Selects the clicked choice; a second click, or with :attr:`TAKES_CLICK` the first, acts like ``Enter``."""
        takes = self.TAKES_CLICK or (place == self.cursor and self.has_focus)
        self.move_to(place)
        if takes:
            self.action_take()

    def action_take(self) -> None:
        """Runs the pane's ``Enter`` action on the selected choice; does nothing by default."""

    def action_down(self) -> None:
        """Moves to the next choice; on the last one, scrolls one row down."""
        if self.cursor < len(self.choices) - 1:
            self.move_to(self.cursor + 1)
        else:
            super().action_down()

    def action_up(self) -> None:
        """Moves to the previous choice; on the first one, scrolls one row up."""
        if self.cursor > 0:
            self.move_to(self.cursor - 1)
        else:
            super().action_up()

    def action_top(self) -> None:
        """Moves to the first choice and scrolls to the top."""
        self.move_to(0)
        super().action_top()

    def action_bottom(self) -> None:
        """Moves to the last choice and scrolls to the bottom."""
        self.move_to(len(self.choices) - 1)
        super().action_bottom()

    def action_page(self, pages: int) -> None:
        """Moves down by ``pages`` pages of choices, or up if negative."""
        self.move_to(self.cursor + pages * max(1, self.rows - 2))
