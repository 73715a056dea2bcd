"""An overlay that puts a letter on each pane and field; pressing it moves the focus there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from brvtui.app.actions.dialogs import JUMP
from brvtui.app.keys.bindings import bindings
from brvtui.app.styles import sheet

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class JumpTarget:
    """A pane or field that can be focused: its id, and the cells for its letter."""

    id: str
    x: int
    y: int
    width: int


class JumpScreen(ModalScreen[str | None]):
    """Shows a letter on each target. Dismissed with the id of the chosen one, or with None."""

    CSS_PATH = sheet("modal")
    BINDINGS = bindings(JUMP)

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        """Gives ``targets`` letters in their order."""
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        """A letter for each target."""
        for letter, target in self._targets.items():
            label = Static(letter.center(target.width), classes="letter", id=f"to-{target.id}", markup=False)
            label.styles.offset = (target.x, target.y)
            label.styles.width = target.width
            yield label

    def on_key(self, event: events.Key) -> None:
        """Chooses the target of the letter."""
        target = self._targets.get(event.key)
        if target is not None:
            event.stop()
            self.dismiss(target.id)

    def on_click(self, event: events.Click) -> None:
        """Chooses the target whose letter was clicked; a click elsewhere leaves."""
        clicked = (event.widget.id or "") if event.widget is not None else ""
        self.dismiss(clicked.removeprefix("to-") if clicked.startswith("to-") else None)
