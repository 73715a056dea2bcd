"""Overlays: messages, such as a pane's help, and letters for jumping to panes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

from brvtui.app.actions.dialogs import JUMP, MESSAGE
from brvtui.app.keys.bindings import bindings, key_name, keys_of
from brvtui.app.styles import sheet
from brvtui.app.view import View
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.lines import selected_in_one
from brvtui.app.widgets.pane import Pane
from brvtui.installation import packaged_file
from brvtui.paint.glyphs import NOTE_LETTERS
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap
from brvtui.regular_files import read_regular

# An overlay with a letter on each pane and field; pressing the letter moves the focus there.


_LARGEST = 1_048_576
LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class JumpTarget:
    """A pane or field that can have the focus: its id, and the cells for its letter."""

    id: str
    x: int
    y: int
    width: int


class JumpScreen(ModalScreen[str | None]):
    """Shows a letter on each target; returns the id of the selected one, or None."""

    CSS_PATH = sheet("modal")
    BINDINGS = bindings(JUMP)

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        """Assigns letters to ``targets`` in order."""
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        """Yields a letter for each target."""
        for letter, target in self._targets.items():
            label = Static(letter.center(target.width), classes="letter", id=f"to-{target.id}", markup=False)
            label.styles.offset = (target.x, target.y)
            label.styles.width = target.width
            yield label

    def on_key(self, event: events.Key) -> None:
        """Selects the target of the pressed letter."""
        target = self._targets.get(event.key)
        if target is not None:
            event.stop()
            self.dismiss(target.id)

    def on_click(self, event: events.Click) -> None:
        """Selects the target of the clicked letter; a click elsewhere closes the overlay."""
        clicked = (event.widget.id or "") if event.widget is not None else ""
        self.dismiss(clicked.removeprefix("to-") if clicked.startswith("to-") else None)


Entry = tuple[str, str]
"""Keys and their description. Without keys, the description is a heading; if both are empty, a blank line."""


class TextPane(Pane):
    """Shows a paragraph and a table of keys."""

    def __init__(self, title: str, text: str, entries: list[Entry]) -> None:
        super().__init__(id="modal-text")
        self._title = title
        self._text = text
        self._entries = entries

    def heading(self, view: View) -> str:
        """Returns the title."""
        return self._title

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Returns the height of the content in lines."""
        return len(self.build(self.view, max(width - 1, 1)))

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the wrapped paragraph, then the entries in two columns."""
        signs = {} if self.glyphs.unicode else NOTE_LETTERS
        paragraphs = self._text.translate(signs).split("\n") if self._text else []
        lines = [line(f" {part}", "text") for paragraph in paragraphs for part in wrap(paragraph, width - 2)]
        if lines and self._entries:
            lines.append(Line())
        room = max([len(keys) for keys, _ in self._entries if keys] or [0]) + 3
        for keys, what in self._entries:
            if not keys:
                lines.append(line(f" {what}", "bold strong"))
                continue
            for place, part in enumerate(wrap(what.translate(signs), max(10, width - room - 1))):
                lines.append(Line().gap(2).fit(keys if place == 0 else "", room - 2, "bold accent").add(part, "text"))
        return lines


class MessageScreen(ModalScreen[None]):
    """Shows a message until Esc, q, F1 or ? closes it."""

    CSS_PATH = sheet("modal")
    BINDINGS = bindings(MESSAGE)
    validate_selections = selected_in_one

    def __init__(self, title: str, text: str, entries: list[Entry]) -> None:
        """Creates an overlay with a title, a paragraph and a table of keys."""
        super().__init__()
        self._pane = TextPane(title, text, entries)

    def compose(self) -> ComposeResult:
        """Yields the pane, and a key bar that covers the one below the overlay."""
        yield self._pane
        yield KeyBar(id="keys", idle=frozenset)

    def on_screen_resume(self) -> None:
        """Updates the key bar, since the active keys are known only while the overlay is in front."""
        self.query_one(KeyBar).show_keys()


def glossary() -> list[Entry]:
    """Returns the terms of the glossary with their meanings. Its file is in the package, or in a checkout's docs."""
    place = packaged_file("glossary.md", "docs", "reference", "glossary.md")
    text = read_regular(place, _LARGEST, follow_links=True).decode("utf-8")
    table = text.partition("| --- | --- |\n")[2].partition("\n\n")[0]
    rows = (row.replace("`", "").replace("*", "").strip("| ").split(" | ", 1) for row in table.splitlines())
    return [(term, meaning) for term, meaning in rows]


def entries_of(bindings: list[Binding], keymap: Mapping[str, str]) -> list[Entry]:
    """Returns keys (the user's own or the default) and descriptions of ``bindings``."""
    entries: list[Entry] = []
    for binding in bindings:
        keys = " ".join(key_name(key) for key in keys_of(binding.id, binding.key, keymap))
        entries.append((keys, binding.tooltip or binding.description))
    return entries
