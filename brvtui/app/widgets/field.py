"""A labelled line to type in."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.paragraphs import Paragraphs


class Field(Horizontal):
    """Label and input in one row."""

    def __init__(self, label: str, value: str = "", *, id: str) -> None:
        """A field called ``label`` that begins with ``value``."""
        super().__init__(id=id)
        self._label = label
        self._begin = value

    def compose(self) -> ComposeResult:
        """The label, and where it is typed."""
        yield Paragraphs((self._label, "muted"), id=f"{self.id}-label")
        field = OrderedInput(self._begin, id=f"{self.id}-input", compact=True, select_on_focus=False)
        field.cursor_blink = False
        yield field

    @property
    def value(self) -> str:
        """What is typed."""
        return self.query_one(Input).value
