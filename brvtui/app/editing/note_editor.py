"""The text area for editing a note."""

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
"""The maximum number of characters in a text with highlighting, since each edit highlights the whole text again."""
_LINE_BREAKS = re.compile(r"\r\n?")
_CORNERS = 6
_MARK = "!"
_MARK_CELLS = 2
"""The number of cells between a line's number and its text; the first contains the mark."""
_HIDDEN = "·"
_PICTURES = frozenset(map(chr, [*range(0x2400, 0x2422)]))
"""Masks that are displayed unchanged, because they are themselves pictures of the characters that they represent."""
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
    """A text area that displays placeholders for unsafe characters and marks lines with problems."""

    TITLE = "Text"
    HELP_TEXT = (
        "Here you edit the note exactly as it is on disk. Characters that a terminal cannot show appear as "
        "placeholders and are saved unchanged. A mark beside a line shows a problem in the frontmatter or a relation "
        "to a missing note; the Problems pane ({editor.problems}) lists all of them. The Ranking pane "
        "({editor.ranking}) shows how your edit changes the answer to the current query. Press {editor.save} to save. "
        "The line above the text says how saving affects the note's modification time, and therefore its score."
    )
    BINDINGS = bindings(TEXT)

    def __init__(self, *, id: str) -> None:
        self._path = ""
        self._state = ""
        self.tabs: Content | None = None
        self.line_marks: Mapping[int, str] = {}
        """The role of each line's mark, by line number from 0."""
        self._masks: frozenset[str] = frozenset()
        """The characters in the text that represent unsafe characters."""
        self._drawn: dict[int, str] = {}
        """The placeholder that is displayed for each mask, by the mask's code point."""
        self._found: re.Pattern[str] | None = None
        super().__init__(id=id, show_line_numbers=True)
        self.cursor_blink = False
        self.match_cursor_bracket = False

    @property
    def services(self) -> AppServices:
        """The services of the app."""
        return services_of(self)

    async def on_key(self, event: events.Key) -> None:
        """Runs the action of an editing key immediately, to keep the order of keys."""
        await act_in_order(self, event)

    def on_mount(self) -> None:
        """Applies the theme's colours now and whenever the theme changes."""
        self._recolour()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._recolour())

    def _recolour(self) -> None:
        style = self.services.palette.style
        self.register_theme(TextAreaTheme("brv", syntax_styles={name: style(role) for name, role in _ROLES.items()}))
        self.theme = "brv"

    # the text

    def open(self, text: str, masks: Collection[str]) -> None:
        """Opens ``text`` with an empty undo history; ``masks`` are the characters that represent unsafe characters."""
        self.mask(masks)
        self.language = _LANGUAGE if len(text) <= _HIGHLIGHTED_CHARS and can_highlight() else None
        self.load_text(text)

    def mask(self, masks: Collection[str]) -> None:
        """Sets the characters that represent unsafe characters."""
        self._drawn = {ord(mask): self.drawn(mask) for mask in masks}
        self._masks = frozenset(masks)

    @staticmethod
    def drawn(mask: str) -> str:
        """Returns the placeholder that is displayed for ``mask``."""
        return mask if mask in _PICTURES else _HIDDEN

    def edit(self, edit: Edit) -> EditResult:
        """Applies ``edit`` without characters that cannot be displayed; carriage returns become line ends."""
        text = _LINE_BREAKS.sub("\n", edit.text)
        edit.text = without_hidden(text)
        if len(edit.text) < len(text):
            left_out = plural(len(text) - len(edit.text), "character")
            self.notify(f"left out {left_out} that cannot be shown", severity="warning")
        return super().edit(edit)

    def replace_text(self, text: str) -> None:
        """Replaces the text in one undoable edit, from the first to the last line that differs."""
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
        """Returns None, since brackets mean little in notes and a search might scan the whole text."""
        return None

    def action_text_start(self) -> None:
        """Moves the cursor to the start of the text."""
        self.move_cursor((0, 0))

    def action_text_end(self) -> None:
        """Moves the cursor to the end of the text."""
        self.move_cursor(self.document.end)

    # finding

    def find(self, words: str, step: int = 1, here: bool = False) -> tuple[int, int]:
        """Selects the next (``step`` 1) or previous (-1) match of ``words``, ignoring case, and highlights all matches.

        If ``here``, the next match may start at the cursor. Returns the match's number, from 1, and the total.
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
        """Returns a line with placeholders for masks, and with matches highlighted."""
        style = self.services.palette.style
        text = self.document.get_line(line_index)
        line = Text(text.translate(self._drawn), end="", no_wrap=True)
        if not self._masks.isdisjoint(text):
            for place, char in enumerate(text):
                if char in self._masks:
                    line.stylize(style("warn"), place, place + 1)
        if self._found is not None:
            for match in self._found.finditer(text):
                line.stylize(style("match on match-ground"), match.start(), match.end())
        return line

    def render_line(self, y: int) -> Strip:
        """Returns a row; the mark of its line is next to the line number."""
        strip = super().render_line(y)
        row = self.scroll_offset.y + y
        if not self.line_marks or row >= self.wrapped_document.height:
            return strip
        line, column = self.wrapped_document.offset_to_location(Offset(0, row))
        role = self.line_marks.get(line) if column == 0 else None
        if role is None:
            return strip
        place = self.gutter_width - _MARK_CELLS
        style = next((piece.style for piece in strip if piece.style), None) or Style()
        mark = Segment(_MARK, style + self.services.palette.style(f"bold {role}"))
        left, right = strip.crop(0, place), strip.crop(place + 1)
        return Strip.join([left, Strip([mark], 1), right])

    def show_marks(self, marks: Mapping[int, str]) -> None:
        """Marks lines; ``marks`` contains a role for each line number, from 0."""
        if dict(marks) != dict(self.line_marks):
            self.line_marks = marks
            self.refresh()

    # the frame

    def entitle(self, path: str, state: str) -> None:
        """Shows the note's path and the ``state`` of its edit in the border."""
        self._path, self._state = path, state
        self.retitle()

    @property
    def tab_name(self) -> str:
        """The name on the editor's tab."""
        return self.TITLE

    def retitle(self) -> None:
        """Puts the path and state, or the row of tabs, into the border."""
        room = max(self.outer_size.width - _CORNERS, 1)
        path = cut_left(visible(self._path), max(8, room - len(self._state) - 1))
        title = self.tabs or Content(cut(f"{path} {self._state}".strip(), room))
        if self.border_title != title.markup:
            self.border_title = title

    def arranged(self, shown: frozenset[str]) -> None:
        """Does nothing. The frame calls this with the ids of the visible panes."""


def _replaced(old: list[str], new: list[str], top: int, below: int) -> tuple[Location, Location, str]:
    """Returns the changed lines of ``old`` and their new text, between ``top`` and ``below`` equal lines."""
    removed, added = old[top : len(old) - below], new[top : len(new) - below]
    text = "\n".join(added)
    if below:
        return (top, 0), (top + len(removed), 0), text + "\n" if added else text
    if not top:
        return (0, 0), (len(old) - 1, len(old[-1])), text
    return (top - 1, len(old[top - 1])), (len(old) - 1, len(old[-1])), "\n" + text if added else text


@lru_cache(maxsize=1)
def can_highlight() -> bool:
    """True if tree-sitter and its Markdown grammar (extra ``syntax``) are installed in compatible versions."""
    try:
        return get_language(_LANGUAGE) is not None
    except (ValueError, TypeError):  # the grammar has another version than the library expects
        return False
