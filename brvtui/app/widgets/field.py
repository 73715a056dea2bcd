"""A labelled one-line input."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from brvtui.app.widgets.lines import Paragraphs
from brvtui.app.widgets.ordered_keys import OrderedInput


class Field(Horizontal):
    """Label and input in one row."""

    def __init__(self, label: str, value: str = "", *, id: str) -> None:
        """Labels the input ``label`` and fills it with ``value``."""
        super().__init__(id=id)
        self._label = label
        self._begin = value

    def compose(self) -> ComposeResult:
        """Yields the label and the input."""
        yield Paragraphs((self._label, "muted"), id=f"{self.id}-label")
        field = OrderedInput(self._begin, id=f"{self.id}-input", compact=True, select_on_focus=False)
        field.cursor_blink = False
        yield field

    @property
    def value(self) -> str:
        """Returns the typed text."""
        return self.query_one(Input).value
