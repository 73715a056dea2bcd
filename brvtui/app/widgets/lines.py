"""The base class of panes: draws lines of styled spans and repaints only changed rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar, overload

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.screen import Screen
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from brvtui.app.arrangement import LEAST_HEIGHT, LEAST_WIDTH
from brvtui.app.services import AppServices, services_of
from brvtui.app.view import SubState, View, read_of
from brvtui.paint.glyphs import Glyphs, in_letters
from brvtui.paint.line import Line, Span, line
from brvtui.paint.text import wrap

Row = TypeVar("Row")

"""The minimum number of cells after a head for text to be wrapped there; with fewer, the text is cut."""
_MOST_SELECTED = 10_000
"""The maximum number of lines to copy."""


class LazyLines(Sequence[Line]):
    """Lines that are drawn on access. Equality compares heads and tails, and the identity of the rows."""

    def __init__(
        self, head: Sequence[Line], rows: Sequence[Row], tail: Sequence[Line], draw: Callable[[Row], Line]
    ) -> None:
        """Stores ``rows``, each drawn by ``draw`` on access, between ``head`` and ``tail``."""
        self._head, self._tail = head, tail
        self._rows: Sequence[Any] = rows
        self._draw: Callable[[Any], Line] = draw

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LazyLines):
            return NotImplemented
        return self._rows is other._rows and (self._head, self._tail) == (other._head, other._tail)

    __hash__ = None  # type: ignore[assignment]  # the rows may be a list

    def __len__(self) -> int:
        return len(self._head) + len(self._rows) + len(self._tail)

    @overload
    def __getitem__(self, place: int) -> Line: ...

    @overload
    def __getitem__(self, place: slice) -> list[Line]: ...

    def __getitem__(self, place: int | slice) -> Line | list[Line]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        below = place - len(self._head)
        if below < 0:
            return self._head[place]
        return self._draw(self._rows[below]) if below < len(self._rows) else self._tail[below - len(self._rows)]


class Lines(Widget):
    """Draws the lines from :meth:`build`, and builds them again only when its inputs have changed."""

    READS: ClassVar[tuple[type[SubState], ...]] = ()
    """The parts of the view that the lines are built from."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = View()
        self.lines: Sequence[Line] = ()
        """The lines to draw; may be :class:`LazyLines`."""
        self._strips: dict[int, Strip] = {}
        self._painted: dict[int, Strip] = {}
        """The strips that are on the terminal now, by row."""
        self._repainting = False
        self._base = Style()
        self.area = Size(0, 0)
        """The size of the content at the last measurement, in cells."""
        self._built: tuple[object, ...] | None = None
        self._selection: Selection | None = None
        """The text selected with the mouse: places are a line number and a number of characters."""
        self._is_rendering = False

    @property
    def services(self) -> AppServices:
        """The app's services."""
        return services_of(self)

    @property
    def glyphs(self) -> Glyphs:
        """The symbols that the app draws with."""
        return self.services.glyphs

    @property
    def room(self) -> int:
        """The width of a line in cells, at least 1."""
        return max(self.content_size.width, 1)

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the lines for ``view``, each at most ``width`` cells wide. Subclasses define this."""
        raise NotImplementedError

    def lacks(self, view: View) -> Iterable[Message]:
        """Returns requests for data that ``view`` lacks; they are posted after the lines are built."""
        return ()

    def update(self, view: View) -> None:
        """Shows ``view``."""
        self.view = view
        self.rebuild()

    def rebuild(self, force: bool = False) -> None:
        """Builds the lines again if an input has changed or ``force`` is True, and repaints them if they differ."""
        if not self.is_attached or not self.content_size.width:
            self._built = None
            return
        key = (*self.reads(self.view), self.room, self.content_size.height, *self.also_reads())
        if not force and self._built is not None and same(key, self._built):
            return
        self._built = key
        lines = self.made()
        if lines != self.lines or force:
            before = self._selected_lines()
            self.lines = lines
            if self._selected_lines() != before:
                self.screen.clear_selection()
            self.changed()
        for request in self.lacks(self.view):
            self.post_message(request)

    def reads(self, view: View) -> tuple[object, ...]:
        """Returns the parts of ``view`` that the lines use; the lines are built again if one of them changes."""
        return read_of(view, self.READS)

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view."""
        return ()

    def made(self) -> Sequence[Line]:
        """Returns the current lines."""
        return self.build(self.view, self.room)

    def changed(self) -> None:
        """Called when the lines have changed; repaints them."""
        self.repaint()

    def repaint(self) -> None:
        """Repaints the rows that differ from the terminal, after the current messages are handled."""
        self._strips.clear()
        if not self._repainting:
            self._repainting = True
            self.call_next(self._repaint)

    def _repaint(self) -> None:
        self._repainting = False
        self._measure()
        width, height = self.area
        rows = [y for y in range(height) if self.paint_row(y) != self._painted.get(y)]
        if len(rows) == height:
            self.refresh(Region(0, 0, width, height))
        elif rows:
            self.refresh(*(Region(0, y, width, 1) for y in rows))

    def _measure(self) -> None:
        """Caches the size and the style, since Textual computes them on every access."""
        self.area = self.content_size
        self._base = self.rich_style

    def restyle(self) -> None:
        """Draws every row again in the colours of the current theme."""
        self._strips.clear()
        self._painted.clear()
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Builds the lines for the new width and repaints, since even unchanged lines are padded to the width."""
        self.rebuild()
        self.repaint()

    def on_show(self, event: events.Show) -> None:
        """Builds the lines, since a hidden widget is not updated."""
        self.rebuild()

    def line_at(self, row: int) -> int:
        """Returns the number of the line in row ``row``."""
        return row

    def ground(self, number: int) -> str:
        """Returns the role of the background of line ``number``; empty if it has none."""
        return self.lines[number].ground

    def spans(self, number: int) -> Sequence[Span]:
        """Returns the spans of line ``number`` for painting."""
        return self.lines[number].spans

    def render_lines(self, crop: Region) -> list[Strip]:
        """Returns the strips in ``crop``; called by Textual."""
        self._measure()
        self._is_rendering = True
        try:
            return super().render_lines(crop)
        finally:
            self._is_rendering = False

    def render_line(self, y: int) -> Strip:
        """Returns row ``y``; called by Textual to paint it, or else to find the text under the mouse."""
        strip = self.paint_row(y)
        if not self._is_rendering:
            return strip.apply_offsets(0, self.line_at(y))
        self._painted[y] = strip
        return strip

    def paint_row(self, y: int) -> Strip:
        """Returns the current strip of row ``y``."""
        number = self.line_at(y)
        if not 0 <= number < len(self.lines):
            return Strip.blank(self.area.width, self._base)
        strip = self._strips.get(number)
        if strip is None:
            strip = self._strips[number] = self._strip(number, self.area.width)
        return strip

    def _strip(self, number: int, width: int) -> Strip:
        palette = self.services.palette
        base = self._base
        ground = self.ground(number)
        under = base + palette.on("text", ground) if ground else base
        spans = ((text, base + palette.on(role, ground)) for text, role in self._shown_spans(number))
        strip = Strip(_segments(spans, width, under)).adjust_cell_length(width, under)
        selected = self._selection.get_span(number) if self._selection is not None else None
        if selected is None:
            return strip
        start, end = selected
        first, last = (cell_len(strip.text[:place]) for place in (start, len(strip.text) if end < 0 else end))
        marked = Segment.apply_style(strip.crop(first, last), post_style=self.selection_style)
        return Strip([*strip.crop(0, first), *marked, *strip.crop(last, width)])

    def _shown_spans(self, number: int) -> Iterable[Span]:
        """Returns the spans of line ``number`` with the symbols that the terminal can show."""
        spans = self.spans(number)
        return spans if self.glyphs.unicode else ((in_letters(text), role) for text, role in spans)

    # selecting text with the mouse

    def selection_updated(self, selection: Selection | None) -> None:
        """Shows ``selection``; called by Textual."""
        self._selection = selection
        self.repaint()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Returns the text in ``selection`` and the line break after it; called by Textual."""
        return "\n".join(self._selected_lines()), "\n"

    def _selected_lines(self) -> list[str]:
        """Returns the selected text by line, without blanks at the end of lines."""
        selected: list[str] = []
        if self._selection is not None and self._selection.start is not None and self._selection.end is not None:
            first, last = self._selection.start.y, min(self._selection.end.y + 1, len(self.lines))
            for number in range(first, min(last, first + _MOST_SELECTED)):
                start, end = self._selection.get_span(number) or (0, 0)
                text = "".join(text for text, _ in self._shown_spans(number))
                selected.append(text[start : None if end < 0 else end].rstrip())
        return selected

    def _forward_event(self, event: events.Event) -> None:
        """Drops the click that ends a selection, and counts a double click as two clicks; called by Textual."""
        if isinstance(event, events.Click):
            if self.screen.selections:
                return
            event.chain = 1  # in Textual, a double click selects the whole text
        super()._forward_event(event)


