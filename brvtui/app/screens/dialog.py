"""The base of all dialogs: a framed question over the screen, and a row of keys that answer it."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from brvtui.app.actions.dialogs import DIALOG, FIELD
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.message import MessageScreen, entries_of
from brvtui.app.services import AppServices, services_of
from brvtui.app.styles import sheet
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.lines import Paragraphs
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.pane import own_keys
from brvtui.paint.glyphs import in_letters
from brvtui.text.visible import visible

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer | None]):
    """Asks a question. It is dismissed with the answer, or with None by Esc."""

    CSS_PATH = sheet("dialog")
    BINDINGS = bindings(DIALOG)

    def __init__(self, title: str, *paragraphs: str, wide: bool = False) -> None:
        """A dialog under ``title`` that begins with ``paragraphs``; a ``wide`` one takes nearly all cells."""
        super().__init__(classes="-full" if wide else "")
        self.title = title
        self._paragraphs = paragraphs

    @property
    def services(self) -> AppServices:
        """The services of the app."""
        return services_of(self)

    def make_parts(self) -> ComposeResult:
        """Yields the widgets above the keys: the question; subclasses add theirs."""
        if self._paragraphs:
            yield Paragraphs(*((paragraph, "text") for paragraph in self._paragraphs), id="question")

    def compose(self) -> ComposeResult:
        """The parts in a frame, the keys below them."""
        with Vertical(id="dialog") as box:
            title = visible(self.title or "")
            box.border_title = Content(title if self.services.glyphs.unicode else in_letters(title))
            yield from self.make_parts()
            yield KeyBar(id="answers", idle=lambda: self.services.store.view.idle)

    def action_help(self) -> None:
        """Shows the help of what has the focus, if it has one, and the keys that act here at this moment."""
        focused = self.focused
        kinds = [type(self)] if focused is None else [type(focused), type(self)]
        text = self.services.with_keys(getattr(focused, "HELP_TEXT", ""))
        title = (getattr(focused, "TITLE", "") if text else "") or self.title or ""
        acting = {one.binding.action for one in self.active_bindings.values() if one.enabled}
        keys = [key for kind in kinds for key in own_keys(kind) if key.action in acting]
        self.app.push_screen(MessageScreen(f"{title} · help", text, entries_of(keys, self.services.keymap)))

    def show_keys(self) -> None:
        """Has the key bar, where it is composed and not yet removed, show the keys that act now."""
        for bar in self.query(KeyBar):
            bar.show_keys()

    def on_screen_resume(self) -> None:
        """The keys are known once the dialog is in front."""
        self.show_keys()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Letters are no keys while a field has the focus."""
        self.show_keys()


# A dialog with one field to type in.


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
