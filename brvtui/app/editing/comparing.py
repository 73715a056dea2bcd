"""Dialogs that show two texts of one note and ask which it shall be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer

from brvtui.app.actions.dialogs import CONFLICT, DRAFT, GONE
from brvtui.app.editing.diff import DiffPane
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.saying import Saying

if TYPE_CHECKING:
    from brvtui.tree.editing.merging import Hunk

PAUSE_S = 0.5
"""Without a key, before letters are answers."""
MINE, THEIRS, MERGED = "mine", "theirs", "merged"
TAKE, DROP = "take", "drop"
AGAIN = "again"


class Unexpected(Dialog[str]):
    """A question that comes by itself, perhaps in the middle of a word: letters are no answers before a pause."""

    def __init__(self, title: str, wide: bool = False) -> None:
        """A dialog under ``title``, deaf at first."""
        super().__init__(title, wide)
        self._listens = False
        self._pausing: Timer | None = None

    def on_mount(self) -> None:
        """Waits for a pause."""
        self.wait()

    def on_key(self, event: events.Key) -> None:
        """Whoever types on has not read the question."""
        if not self._listens:
            self.wait()

    def wait(self) -> None:
        """Until a pause from now on, letters are no answers."""
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self.set_timer(PAUSE_S, self.listen)

    def listen(self) -> None:
        """From now on keys are answers."""
        self._listens = True
        self.query_one(KeyBar).show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc always leads back to the text."""
        return self._listens or action != "dismiss" or parameters == (None,)


class Comparing(Unexpected):
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

    BINDINGS: ClassVar[list[BindingType]] = bindings(CONFLICT)

    def __init__(self, title: str, said: Sequence[str], hunks: Sequence[Hunk], is_text: bool) -> None:
        """A dialog as :class:`Comparing`; what is on disk can be taken or merged only when it ``is_text``."""
        super().__init__(title, said, hunks)
        self._is_text = is_text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is no text is not edited."""
        if not self._is_text and parameters in ((THEIRS,), (MERGED,)):
            return False
        return super().check_action(action, parameters)


class DraftDialog(Comparing):
    """A draft was found: ends with TAKE, DROP or None: the note is not opened, the draft stays."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(DRAFT)


class GoneDialog(Unexpected):
    """The note was removed meanwhile: ends with AGAIN, DROP or None: back to the text."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(GONE)

    def __init__(self, path: str) -> None:
        """Asks about the note at ``path``."""
        super().__init__("Removed on disk")
        self._path = path

    def make_parts(self) -> ComposeResult:
        """The question."""
        yield Saying((f"{self._path} was removed while you were editing it.", "text"), id="question")
