"""The base class of dialogs: a framed question over the screen, and the keys that answer it."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.actions import parse
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from brvtui.app.actions.dialogs import DIALOG, FIELD
from brvtui.app.keys.bindings import bindings, own_bindings
from brvtui.app.screens.message import MessageScreen, entries_of
from brvtui.app.services import AppServices, services_of
from brvtui.app.styles import sheet
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.lines import Paragraphs, selected_in_one
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.pane import own_keys
from brvtui.paint.glyphs import in_letters
from brvtui.text.visible import visible

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer | None]):
    """Asks a question and returns the answer, or None on Esc."""

    CSS_PATH = sheet("dialog")
    BINDINGS = bindings(DIALOG)
    validate_selections = selected_in_one

    def __init__(self, title: str, *paragraphs: str, wide: bool = False) -> None:
        """Creates a dialog with ``title`` and ``paragraphs``; if ``wide``, it covers nearly the whole screen."""
        super().__init__(classes="-full" if wide else "")
        self.title = title
        self._paragraphs = paragraphs

    @property
    def services(self) -> AppServices:
        """The services of the app."""
        return services_of(self)

    def make_parts(self) -> ComposeResult:
        """Yields the widgets above the keys: the question. Subclasses add more."""
        if self._paragraphs:
            yield Paragraphs(*((paragraph, "text") for paragraph in self._paragraphs), id="question")

    def compose(self) -> ComposeResult:
        """Yields the parts in a frame, with the keys below them."""
        with Vertical(id="dialog") as box:
            title = visible(self.title or "")
            box.border_title = Content(title if self.services.glyphs.unicode else in_letters(title))
            yield from self.make_parts()
            yield KeyBar(id="answers", idle=lambda: self.services.store.view.idle)

    def action_help(self) -> None:
        """Shows the help of the focused widget, if it has one, and the keys that are active now."""
        focused = self.focused
        kinds = [type(self)] if focused is None else [type(focused), type(self)]
        text = self.services.with_keys(getattr(focused, "HELP_TEXT", ""))
        title = (getattr(focused, "TITLE", "") if text else "") or self.title or ""
        acting = {one.binding.action for one in self.active_bindings.values() if one.enabled}
        keys = [key for kind in kinds for key in own_keys(kind) if key.action in acting]
        self.app.push_screen(MessageScreen(f"{title} · help", text, entries_of(keys, self.services.keymap)))

    async def key_enter(self) -> None:
        """Gives the first answer that is possible now, unless ``Enter`` has a meaning of its own."""
        own = self.active_bindings.get("enter")
        if own is not None and own.enabled:
            return
        for answer in own_bindings(type(self)):
            _, name, parameters = parse(answer.action)
            if answer.show and self.check_action(name, parameters):
                await self.app.run_action(answer.action, self)
                return

    def on_key(self, event: events.Key) -> None:
        """Moves to the next control on Down, or back on Up, and selects its text, so that typing replaces it."""
        move = {"down": self.focus_next, "up": self.focus_previous}.get(event.key)
        own = self.active_bindings.get(event.key)
        if move is None or (own is not None and not own.binding.action.startswith("scroll_")):
            return
        if isinstance(field := move(), Input):
            field.select_all()

    def show_keys(self) -> None:
        """Updates the key bar, if the dialog has been composed and not yet removed."""
        for bar in self.query(KeyBar):
            bar.show_keys()

    def on_screen_resume(self) -> None:
        """Updates the key bar, since the active keys are known only while the dialog is in front."""
        self.show_keys()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Updates the key bar, since letters are not keys while a field has the focus."""
        self.show_keys()


# A dialog with one text field.


class FieldDialog(Dialog[Answer]):
    """Asks for one line of text. Subclasses convert the text to an answer, or show a problem."""

    BINDINGS = bindings(FIELD)
    AUTO_FOCUS = "#field"

    def __init__(self, title: str, text: str, hint: str) -> None:
        """Creates a dialog with a field that contains ``text``; the lines of ``hint`` are shown below it."""
        super().__init__(title)
        self._hint = hint
        self.field = OrderedInput(text, id="field", select_on_focus=False, compact=True)
        self.field.cursor_blink = False  # blinking would write to the terminal all the time

    def make_parts(self) -> ComposeResult:
        """Yields the field, the hint, and a line for problems."""
        yield self.field
        yield Paragraphs(*((one, "muted") for one in self._hint.splitlines()), id="field-hint")
        yield Paragraphs(id="field-problem")

    async def action_keep(self) -> None:
        """Submits the text after handling all typed keys."""
        await caught_up(self.field)
        self.submit(self.field.value)

    def submit(self, text: str) -> None:
        """Closes the dialog and returns the answer for ``text``, or shows a problem. Subclasses define this."""
        raise NotImplementedError

    def show_problem(self, problem: str) -> None:
        """Shows ``problem`` below the hint."""
        self.query_one("#field-problem", Paragraphs).set_text((visible(problem), "warn"))
