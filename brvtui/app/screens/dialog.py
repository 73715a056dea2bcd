"""What all dialogs share: a framed question over the screen, its keys in a row at the bottom."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from brvtui.app.actions.dialogs import DIALOG
from brvtui.app.keys.bindings import bindings
from brvtui.app.services import AppServices, services_of
from brvtui.app.styles import sheet
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.text.visible import visible

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer | None]):
    """Asks something; ends with an answer, or with None when it is left by Esc."""

    CSS_PATH = sheet("dialog")
    BINDINGS: ClassVar[list[BindingType]] = bindings(DIALOG)

    def __init__(self, title: str, wide: bool = False) -> None:
        """A dialog under ``title``; a ``wide`` one takes nearly the whole screen."""
        super().__init__(classes="-full" if wide else "")
        self.title = title

    @property
    def services(self) -> AppServices:
        """The app, as far as it is known here."""
        return services_of(self)

    def make_parts(self) -> ComposeResult:
        """What stands above the keys."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The parts in a frame, and the keys below them."""
        with Vertical(id="dialog") as box:
            box.border_title = Content(visible(self.title or ""))
            yield from self.make_parts()
            yield KeyBar(id="answers")

    def on_screen_resume(self) -> None:
        """The keys are known once the dialog is in front."""
        self.query_one(KeyBar).show_keys()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Letters are no keys while a field has the focus."""
        self.query_one(KeyBar).show_keys()
