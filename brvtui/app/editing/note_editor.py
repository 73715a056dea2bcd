"""The text of the note that is being edited."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual._text_area_theme import TextAreaTheme
from textual._tree_sitter import get_language
from textual.content import Content
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit
from textual.geometry import Offset
from textual.strip import Strip
from textual.widgets import TextArea

from brvtui.app.actions.panes import TEXT
from brvtui.app.keys.bindings import bindings
from brvtui.app.services import AppServices, services_of
from brvtui.app.widgets.ordered_keys import act_in_order
from brvtui.paint.text import cut, cut_left, plural
from brvtui.text.visible import visible
from brvtui.tree.editing.note_text import without_hidden

_LANGUAGE = "markdown"
_HIGHLIGHTED_CHARS = 40_000
"""Every edit colours the whole text anew; beyond this it would be felt."""
_LINE_BREAKS = re.compile(r"\r\n?")
_CORNERS = 6
_MARK = "!"
_MARK_CELLS = 2
"""Cells between a line's number and the text; the first of them is for the mark."""
_HIDDEN = "·"
_PICTURES = frozenset(map(chr, [*range(0x2400, 0x2422)]))
"""Marks that say what they stand for."""
_ROLES = {
    "heading": "bold strong",
    "heading.marker": "bold accent",
    "text.literal": "ok",
    "punctuation.delimiter": "muted",
    "punctuation.special": "muted",
    "link.uri": "underline accent",
    "link.label": "accent",
    "list.marker": "bold accent",
    "string.escape": "warn",
}


