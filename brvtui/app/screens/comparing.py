"""Dialogs that show two texts of one note and ask which it shall be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.screens.dialog import Dialog, answer
from brvtui.app.widgets.diff import DiffPane
from brvtui.app.widgets.saying import Saying

if TYPE_CHECKING:
    from brvtui.tree.merging import Hunk

MINE, THEIRS, MERGED = "mine", "theirs", "merged"
TAKE, DROP = "take", "drop"
AGAIN = "again"


class Comparing(Dialog[str]):
    """Says what there is, shows the differences and asks."""

    AUTO_FOCUS = "#differences"

    def __init__(self, title: str, said: Sequence[str], hunks: Sequence[Hunk]) -> None:
        """A dialog that says ``said``, a paragraph each, above what differs."""
        super().__init__(title, wide=True)
        self._said = said
        self._hunks = hunks

    def make_parts(self) -> ComposeResult:
        """What is said, and the differences."""
        yield Saying(*((part, "text") for part in self._said), id="question")
        yield DiffPane(self._hunks, id="differences")


class ConflictDialog(Comparing):
    """The note was changed on disk meanwhile: ends with one of MINE, THEIRS, MERGED, or None: back to the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        answer("m", MINE, "keep mine", "conflict.mine", "Save my text over the one on disk"),
        answer("t", THEIRS, "take theirs", "conflict.theirs", "Take the text on disk; ^Z in the text brings mine back"),
        answer("e", MERGED, "edit merged", "conflict.merged", "Edit both merged; nothing is saved yet"),
    ]


class DraftDialog(Comparing):
    """A draft was found: ends with TAKE, DROP or None: the note is not opened, the draft stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        answer("t", TAKE, "take the draft", "draft.take", "Edit the draft; nothing is saved yet"),
        answer("d", DROP, "drop it", "draft.drop", "Throw the draft away and edit the note as it is"),
    ]


class GoneDialog(Dialog[str]):
    """The note was removed meanwhile: ends with AGAIN, DROP or None: back to the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        answer("w", AGAIN, "write it again", "gone.again", "Write the note again, with my text"),
        answer("d", DROP, "drop my text", "gone.drop", "Close the editor; the note stays removed"),
    ]

    def __init__(self, path: str) -> None:
        """Asks about the note at ``path``."""
        super().__init__("Removed on disk")
        self._path = path

    def make_parts(self) -> ComposeResult:
        """The question."""
        yield Saying((f"{self._path} was removed while you were editing it.", "text"), id="question")