def same(new: tuple[object, ...], old: tuple[object, ...]) -> bool:
    """True if both tuples are equal; strings and numbers are compared by value, others by identity, which is faster."""
    if len(new) != len(old):
        return False
    return all(a is b or (isinstance(a, (str, int, float)) and a == b) for a, b in zip(new, old, strict=True))


def _segments(spans: Iterable[tuple[str, Style]], width: int, under: Style) -> list[Segment]:
    """Returns ``spans`` padded to ``width`` cells; blanks join their neighbours, so that fewer colours are written."""
    segments: list[Segment] = []
    text, style, used = "", under, 0
    for part, own in spans:
        used += cell_len(part)
        if not text:
            text, style = part, own
        elif own == style or (part.isspace() and _same_blank(own, style)):
            text += part
        elif text.isspace() and _same_blank(style, own):
            text, style = text + part, own
        else:
            segments.append(Segment(text, style))
            text, style = part, own
    rest = " " * (width - used)
    if rest and text and _same_blank(under, style):
        text, rest = text + rest, ""
    if text:
        segments.append(Segment(text, style))
    if rest:
        segments.append(Segment(rest, under))
    return segments


def _same_blank(one: Style, other: Style) -> bool:
    """True if a space looks the same in both styles."""
    drawn = one.underline or one.strike or one.reverse or other.underline or other.strike or other.reverse
    return not drawn and one.bgcolor == other.bgcolor


