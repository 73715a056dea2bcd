"""Asks which memory to open of a project that has a context tree and a space of ByteRover V4."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from brvtui.app.actions.dialogs import MEMORY
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog


class MemoryDialog(Dialog[str]):
    """Ends with the memory that was chosen, or with None: then the question comes again at the next start."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(MEMORY)

    def __init__(self, tree: Path, key: str) -> None:
        """Asks about the project with this context ``tree``; ``key`` is the one that switches engines."""
        super().__init__(
            "Two memories",
            f"This project has a context tree ({tree}) and a space of ByteRover V4. Which one should be opened?",
            f"The answer is kept for this project. Later, {key} goes on from the last engine to the other memory.",
        )
