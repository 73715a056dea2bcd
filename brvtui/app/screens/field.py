"""A modal with one field to type in."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from brvtui.app.screens.dialog import Answer
from brvtui.app.styles import sheet
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.text.visible import visible


class FieldScreen(ModalScreen[Answer | None]):
    """Asks for one line of text. Subclasses make an answer of it, or say what is wrong with it."""

    CSS_PATH = sheet("modal")

    def __init__(self, title: str, keys: str, text: str, hint: str) -> None:
        """A field with ``text`` under ``title``; ``keys`` stand in the border, ``hint`` below the field."""
        super().__init__()
        self._texts = (title, keys, hint)
        self.field = OrderedInput(text, id="field", select_on_focus=False, compact=True)
        self.field.cursor_blink = False  # blinking would write to the terminal without end

    def compose(self) -> ComposeResult:
        """Field, hint, and a line for what is wrong."""
        title, keys, hint = self._texts
        with Vertical(id="field-box") as box:
            box.border_title = Content(title)
            box.border_subtitle = keys
            yield self.field
            yield Static(hint, id="field-hint", markup=False)
            yield Static("", id="field-problem", markup=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self.submit(event.value)

    def submit(self, text: str) -> None:
        """Dismisses the screen with what ``text`` means, or shows what is wrong with it. Each dialog defines this."""
        raise NotImplementedError

    def show_problem(self, problem: str) -> None:
        """Shows ``problem`` below the hint."""
        self.query_one("#field-problem", Static).update(visible(problem))
