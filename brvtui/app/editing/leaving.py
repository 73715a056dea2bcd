"""What becomes of text that is not saved, when the editor is left."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.dialogs import LEAVING
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.widgets.saying import Saying

SAVE, DISCARD, KEEP = "save", "discard", "keep"


class LeavingDialog(Dialog[str]):
    """Save, discard, or keep it open; ends with one of these, or None: stay."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(LEAVING)

    def __init__(self, path: str, can_stay_open: bool) -> None:
        """Asks about the unsaved text of ``path``; whether it may be kept open, unsaved."""
        super().__init__("Unsaved text")
        self._path = path
        self._can_stay_open = can_stay_open

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is kept open when the app ends."""
        return self._can_stay_open or parameters != (KEEP,)

    def make_parts(self) -> ComposeResult:
        """The question."""
        yield Saying((f"{self._path} has text that is not saved. What shall become of it?", "text"), id="question")
