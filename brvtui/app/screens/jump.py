"""An overlay of letters: one key focuses the pane or field that bears it."""

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
    """Something that can be focused: its id, and the cells in which its letter stands."""

    id: str
    x: int
    y: int
    width: int


class JumpScreen(ModalScreen[str | None]):
    """Shows a letter on each target. It is dismissed with the id of the chosen one, or with None."""

    CSS_PATH = sheet("modal")
    BINDINGS = bindings(JUMP)

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        """An overlay over ``targets``, lettered in their order."""
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        """A label for each target."""
        for letter, target in self._targets.items():
            label = Static(letter.center(target.width), classes="letter", id=f"to-{target.id}", markup=False)
            label.styles.offset = (target.x, target.y)
            label.styles.width = target.width
            yield label

    def on_key(self, event: events.Key) -> None:
        """A letter chooses its target."""
        target = self._targets.get(event.key)
        if target is not None:
            event.stop()
            self.dismiss(target.id)

    def on_click(self, event: events.Click) -> None:
        """A click on a letter chooses, elsewhere it leaves."""
        clicked = (event.widget.id or "") if event.widget is not None else ""
        self.dismiss(clicked.removeprefix("to-") if clicked.startswith("to-") else None)
