"""A bordered pane that can have focus, scroll and be filtered."""

from __future__ import annotations

import re
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
"""The minimum number of free cells after the tabs that a title needs."""
_MATCH = "bold match on match-ground"
_MATCH_HERE = "bold reverse match"


class FilterField(OrderedInput):
    """The one-line field in a pane with the words of its filter."""

    TITLE = "Filter"
    HELP_TEXT = (
        "Type words to filter the pane. A list then shows only the rows that contain all of them, and selects one; a "
        "text marks every line that contains all of them, and shows the first. Press Enter to keep the filter and go "
        "back to the pane; there, {pane.match} and {pane.match_before} go to the next and previous match. Press Esc "
        "to clear the filter."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FILTER)

    def __init__(self, does: str) -> None:
        """Creates an empty field; ``does`` completes the placeholder "words to …"."""
        super().__init__(placeholder=f"words to {does}", select_on_focus=False, compact=True)
        self.cursor_blink = False

    @property
    def pane(self) -> Pane:
        """The pane that this field filters."""
        return cast("Pane", self.parent)

    def action_keep(self) -> None:
        """Returns the focus to the pane and keeps the filter."""
        self.pane.keep_filter()

    def action_clear(self) -> None:
        """Clears the filter and returns the focus to the pane."""
        self.pane.clear_filter()

    def action_step(self, step: int) -> None:
        """Moves the pane's cursor or match; the field keeps the focus."""
        self.pane.step(step)


