"""A bordered pane that can be focused and scrolled, and one whose rows can be chosen."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip

from brvtui.app.paint.text import cut
from brvtui.app.view import View
from brvtui.app.widgets.lines import LETTERS, Lines
from brvtui.text.visible import visible

_WHEEL_ROWS = 3
_CORNERS = 6


class Pane(Lines, can_focus=True):
    """Lines under a title. ``pinned`` lines at the top stay when the rest scrolls."""

    TITLE: ClassVar[str] = ""
    HELP_TEXT: ClassVar[str] = ""
    """What F1 says about the pane."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "down", "down", id="pane.down", show=False, tooltip="One row down"),
        Binding("k,up", "up", "up", id="pane.up", show=False, tooltip="One row up"),
        Binding("g,home", "top", "top", id="pane.top", show=False, tooltip="To the first row"),
        Binding("G,end", "bottom", "end", id="pane.bottom", show=False, tooltip="To the last row"),
        Binding("pagedown,space", "page(1)", "page down", id="pane.pagedown", show=False, tooltip="A page down"),
        Binding("pageup", "page(-1)", "page up", id="pane.pageup", show=False, tooltip="A page up"),
    ]

    def __init__(self, *, id: str) -> None:
        """An empty pane."""
        super().__init__(id=id)
        self.offset_row = 0
        self.pinned = 0
        self.tabs: Content | None = None

    @property
    def room(self) -> int:
        """The last column is left to the scroll mark."""
        return max(self.content_size.width - 1, 1)

    def heading(self, view: View) -> str:
        """The title in the border."""
        return self.TITLE

    def rebuild(self, force: bool = False) -> None:
        """Builds the lines again, and the title."""
        self.retitle()
        super().rebuild(force)
        self.scroll_to_row(self.offset_row)  # more room may show what a kept offset would scroll away

    def arranged(self, shown: frozenset[str]) -> None:
        """Called with the ids of everything that is shown, when that has changed."""

    def retitle(self) -> None:
        """Puts the title, or the row of tabs, into the border."""
        heading = cut(visible(self.heading(self.view)), max(self.outer_size.width - _CORNERS, 1))
        title = self.tabs or Content(heading if self.glyphs.unicode else heading.translate(LETTERS))
        if self.border_title != title.markup:
            self.border_title = title

    def changed(self) -> None:
        """Keeps the place as far as there still are lines."""
        self.offset_row = max(0, min(self.offset_row, self.last_offset))
        super().changed()

    @property
    def last_offset(self) -> int:
        """The offset at which the last line is at the bottom."""
        return max(0, len(self.lines) - max(self.content_size.height, 1))

    def scroll_to_row(self, offset: int) -> None:
        """Scrolls so that line ``offset`` is the first below the pinned ones."""
        wanted = max(0, min(offset, self.last_offset))
        if wanted != self.offset_row:
            self.offset_row = wanted
            self.refresh()

    def line_at(self, row: int) -> int:
        """Which line is drawn in ``row``."""
        return row if row < self.pinned else row + self.offset_row

    def render_line(self, y: int) -> Strip:
        """Row ``y``, with the scroll mark at its end when there is more."""
        strip = super().render_line(y)
        height = self.content_size.height
        if self.last_offset and y >= self.pinned:
            size = max(1, round(height * height / len(self.lines)))
            start = round(self.offset_row / self.last_offset * (height - size)) if height > size else 0
            if start <= y < start + size:
                mark = Segment(self.glyphs.thumb, self.rich_style + self.brv.palette.style("faint"))
                strip = Strip([*strip.crop(0, self.content_size.width - 1), mark])
        return strip

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls without moving a cursor."""
        event.stop()
        self.scroll_to_row(self.offset_row + _WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls without moving a cursor."""
        event.stop()
        self.scroll_to_row(self.offset_row - _WHEEL_ROWS)

    def action_down(self) -> None:
        """One row down."""
        self.scroll_to_row(self.offset_row + 1)

    def action_up(self) -> None:
        """One row up."""
        self.scroll_to_row(self.offset_row - 1)

    def action_top(self) -> None:
        """To the first row."""
        self.scroll_to_row(0)

    def action_bottom(self) -> None:
        """To the last row."""
        self.scroll_to_row(self.last_offset)

    def action_page(self, pages: int) -> None:
        """Whole pages up or down."""
        self.scroll_to_row(self.offset_row + pages * max(1, self.content_size.height - self.pinned - 1))


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

    @property
    def chosen(self) -> str:
        """The choice under the cursor; empty when there is none."""
        return self.choices[self.cursor] if 0 <= self.cursor < len(self.choices) else ""

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
            self.restyle()
            if tell:
                self.moved(self.choices[place])

    def reveal(self) -> None:
        """Scrolls the lines of the cursor's choice into view."""
        rows = [number for number, owner in enumerate(self.owner) if owner == self.cursor]
        height = self.content_size.height
        if not rows or height <= 0:
            return
        if rows[0] < self.offset_row:
            self.scroll_to_row(0 if self.cursor == 0 else rows[0])
        elif rows[-1] >= self.offset_row + height:
            self.scroll_to_row(rows[-1] - height + 1)

    def moved(self, choice: str) -> None:
        """Called when the cursor came to another choice."""

    def accepted(self, choice: str) -> None:
        """Called when a choice is taken by Enter or a click."""

    def on_focus(self, event: events.Focus) -> None:
        """The cursor is brighter with focus."""
        self.restyle()

    def on_blur(self, event: events.Blur) -> None:
        """The cursor is dimmer without focus."""
        self.restyle()

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
        """The next choice."""
        self.move_to(self.cursor + 1)

    def action_up(self) -> None:
        """The choice before."""
        self.move_to(self.cursor - 1)

    def action_top(self) -> None:
        """The first choice."""
        self.move_to(0)

    def action_bottom(self) -> None:
        """The last choice."""
        self.move_to(len(self.choices) - 1)

    def action_page(self, pages: int) -> None:
        """A page of choices up or down."""
        self.move_to(self.cursor + pages * max(1, self.content_size.height - 2))
