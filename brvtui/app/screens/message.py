"""A modal that shows lines of text: help of a pane, or all keys."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.binding import Binding
from textual.geometry import Size
from textual.screen import ModalScreen

from brvtui.app.actions.dialogs import MESSAGE
from brvtui.app.keys.bindings import bindings
from brvtui.app.keys.naming import key_name, keys_of
from brvtui.app.styles import sheet
from brvtui.app.view import View
from brvtui.app.widgets.pane import Pane
from brvtui.paint.glyphs import NOTE_LETTERS
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap

Entry = tuple[str, str]
"""Keys and their description; a heading if the keys are empty, a gap if both are."""


class TextPane(Pane):
    """Shows a paragraph and a table of keys."""

    def __init__(self, title: str, text: str, entries: list[Entry]) -> None:
        """A pane under ``title``."""
        super().__init__(id="modal-text")
        self._title = title
        self._text = text
        self._entries = entries

    def heading(self, view: View) -> str:
        """The title."""
        return self._title

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Returns the number of lines."""
        return len(self.build(self.view, max(width - 1, 1)))

    def build(self, view: View, width: int) -> list[Line]:
        """The paragraph wrapped, then the entries in two columns."""
        signs = {} if self.glyphs.unicode else NOTE_LETTERS
        made = [line(f" {part}", "text") for part in wrap(self._text.translate(signs), width - 2) if self._text]
        if made and self._entries:
            made.append(Line())
        room = max([len(keys) for keys, _ in self._entries if keys] or [0]) + 3
        for keys, what in self._entries:
            if not keys:
                made.append(line(f" {what}", "bold strong"))
                continue
            for place, part in enumerate(wrap(what.translate(signs), max(10, width - room - 1))):
                made.append(Line().gap(2).fit(keys if place == 0 else "", room - 2, "bold accent").add(part, "text"))
        return made


class MessageScreen(ModalScreen[None]):
    """Shows a text until Esc, q, F1 or ? closes it."""

    CSS_PATH = sheet("modal")
    BINDINGS = bindings(MESSAGE)

    def __init__(self, title: str, text: str, entries: list[Entry]) -> None:
        """A modal with a title, a paragraph and a table of keys."""
        super().__init__()
        self._pane = TextPane(title, text, entries)

    def compose(self) -> ComposeResult:
        """The pane."""
        yield self._pane


def entries_of(bindings: list[Binding], keymap: Mapping[str, str]) -> list[Entry]:
    """Returns the keys (the user's, else the default ones) and descriptions of ``bindings``."""
    made: list[Entry] = []
    for binding in bindings:
        keys = " ".join(key_name(key) for key in keys_of(binding.id, binding.key, keymap))
        made.append((keys, binding.tooltip or binding.description))
    return made
