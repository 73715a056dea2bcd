"""The row in which words to find in the text are typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from brvtui.app.actions.panes import FIND
from brvtui.app.keys.bindings import bindings
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.saying import Saying


class FindField(OrderedInput):
    """The words."""

    TITLE = "Find"
    HELP_TEXT = "Words to find in the text, in any case. Enter and down go to the next place, up to the one before."
    BINDINGS: ClassVar[list[BindingType]] = bindings(FIND)

    def action_step(self, step: int) -> None:
        """The next place, or the one before."""
        self.post_message(FindBar.Wanted(self.value, step))


class FindBar(Horizontal):
    """Field and count; hidden until it is wanted."""

    @dataclass
    class Wanted(Message):
        """A place of ``words`` is wanted: the next (1), the one before (-1), or the nearest (0)."""

        words: str
        step: int

    def compose(self) -> ComposeResult:
        """Label, field, count."""
        yield Saying(("find", "bold accent"), id="find-label")
        field = FindField(id="find", compact=True)
        field.cursor_blink = False
        yield field
        yield Saying(id="find-count")

    @property
    def field(self) -> FindField:
        """The field."""
        return self.query_one(FindField)

    def tell(self, number: int, count: int) -> None:
        """Says which place of how many is shown."""
        said = f"{number} of {count}" if count else "nowhere" if self.field.value else ""
        self.query_one("#find-count", Saying).say((said, "muted" if count else "warn"))

    @on(Input.Changed, "#find")
    def _typed(self) -> None:
        self.post_message(self.Wanted(self.field.value, 0))
