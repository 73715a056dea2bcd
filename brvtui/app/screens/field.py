"""A dialog with one field to type in."""

from __future__ import annotations

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import FIELD
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Answer, Dialog
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.paragraphs import Paragraphs
from brvtui.text.visible import visible


class FieldDialog(Dialog[Answer]):
    """Asks for one line of text. Subclasses make an answer of it, or say what is wrong with it."""

    BINDINGS = bindings(FIELD)
    AUTO_FOCUS = "#field"

    def __init__(self, title: str, text: str, hint: str) -> None:
        """A field with ``text`` under ``title``; the lines of ``hint`` stand below it."""
        super().__init__(title)
        self._hint = hint
        self.field = OrderedInput(text, id="field", select_on_focus=False, compact=True)
        self.field.cursor_blink = False  # blinking would write to the terminal without end

    def make_parts(self) -> ComposeResult:
        """Field, hint, and a line for what is wrong."""
        yield self.field
        yield Paragraphs(*((one, "muted") for one in self._hint.splitlines()), id="field-hint")
        yield Paragraphs(id="field-problem")

    async def action_keep(self) -> None:
        """Makes an answer of the text that the field has by now."""
        await caught_up(self.field)
        self.submit(self.field.value)

    def submit(self, text: str) -> None:
        """Dismisses the dialog with what ``text`` means, or shows what is wrong with it. Each dialog defines this."""
        raise NotImplementedError

    def show_problem(self, problem: str) -> None:
        """Shows ``problem`` below the hint."""
        self.query_one("#field-problem", Paragraphs).set_text((visible(problem), "warn"))
