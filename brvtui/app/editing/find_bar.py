"""The find bar: a row with a field for words to find in the text, and the number of matches."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from brvtui.app.actions.panes import FIND
from brvtui.app.keys.bindings import bindings
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.paragraphs import Paragraphs


class FindField(OrderedInput):
    """The field for the words."""

    TITLE = "Find"
    HELP_TEXT = "Words to find in the text, in any case. Enter and down go to the next place, up to the one before."
    BINDINGS = bindings(FIND)

    def action_step(self, step: int) -> None:
        """Goes to the next match, or the one before."""
        self.post_message(FindBar.FindRequested(self.value, step))


class FindBar(Horizontal):
    """Field and count; hidden until Ctrl+F."""

    @dataclass
    class FindRequested(Message):
        """Asks for a match of ``words``: the next (``step`` 1), the one before (-1), or the nearest (0)."""

        words: str
        step: int

    def compose(self) -> ComposeResult:
        """Label, field, count."""
        yield Paragraphs(("find", "bold accent"), id="find-label")
        field = FindField(id="find", compact=True)
        field.cursor_blink = False
        yield field
        yield Paragraphs(id="find-count")

    @property
    def field(self) -> FindField:
        """The field."""
        return self.query_one(FindField)

    def show_count(self, number: int, count: int) -> None:
        """Shows which match of how many is selected."""
        said = f"{number} of {count}" if count else "nowhere" if self.field.value else ""
        self.query_one("#find-count", Paragraphs).set_text((said, "muted" if count else "warn"))

    @on(Input.Changed, "#find")
    def _typed(self) -> None:
        self.post_message(self.FindRequested(self.field.value, 0))
