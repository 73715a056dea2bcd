"""A bordered pane that can be focused, scrolled and filtered."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from rich.segment import Segment
from textual import events, on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from brvtui.app.actions.everywhere import EVERY_PANE, FILTER
from brvtui.app.keys.bindings import bindings
from brvtui.app.view import View
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.outline import WordFilter
from brvtui.paint.glyphs import in_letters
from brvtui.paint.line import Line, Span, lit
from brvtui.paint.text import cut
from brvtui.text.visible import visible

_WHEEL_ROWS = 3
_CORNERS = 6
_BEHIND_TABS = "  "
_LEAST_BEHIND_TABS = 24
"""With fewer cells behind the row of tabs, a title says too little there."""
_MATCH = "bold match on match-ground"
_MATCH_HERE = "bold reverse match"


class FilterField(OrderedInput):
    """A one-line field inside the pane that it filters."""

    TITLE = "Filter"
    HELP_TEXT = (
        "Type words. A list keeps the rows that hold all of them, and selects one; a text marks every line that does, "
        "and shows the first. Enter goes back to the pane and keeps the filter: {pane.match} and {pane.match_before} "
        "then go from match to match. Esc clears it."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FILTER)

    def __init__(self, does: str) -> None:
        """An empty field, which says what it ``does`` with words."""
        super().__init__(placeholder=f"words to {does}", select_on_focus=False, compact=True)
        self.cursor_blink = False

    @property
    def pane(self) -> Pane:
        """The pane that is filtered."""
        return cast("Pane", self.parent)

    def action_keep(self) -> None:
        """Back to the pane, which stays filtered."""
        self.pane.keep_filter()

    def action_clear(self) -> None:
        """Clears the filter and goes back to the pane."""
        self.pane.clear_filter()

    def action_step(self, step: int) -> None:
        """Moves in the pane; the field keeps the focus."""
        self.pane.step(step)


class Pane(Lines, can_focus=True):
    """Lines under a title. ``pinned`` lines at the top stay when the rest scrolls."""

    @dataclass
    class NoteWanted(Message):
        """The text of a note is to be shown."""

        file: str

    @dataclass
    class LinkFollowed(Message):
        """A link to a note or folder was followed."""

        path: str

    TITLE: ClassVar[str] = ""
    HELP_TEXT: ClassVar[str] = ""
    """What F1 says about the pane."""
    FILTER_DOES: ClassVar[str] = "find"
    """What its filter does with words; a list keeps the rows that hold them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(EVERY_PANE)

    def __init__(self, *, id: str) -> None:
        """An empty pane."""
        super().__init__(id=id)
        self.offset_row = 0
        self.pinned = 0
        self.tabs: Content | None = None
        self.word_filter = WordFilter(())
        self.field: FilterField | None = None
        """Where the filter is typed, while there is one."""
        self.found: Sequence[int] = ()
        """The lines that match the filter."""
        self._here = -1

    @property
    def rows(self) -> int:
        """How many rows of lines are seen; the filter's field takes one."""
        return max(self.content_size.height - (self.field is not None), 1)

    @property
    def copies(self) -> str:
        """What the key for copying copies here: ``path`` (of the note at hand), ``answer`` or ``prompt``."""
        return "path"

    @property
    def room(self) -> int:
        """The last column is left to the scroll mark."""
        return max(self.content_size.width - 1, 1)

    @property
    def tab_name(self) -> str:
        """What its tab is called, where panes stand behind each other: what the pane is called."""
        return self.TITLE

    def heading(self, view: View) -> str:
        """The title in the border."""
        return self.TITLE

    def rebuild(self, force: bool = False) -> None:
        """Builds the lines again, and the title."""
        self.retitle()
        super().rebuild(force)
        self._count()
        self.scroll_to_row(self.offset_row)  # more room may show what a kept offset would scroll away

    def arranged(self, shown: frozenset[str]) -> None:
        """Called with the ids of everything that is shown, when that has changed."""

    def retitle(self) -> None:
        """Puts the title into the border: behind the row of tabs, if there is one, as far as there is room."""
        room = max(self.outer_size.width - _CORNERS, 1)
        heading = visible(self.heading(self.view))

        def written(cells: int) -> str:
            shown = cut(heading, cells)
            return shown if self.glyphs.unicode else cut(in_letters(shown), cells, "")

        if self.tabs is None:
            title = Content(written(room))
        else:
            left = room - self.tabs.cell_length - len(_BEHIND_TABS)
            says_more = heading != self.tab_name and left >= _LEAST_BEHIND_TABS
            title = self.tabs.append(_BEHIND_TABS + written(left)) if says_more else self.tabs
        if self.border_title != title.markup:
            self.border_title = title

    def changed(self) -> None:
        """Keeps the place as far as there still are lines."""
        self.offset_row = max(0, min(self.offset_row, self.last_offset))
        super().changed()

    @property
    def last_offset(self) -> int:
        """The offset at which the last line is at the bottom."""
        return max(0, len(self.lines) - self.rows)

    def scroll_to_row(self, offset: int) -> None:
        """Scrolls so that line ``offset`` is the first below the pinned ones."""
        wanted = max(0, min(offset, self.last_offset))
        if wanted != self.offset_row:
            self.offset_row = wanted
            self.repaint()

    def line_at(self, row: int) -> int:
        """Which line is drawn in ``row``."""
        return row if row < self.pinned else row + self.offset_row

    def paint_row(self, y: int) -> Strip:
        """Row ``y``, with the scroll mark at its end when there is more."""
        width, height = self.area
        if self.field is not None:
            height = max(height - 1, 1)
            if y >= height:
                return self._prompt()
        strip = super().paint_row(y)
        last = max(0, len(self.lines) - height)
        if last and y >= self.pinned:
            size = max(1, round(height * height / len(self.lines)))
            start = round(self.offset_row / last * (height - size)) if height > size else 0
            if start <= y < start + size:
                mark = Segment(self.glyphs.thumb, self._base + self.services.palette.style("faint"))
                strip = Strip([*strip.crop(0, width - 1), mark])
        return strip

    def _prompt(self) -> Strip:
        style = self._base + self.services.palette.style("bold accent")
        return Strip([Segment("/ ", style)]).adjust_cell_length(self.area.width, self._base)

    # filtering

    def also_reads(self) -> tuple[object, ...]:
        """The filter."""
        return (" ".join(self.word_filter.words),)

    def made(self) -> Sequence[Line]:
        """The lines, filtered."""
        return self.filtered(super().made())

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """``lines`` as they are; those that match are found, to be lit and stepped through."""
        if self.word_filter:
            keeps = self.word_filter.keeps
            low = self.lowered(lines)
            self.found = [place for place, text in enumerate(low) if place >= self.pinned and keeps(text)]
        else:
            self.found = ()
        if self._here not in self.found:
            self._here = -1
        return lines

    def lowered(self, lines: Sequence[Line]) -> Sequence[str]:
        """The texts of ``lines`` in lower case."""
        return [made.low for made in lines]

    def tally(self) -> str:
        """What the filter found, in words; empty without a filter."""
        if not self.word_filter:
            return ""
        if not self.found:
            return "no match"
        if self._here in self.found:
            return f"match {bisect_left(self.found, self._here) + 1} of {len(self.found)}"
        return "1 match" if len(self.found) == 1 else f"{len(self.found)} matches"

    def spans(self, number: int) -> Sequence[Span]:
        """The line with what the filter matches lit."""
        spans = super().spans(number)
        if self.word_filter.pattern is None or number < self.pinned:
            return spans
        return lit(spans, self.word_filter.pattern, _MATCH_HERE if number == self._here else _MATCH)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The filter's key is text while a field has the focus; matches can be stepped through while there is one."""
        if action == "filter":
            return not self.services.takes_letters
        return self.has_match if action == "match" else True

    @property
    def idle(self) -> frozenset[str]:
        """The names of the actions that can do nothing with what is under the cursor: the key bar leaves them out.

        Their keys still act, to say why; an action that says nothing either is refused by :meth:`check_action`.
        """
        return frozenset()

    @property
    def renamed(self) -> Mapping[str, str]:
        """What the key bar calls actions of this pane that do something else now than usual, by their names."""
        return {}

    def show_keys(self) -> None:
        """Has the key bar show the keys that act now; for what it does not see in the view."""
        for bar in self.screen.query(KeyBar):
            bar.show_keys()

    @property
    def has_match(self) -> bool:
        """Whether the filter finds something."""
        return bool(self.word_filter and self.found)

    def action_filter(self) -> None:
        """Opens the filter's field, or goes back to it."""
        if self.field is None:
            self.field = FilterField(self.FILTER_DOES)
            self.mount(self.field)
            self.changed()
        self.screen.set_focus(self.field, scroll_visible=False)

    def keep_filter(self) -> None:
        """Leaves the field; a blank filter is none."""
        if not self.word_filter:
            self.clear_filter()
            return
        self.screen.set_focus(self, scroll_visible=False)

    def clear_filter(self) -> bool:
        """Takes filter and field away; whether there was one."""
        field, self.field = self.field, None
        if field is None:
            return False
        if field.has_focus:
            self.screen.set_focus(self, scroll_visible=False)
        field.remove()
        self.put_filter("")
        self.changed()
        return True

    @on(Input.Changed)
    def _filter_typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.field is not None:
            self.put_filter(event.value)

    def put_filter(self, text: str) -> None:
        """Filters by ``text``; a blank one shows everything again."""
        before = self.word_filter
        self.word_filter = WordFilter.of(text)
        if self.word_filter != before:
            self._here = -1
            self.repaint()
            self.rebuild()
            self.filter_changed()
            self._count()
            self.show_keys()  # that of going from match to match

    def _count(self) -> None:
        tally = Content(self.tally())
        if self.border_subtitle != tally.markup:
            self.border_subtitle = tally

    def filter_changed(self) -> None:
        """Called when the filter has changed: the first match from here on is shown."""
        if self.found:
            self._show_match(bisect_left(self.found, self.offset_row) % len(self.found))

    def step(self, step: int) -> None:
        """Moves while the filter is typed."""
        self.action_match(step)

    def action_match(self, step: int) -> None:
        """The next match, or the one before; after the last comes the first."""
        if not self.found:
            return
        if self._here in self.found:
            place = bisect_left(self.found, self._here) + step
        else:
            place = bisect_left(self.found, self.offset_row) - (step < 0)
        self._show_match(place % len(self.found))

    def _show_match(self, place: int) -> None:
        self._here = self.found[place]
        if not self.offset_row + self.pinned <= self._here < self.offset_row + self.rows:
            self.scroll_to_row(self._here - self.rows // 3)
        self._count()
        self.repaint()

    # scrolling

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
        self.scroll_to_row(self.offset_row + pages * max(1, self.rows - self.pinned - 1))


def own_keys(kind: type[Widget]) -> list[Binding]:
    """The keys that are of this kind of widget: neither those of every pane nor those of Textual's widgets."""
    classes = [above for above in kind.__mro__ if above.__module__.startswith("brvtui.") and above is not Pane]
    found = [item for above in classes for item in above.__dict__.get("BINDINGS", ())]
    return [item for item in found if isinstance(item, Binding)]
