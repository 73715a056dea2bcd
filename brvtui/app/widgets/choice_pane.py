"""A pane whose rows can be chosen."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line

NOTHING = "nothing matches: Esc clears the filter"


class ChoicePane(Pane):
    """A pane with a cursor over the lines that stand for something."""

    def __init__(self, *, id: str) -> None:
        """A pane without choices."""
        super().__init__(id=id)
        self.choices: list[str] = []
        """What can be chosen, in order."""
        self.owner: list[int] = []
        """For each line, the choice that it belongs to; -1 for none."""
        self.cursor = 0
        self.all = 0
        """How many choices there are without the filter."""

    @property
    def chosen(self) -> str:
        """The choice under the cursor; empty when there is none."""
        return self.choices[self.cursor] if 0 <= self.cursor < len(self.choices) else ""

    def add_rows(self, made: list[Line], rows: Sequence[Line], choice: str = "") -> None:
        """Appends ``rows`` to ``made`` as those of one more ``choice``; of none when that is empty."""
        if choice:
            self.choices.append(choice)
        made += rows
        self.owner += [len(self.choices) - 1 if choice else -1] * len(rows)

    def ground(self, number: int) -> str:
        """The cursor's line is lit, more so in the focused pane."""
        if number < len(self.owner) and self.owner[number] == self.cursor and self.choices:
            return "cursor" if self.has_focus else "cursor-idle"
        return super().ground(number)

    def move_to(self, place: int, tell: bool = True) -> None:
        """Puts the cursor on choice ``place``, scrolls it into view and says so to the screen."""
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

    def reveal(self) -> None:
        """Scrolls the lines of the cursor's choice into view."""
        if self.cursor not in self.owner or not self.content_size.height:
            return
        first = last = self.owner.index(self.cursor)
        while last + 1 < len(self.owner) and self.owner[last + 1] == self.cursor:
            last += 1
        if first < self.offset_row + self.pinned:
            self.scroll_to_row(0 if self.cursor == 0 else first - self.pinned)
        elif last >= self.offset_row + self.rows:
            self.scroll_to_row(last - self.rows + 1)

    def moved(self, choice: str) -> None:
        """Called when the cursor came to another choice."""

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """What a filter looks at in ``choice``, which is drawn as ``lines``."""
        return "\n".join(made.plain for made in lines)

    def keeps(self, choice: str, lines: Sequence[Line]) -> bool:
        """Whether the filter keeps ``choice``, which is drawn as ``lines``."""
        return self.word_filter.keeps(self.words(choice, lines).lower())

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """The lines of the choices that the filter keeps, and nothing else."""
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
        """How many choices the filter keeps, of how many."""
        return f"{len(self.choices)} of {self.all}" if self.word_filter else ""

    def filter_changed(self) -> None:
        """Keeps the cursor in view."""
        self.reveal()

    def keep_filter(self) -> None:
        """Leaves the field with the cursor on a choice that is kept."""
        super().keep_filter()
        if self.word_filter and self.chosen:
            self.moved(self.chosen)

    def step(self, step: int) -> None:
        """Moves the cursor while the filter is typed."""
        self.move_to(self.cursor + step)

    def action_match(self, step: int) -> None:
        """The next choice that is kept, or the one before; after the last comes the first."""
        if self.choices:
            self.move_to((self.cursor + step) % len(self.choices))

    def on_focus(self, event: events.Focus) -> None:
        """The cursor is brighter with focus."""
        self.repaint()

    def on_blur(self, event: events.Blur) -> None:
        """The cursor is dimmer without focus."""
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """A click chooses; a click on what is chosen takes it."""
        content = event.get_content_offset(self)
        if content is None:
            return
        number = self.line_at(content.y)
        owner = self.owner[number] if 0 <= number < len(self.owner) else -1
        if owner < 0:
            return
        self.clicked(owner)

    def clicked(self, place: int) -> None:
        """A click on choice ``place``."""
        self.move_to(place)

    def action_down(self) -> None:
        """The next choice; after the last, a row down."""
        if self.cursor < len(self.choices) - 1:
            self.move_to(self.cursor + 1)
        else:
            super().action_down()

    def action_up(self) -> None:
        """The choice before; before the first, a row up."""
        if self.cursor > 0:
            self.move_to(self.cursor - 1)
        else:
            super().action_up()

    def action_top(self) -> None:
        """The first choice, and what stands above it."""
        self.move_to(0)
        super().action_top()

    def action_bottom(self) -> None:
        """The last choice, and what stands below it."""
        self.move_to(len(self.choices) - 1)
        super().action_bottom()

    def action_page(self, pages: int) -> None:
        """A page of choices up or down."""
        self.move_to(self.cursor + pages * max(1, self.rows - 2))
