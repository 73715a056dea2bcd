"""A pane whose rows can be chosen."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line

NOTHING = "nothing matches: Esc clears the filter"


class ChoicePane(Pane):
    """A pane with a cursor over choices, each drawn as one or more lines."""

    FILTER_DOES = "keep"

    def __init__(self, *, id: str) -> None:
        """Starts without choices."""
        super().__init__(id=id)
        self.choices: list[str] = []
        """The choices from top to bottom, by a name that tells them apart."""
        self.owner: list[int] = []
        """The position in :attr:`choices` of what each line belongs to; -1 for a line that cannot be chosen."""
        self.cursor = 0
        self.all = 0
        """The number of choices before filtering."""

    @property
    def chosen(self) -> str:
        """Returns the choice under the cursor; empty without one."""
        return self.choices[self.cursor] if 0 <= self.cursor < len(self.choices) else ""

    def add_rows(self, made: list[Line], rows: Sequence[Line], choice: str = "") -> None:
        """Appends ``rows`` to ``made`` as one more ``choice``; an empty one cannot be chosen."""
        if choice:
            self.choices.append(choice)
        made += rows
        self.owner += [len(self.choices) - 1 if choice else -1] * len(rows)

    def ground(self, number: int) -> str:
        """Returns the background: that of the cursor, brighter with focus, for the lines of its choice."""
        if number < len(self.owner) and self.owner[number] == self.cursor and self.chosen:
            return "cursor" if self.has_focus else "cursor-idle"
        return super().ground(number)

    def move_to(self, place: int, tell: bool = True) -> None:
        """Moves the cursor to choice ``place`` and into view; calls :meth:`moved` unless ``tell`` is false."""
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
            self.show_keys()  # some act on some choices alone

    def reveal(self) -> None:
        """Scrolls the lines of the cursor's choice into view."""
        if not self.chosen or self.cursor not in self.owner or not self.content_size.height:
            return
        first = last = self.owner.index(self.cursor)
        while last + 1 < len(self.owner) and self.owner[last + 1] == self.cursor:
            last += 1
        if first < self.offset_row + self.pinned:
            self.scroll_to_row(0 if self.cursor == 0 else first - self.pinned)
        elif last >= self.offset_row + self.rows:
            self.scroll_to_row(last - self.rows + 1)

    def moved(self, choice: str) -> None:
        """Called after the cursor moved to another choice."""

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Returns the text of ``choice``, drawn as ``lines``, that a filter searches."""
        return "\n".join(made.plain for made in lines)

    def keeps(self, choice: str, lines: Sequence[Line]) -> bool:
        """Returns whether ``choice``, drawn as ``lines``, passes the filter."""
        return self.word_filter.keeps(self.words(choice, lines).lower())

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns only the lines of choices that pass the filter, and drops the other choices."""
        self.all = len(self.choices)
        if not self.word_filter:
            return lines
        chosen, choices = self.chosen, self.choices
        drawn: dict[int, list[Line]] = {}
        for made, owner in zip(lines, self.owner, strict=False):
            if owner >= 0:
                drawn.setdefault(owner, []).append(made)
        kept = {choices[place]: rows for place, rows in drawn.items() if self.keeps(choices[place], rows)}
        self.choices = list(kept)
        self.owner = [place for place, rows in enumerate(kept.values()) for _ in rows]
        self.cursor = self.choices.index(chosen) if chosen in kept else 0
        shown = [made for rows in kept.values() for made in rows]
        return shown or wrapped(NOTHING, self.room)

    def tally(self) -> str:
        """Returns how many of all choices pass the filter; empty without one."""
        return f"{len(self.choices)} of {self.all}" if self.word_filter else ""

    def filter_changed(self) -> None:
        """Scrolls the cursor back into view and, while the filter is typed, selects the row under it."""
        self.reveal()
        if self.field is not None and self.word_filter and self.chosen:
            self.moved(self.chosen)

    def keep_filter(self) -> None:
        """Leaves the filter's field; rows may have changed since the last key, so the one under the cursor is told."""
        super().keep_filter()
        if self.word_filter and self.chosen:
            self.moved(self.chosen)

    def step(self, step: int) -> None:
        """Moves the cursor while the filter is typed."""
        self.move_to(self.cursor + step)

    @property
    def has_match(self) -> bool:
        """Whether the filter keeps a choice."""
        return bool(self.word_filter and self.choices)

    def action_match(self, step: int) -> None:
        """Moves to the next or previous choice that passes the filter; goes on at the other end."""
        if self.choices:
            self.move_to((self.cursor + step) % len(self.choices))

    def on_focus(self, event: events.Focus) -> None:
        """Repaints the cursor, which is brighter with focus."""
        self.repaint()

    def on_blur(self, event: events.Blur) -> None:
        """Repaints the cursor, which is dimmer without focus."""
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Calls :meth:`clicked` for the choice under the mouse."""
        content = event.get_content_offset(self)
        if content is None:
            return
        number = self.line_at(content.y)
        owner = self.owner[number] if 0 <= number < len(self.owner) else -1
        if owner < 0:
            return
        self.clicked(owner)

    def clicked(self, place: int) -> None:
        """Called for a click on choice ``place``: the first selects it, a second one takes it."""
        if place == self.cursor and self.has_focus:
            self.action_take()
        self.move_to(place)

    def action_take(self) -> None:
        """Does with the choice under the cursor what ``Enter`` does; nothing where a pane has nothing to do."""

    def action_down(self) -> None:
        """Moves to the next choice; after the last, scrolls a row down."""
        if self.cursor < len(self.choices) - 1:
            self.move_to(self.cursor + 1)
        else:
            super().action_down()

    def action_up(self) -> None:
        """Moves to the previous choice; before the first, scrolls a row up."""
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
        """Moves ``pages`` pages of choices down; up when negative."""
        self.move_to(self.cursor + pages * max(1, self.rows - 2))