class NoteEditor(TextArea, inherit_bindings=False):
    """A text area with marks beside the numbers of lines that have a problem."""

    TITLE = "Text"
    HELP_TEXT = (
        "The note as it is on disk, every character of it: what a terminal must not get is drawn as a placeholder and "
        "saved as it was. Problems of the frontmatter and relations to missing notes are marked beside the line and "
        "listed (F3); F4 shows what the edit does to the current query. Ctrl+S saves; what that does to the note's "
        "modification time, and so to its score, stands above the text."
    )
    BINDINGS = bindings(TEXT)

    def __init__(self, *, id: str) -> None:
        """An editor without a note."""
        self._path = ""
        self._state = ""
        self.tabs: Content | None = None
        self.marks: Mapping[int, str] = {}
        self._marks: frozenset[str] = frozenset()
        self._drawn: dict[int, str] = {}
        self._found: re.Pattern[str] | None = None
        super().__init__(id=id, show_line_numbers=True)
        self.cursor_blink = False
        self.match_cursor_bracket = False

    @property
    def services(self) -> AppServices:
        """The app, as far as it is known here."""
        return services_of(self)

    async def on_key(self, event: events.Key) -> None:
        """A key that edits acts here and now."""
        await act_in_order(self, event)

    def on_mount(self) -> None:
        """Takes the colours of the theme, now and later."""
        self._recolour()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._recolour())

    def _recolour(self) -> None:
        style = self.services.palette.style
        self.register_theme(TextAreaTheme("brv", syntax_styles={name: style(role) for name, role in _ROLES.items()}))
        self.theme = "brv"

    # the text

    def open(self, text: str, marks: Collection[str]) -> None:
        """Begins with ``text``, in which ``marks`` stand for what cannot be drawn; there is nothing to undo."""
        self.mark(marks)
        self.language = _LANGUAGE if len(text) <= _HIGHLIGHTED_CHARS and can_highlight() else None
        self.load_text(text)

    def mark(self, marks: Collection[str]) -> None:
        """From now on ``marks`` stand for what cannot be drawn."""
        self._drawn = {ord(mark): self.drawn(mark) for mark in marks}
        self._marks = frozenset(marks)

    @staticmethod
    def drawn(mark: str) -> str:
        """How ``mark`` is drawn."""
        return mark if mark in _PICTURES else _HIDDEN

    def edit(self, edit: Edit) -> EditResult:
        """Performs ``edit`` without what cannot be drawn; terminals paste carriage returns where lines end."""
        text = _LINE_BREAKS.sub("\n", edit.text)
        edit.text = without_hidden(text)
        if len(edit.text) < len(text):
            left_out = plural(len(text) - len(edit.text), "character")
            self.notify(f"{left_out} that cannot be shown left out", severity="warning")
        return super().edit(edit)

    def take(self, text: str) -> None:
        """Puts ``text`` in place of the whole, as one edit that can be undone; what is equal keeps the cursor."""
        old, new = self.text.split("\n"), text.split("\n")
        top = next((row for row, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        below = 0
        while below < min(len(old), len(new)) - top and old[-1 - below] == new[-1 - below]:
            below += 1
        if top == len(old) - below and top == len(new) - below:
            return
        start, end, middle = _replaced(old, new, top, below)
        self.history.checkpoint()
        super().edit(Edit(middle, start, end, True))
        self.history.checkpoint()

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """None: brackets say little in notes, and the search for one may cross the whole text."""
        return None

    def action_text_start(self) -> None:
        """To the start of the text."""
        self.move_cursor((0, 0))

    def action_text_end(self) -> None:
        """To the end of the text."""
        self.move_cursor(self.document.end)

    # finding

    def find(self, words: str, step: int = 1, here: bool = False) -> tuple[int, int]:
        """Selects the next (``step`` 1) or previous (-1) place of ``words``, in any case, and marks all.

        With ``here`` a place at the cursor counts as the next. The number of the place, from 1, and of all.
        """
        self._found = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self.notify_style_update()
        self.refresh()
        if self._found is None:
            return 0, 0
        places = [
            Selection((row, match.start()), (row, match.end()))
            for row, line in enumerate(self.document.lines)
            for match in self._found.finditer(line)
        ]
        if not places:
            return 0, 0
        at = min(self.selection)
        if step > 0:
            number = next((n for n, place in enumerate(places) if place.start > at or (here and place.start == at)), 0)
        else:
            number = next((n for n in reversed(range(len(places))) if places[n].start < at), len(places) - 1)
        self.selection = places[number]
        self.scroll_cursor_visible(center=True)
        return number + 1, len(places)

    # drawing

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: placeholders instead of masks, marks on what is searched for."""
        style = self.services.palette.style
        held = self.document.get_line(line_index)
        line = Text(held.translate(self._drawn), end="", no_wrap=True)
        if not self._marks.isdisjoint(held):
            for place, char in enumerate(held):
                if char in self._marks:
                    line.stylize(style("warn"), place, place + 1)
        if self._found is not None:
            for match in self._found.finditer(held):
                line.stylize(style("match on match-ground"), match.start(), match.end())
        return line

    def render_line(self, y: int) -> Strip:
        """A row, with the mark of its line beside the number."""
        strip = super().render_line(y)
        row = self.scroll_offset.y + y
        if not self.marks or row >= self.wrapped_document.height:
            return strip
        line, column = self.wrapped_document.offset_to_location(Offset(0, row))
        role = self.marks.get(line) if column == 0 else None
        if role is None:
            return strip
        place = self.gutter_width - _MARK_CELLS
        style = next((piece.style for piece in strip if piece.style), None) or Style()
        mark = Segment(_MARK, style + self.services.palette.style(f"bold {role}"))
        left, right = strip.crop(0, place), strip.crop(place + 1)
        return Strip.join([left, Strip([mark], 1), right])

    def show_marks(self, marks: Mapping[int, str]) -> None:
        """Marks lines (numbered from 0), each with the role of its mark."""
        if dict(marks) != dict(self.marks):
            self.marks = marks
            self.refresh()

    # the frame

    def entitle(self, path: str, state: str) -> None:
        """Names the note in the border, with the ``state`` of its edit."""
        self._path, self._state = path, state
        self.retitle()

    def retitle(self) -> None:
        """Puts the note's path and the state of the edit, or the row of tabs, into the border."""
        room = max(self.outer_size.width - _CORNERS, 1)
        path = cut_left(visible(self._path), max(8, room - len(self._state) - 1))
        title = self.tabs or Content(cut(f"{path} {self._state}".strip(), room))
        if self.border_title != title.markup:
            self.border_title = title

    def arranged(self, shown: frozenset[str]) -> None:
        """Nothing depends on what else is shown."""


def _replaced(old: list[str], new: list[str], top: int, below: int) -> tuple[Location, Location, str]:
    """Where the lines from ``top`` to ``below`` from the end stand in ``old``, and the text of those in ``new``."""
    gone, come = old[top : len(old) - below], new[top : len(new) - below]
    text = "\n".join(come)
    if below:
        return (top, 0), (top + len(gone), 0), text + "\n" if come else text
    if not top:
        return (0, 0), (len(old) - 1, len(old[-1])), text
    return (top - 1, len(old[top - 1])), (len(old) - 1, len(old[-1])), "\n" + text if come else text


@lru_cache(maxsize=1)
def can_highlight() -> bool:
    """Whether tree-sitter and its Markdown grammar are installed (extra ``syntax``) and fit each other."""
    try:
        return get_language(_LANGUAGE) is not None
    except (ValueError, TypeError):  # a grammar of another version than the library reads
        return False