class Pane(Lines, can_focus=True):
    """Lines under a title. The first ``pinned`` lines do not scroll."""

    @dataclass
    class NoteWanted(Message):
        """Posted to show the text of a note."""

        file: str

    @dataclass
    class LinkFollowed(Message):
        """Posted when the user follows a link to a note or folder."""

        path: str

    TITLE: ClassVar[str] = ""
    HELP_TEXT: ClassVar[str] = ""
    """The pane's help text, shown by F1."""
    FILTER_DOES: ClassVar[str] = "find"
    """The effect of the filter as a verb: ``find`` highlights matches, ``keep`` hides all other rows of a list."""
    FIELD_ON_TOP: ClassVar[bool] = False
    """True if the filter's field covers the first line, which is pinned, and not the last row."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(EVERY_PANE)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.offset_row = 0
        self.pinned = 0
        self.tabs: Content | None = None
        self.word_filter = WordFilter(())
        self.field: FilterField | None = None
        """The filter's text field while it is open."""
        self.found: Sequence[int] = ()
        """The numbers of the lines that match the filter."""
        self._here = -1

    @property
    def rows(self) -> int:
        """The number of rows for lines, one fewer while the filter's field is open below them."""
        return max(self.content_size.height - self._has_field_below, 1)

    @property
    def _has_field_below(self) -> bool:
        return self.field is not None and not self.FIELD_ON_TOP

    @property
    def copies(self) -> str:
        """The kind of text that the copy key copies: ``path`` (of the current note), ``answer`` or ``prompt``."""
        return "path"

    @property
    def room(self) -> int:
        """The width of a line in cells; the last column is reserved for the scroll mark."""
        return max(self.content_size.width - 1, 1)

    @property
    def tab_name(self) -> str:
        """The name on the pane's tab; by default its title."""
        return self.TITLE

    def heading(self, view: View) -> str:
        """Returns the title for the border."""
        return self.TITLE

    def rebuild(self, force: bool = False) -> None:
        """Builds the lines and the title again."""
        self.retitle()
        super().rebuild(force)
        self._count()
        self.scroll_to_row(self.offset_row)  # with more rows, the old offset may leave blank rows at the end

    def arranged(self, shown: frozenset[str]) -> None:
        """Called with the ids of all visible panes when other panes become visible or hidden."""

    def retitle(self) -> None:
        """Puts the title into the border, cut to the width; after a row of tabs, it does not repeat the tab's name."""
        room = max(self.outer_size.width - _CORNERS, 1)
        heading = visible(self.heading(self.view))

        def written(cells: int) -> str:
            shown = cut(heading, cells)
            return shown if self.glyphs.unicode else cut(in_letters(shown), cells, "")

        if self.tabs is None:
            title = Content(written(room))
        else:
            left = room - self.tabs.cell_length - len(_BEHIND_TABS)
            heading = re.sub(rf"^(\W*){re.escape(self.tab_name)}\b[ ·]*", r"\1", heading, flags=re.IGNORECASE)
            says_more = heading and left >= _LEAST_BEHIND_TABS
            title = self.tabs.append(_BEHIND_TABS + written(left)) if says_more else self.tabs
        if self.border_title != title.markup:
            self.border_title = title

    def changed(self) -> None:
        """Keeps the scroll position within the new lines, and repaints."""
        self.offset_row = max(0, min(self.offset_row, self.last_offset))
        super().changed()

    @property
    def last_offset(self) -> int:
        """The scroll offset that shows the last line at the bottom."""
        return max(0, len(self.lines) - self.rows)

    def scroll_to_row(self, offset: int) -> None:
        """Scrolls to ``offset`` lines from the top; the pinned lines stay where they are."""
        new_offset = max(0, min(offset, self.last_offset))
        if new_offset != self.offset_row:
            self.offset_row = new_offset
            self.repaint()

    def line_at(self, row: int) -> int:
        """Returns the number of the line in row ``row``."""
        return row if row < self.pinned else row + self.offset_row

    def paint_row(self, y: int) -> Strip:
        """Returns row ``y``, with the scroll mark at its end if the lines do not fit into the pane."""
        width, height = self.area
        if self._has_field_below:
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
        """Returns the words of the filter, since the lines depend on them."""
        return (" ".join(self.word_filter.words),)

    def made(self) -> Sequence[Line]:
        """Returns the filtered lines."""
        return self.filtered(super().made())

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns ``lines`` unchanged, and updates the list of matching lines."""
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
        """Returns the texts of ``lines`` in lower case."""
        return [line.low for line in lines]

    def tally(self) -> str:
        """Returns the number of matches, as text; empty if there is no filter."""
        if not self.word_filter:
            return ""
        if not self.found:
            return "no match"
        if self._here in self.found:
            return f"match {bisect_left(self.found, self._here) + 1} of {len(self.found)}"
        return "1 match" if len(self.found) == 1 else f"{len(self.found)} matches"

    def spans(self, number: int) -> Sequence[Span]:
        """Returns the spans of line ``number`` with matches of the filter highlighted."""
        spans = super().spans(number)
        if self.word_filter.pattern is None or number < self.pinned:
            return spans
        return lit(spans, self.word_filter.pattern, _MATCH_HERE if number == self._here else _MATCH)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables the filter's key while a field has the focus, and stepping through matches if there are none."""
        if action == "filter":
            return not self.services.takes_letters
        return self.has_match if action == "match" else True

    @property
    def idle(self) -> frozenset[str]:
        """The names of actions that have no effect on what is selected; the key bar leaves them out.

        Their keys still show a message with the reason; an action without such a message is disabled by
        :meth:`check_action`.
        """
        return frozenset()

    @property
    def renamed(self) -> Mapping[str, str]:
        """The key bar's labels for actions that it otherwise names differently or leaves out, keyed by action name."""
        return {}

    def show_keys(self) -> None:
        """Updates the key bar after a change that is not part of the view."""
        for bar in self.screen.query(KeyBar):
            bar.show_keys()

    @property
    def has_match(self) -> bool:
        """True if the filter matches a line."""
        return bool(self.word_filter and self.found)

    def action_filter(self) -> None:
        """Opens the filter's field, or focuses it if it is open."""
        self.screen.set_focus(self.open_field(), scroll_visible=False)

    def open_field(self) -> FilterField:
        """Returns the filter's field, which is opened if necessary."""
        if self.field is None:
            self.field = FilterField(self.FILTER_DOES)
            self.mount(self.field)
            self.changed()
        return self.field

    def keep_filter(self) -> None:
        """Leaves the field and keeps the filter; a blank filter is removed."""
        if not self.word_filter:
            self.clear_filter()
            return
        self.screen.set_focus(self, scroll_visible=False)

    def clear_filter(self) -> bool:
        """Removes the filter and its field; returns True if there was one."""
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
        """Sets the filter to the words of ``text``; a blank text shows everything again."""
        before = self.word_filter
        self.word_filter = WordFilter.of(text)
        if self.word_filter != before:
            self._here = -1
            self.repaint()
            self.rebuild()
            self.filter_changed()
            self._count()
            self.show_keys()  # the keys for the next and previous match appear or disappear

    def _count(self) -> None:
        tally = Content(self.tally())
        if self.border_subtitle != tally.markup:
            self.border_subtitle = tally

    def filter_changed(self) -> None:
        """Called when the filter has changed; shows the first match from the current position on."""
        if self.found:
            self._show_match(bisect_left(self.found, self.offset_row) % len(self.found))

    def step(self, step: int) -> None:
        """Moves to the next or previous match while the filter is typed."""
        self.action_match(step)

    def action_match(self, step: int) -> None:
        """Moves to the next or previous match and wraps around at the ends."""
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
        """Scrolls down without moving a cursor."""
        event.stop()
        self.scroll_to_row(self.offset_row + _WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls up without moving a cursor."""
        event.stop()
        self.scroll_to_row(self.offset_row - _WHEEL_ROWS)

    def action_down(self) -> None:
        """Scrolls one row down."""
        self.scroll_to_row(self.offset_row + 1)

    def action_up(self) -> None:
        """Scrolls one row up."""
        self.scroll_to_row(self.offset_row - 1)

    def action_top(self) -> None:
        """Scrolls to the first row."""
        self.scroll_to_row(0)

    def action_bottom(self) -> None:
        """Scrolls to the last row."""
        self.scroll_to_row(self.last_offset)

    def action_space(self) -> None:
        """Scrolls one page down."""
        self.action_page(1)

    def action_page(self, pages: int) -> None:
        """Scrolls ``pages`` pages down, or up if negative."""
        self.scroll_to_row(self.offset_row + pages * max(1, self.rows - self.pinned - 1))


def own_keys(kind: type[Widget]) -> list[Binding]:
    """Returns the keys that ``kind`` declares itself, without the keys of every pane and of Textual's widgets."""
    classes = [above for above in kind.__mro__ if above.__module__.startswith("brvtui.") and above is not Pane]
    items = [item for above in classes for item in above.__dict__.get("BINDINGS", ())]
    return [item for item in items if isinstance(item, Binding)]