def wrapped(text: str, width: int, role: str = "muted") -> list[Line]:
    """Returns ``text`` wrapped to ``width`` cells, with a margin of one cell on each side."""
    return [line(f" {part}", role) for part in wrap(text, width - 2)]


def stale_lines(texts: Mapping[str, str], view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the warning in ``texts`` for the selected note if its file is missing or newer than the index."""
    text = texts.get(view.stale.files.get(view.selection.file, ""), "")
    return wrapped(f"{glyphs.warn} {text}", width, "warn") if text else []


def selected_in_one(screen: Screen[Any], selections: dict[Widget, Selection]) -> dict[Widget, Selection]:
    """Returns a selection that stays within the widget where it began; Textual's would contain all panes between."""
    state = screen._select_state
    widget = state.start.content_widget if state is not None else None
    start = state.start.content_offset if state is not None else None
    if not selections or state is None or start is None or not isinstance(widget, Lines):
        return {}
    region, (x, y) = widget.content_region, state.screen_offset
    x, y = max(region.x, min(x, region.right - 1)), max(region.y, min(y, region.bottom - 1))
    _, end = screen.get_widget_and_offset_at(x, y)
    first, last = sorted((start, start if end is None else end), key=lambda at: at.transpose)
    return {widget: Selection(first, last + Offset(1, 0))}


def restyle(screen: Screen[Any]) -> None:
    """Draws all parts of ``screen`` again in the colours of the current theme."""
    for part in screen.query(Lines).results(Lines):
        part.restyle()


def rebuild(screen: Screen[Any]) -> None:
    """Builds all parts of ``screen`` again."""
    for part in screen.query(Lines).results(Lines):
        part.rebuild(force=True)


# Wrapped text, and the message that the terminal is too small.


class Paragraphs(Lines):
    """Paragraphs, each in one style; the height fits the text."""

    def __init__(self, *paragraphs: Span, id: str) -> None:
        """Creates paragraphs from pairs of text and role."""
        super().__init__(id=id)
        self._paragraphs: Sequence[Span] = paragraphs

    def set_text(self, *paragraphs: Span) -> None:
        """Replaces the paragraphs."""
        if paragraphs != self._paragraphs:
            self._paragraphs = paragraphs
            self.rebuild(force=True)
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Returns the height of the paragraphs in lines."""
        return len(self.build(self.view, max(width, 1)))

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the wrapped paragraphs."""
        return [row for text, role in self._paragraphs for row in wrapped(text, width, role)]


class TooSmall(Lines):
    """A message that gives the minimum size of the terminal."""

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the wrapped message."""
        sentence = f"brv-tui needs at least {LEAST_WIDTH}×{LEAST_HEIGHT} characters: enlarge the terminal"
        return [line(part, "warn") for part in wrap(sentence, width)]
