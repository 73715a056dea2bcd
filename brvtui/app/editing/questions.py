"""The questions of the editor: what becomes of unsaved text, of a draft, and of a note that changed on disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.timer import Timer

from brvtui.app.actions import dialogs
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.tree.editing.merging import DiffLine, Hunk

PAUSE_S = 0.5
"""The pause in typing after which letters are answers to a question that came unexpectedly."""
SAVE, DISCARD, KEEP = "save", "discard", "keep"
MINE, THEIRS, MERGED = "mine", "theirs", "merged"
TAKE, DROP = "take", "drop"
AGAIN = "again"
_SIGNS = {"mine": ("-", "bad"), "theirs": ("+", "ok"), "both": (" ", "muted")}


class LeavingDialog(Dialog[str]):
    """Asks about unsaved text. Dismissed with SAVE, DISCARD, KEEP, or None: stay in the editor."""

    BINDINGS = bindings(dialogs.LEAVING)

    def __init__(self, path: str, can_stay_open: bool) -> None:
        """Asks about the note at ``path``; KEEP is offered if it ``can_stay_open``."""
        super().__init__("Unsaved text", f"{path} has text that is not saved. What shall become of it?")
        self._can_stay_open = can_stay_open

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No text is kept open when the app ends."""
        return self._can_stay_open or parameters != (KEEP,)


class UnexpectedQuestion(Dialog[str]):
    """A question that may come in the middle of a word: letters are answers only after a pause in typing."""

    AUTO_FOCUS = "#differences"

    def __init__(self, title: str, *said: str, hunks: Sequence[Hunk] | None = None) -> None:
        """Says ``said``, a paragraph each, and shows ``hunks``, if given, below."""
        super().__init__(title, *said, wide=hunks is not None)
        self._hunks = hunks
        self._listens = False
        self._pause_timer: Timer | None = None

    def make_parts(self) -> ComposeResult:
        """The question, and the differences."""
        yield from super().make_parts()
        if self._hunks is not None:
            yield DiffPane(self._hunks, id="differences")

    def on_mount(self) -> None:
        """Waits for a pause."""
        self.wait()

    def on_key(self, event: events.Key) -> None:
        """Waits again: whoever types on has not read the question."""
        if not self._listens:
            self.wait()

    def wait(self) -> None:
        """Takes letters for answers only after a pause from now on."""
        if self._pause_timer is not None:
            self._pause_timer.stop()
        self._pause_timer = self.set_timer(PAUSE_S, self.listen)

    def listen(self) -> None:
        """Takes keys for answers from now on."""
        self._listens = True
        self.query_one(KeyBar).show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc always leads back to the text."""
        return self._listens or action != "dismiss" or parameters == (None,)


class ConflictDialog(UnexpectedQuestion):
    """Asks about a note that changed on disk. Dismissed with MINE, THEIRS, MERGED, or None: back to the text."""

    BINDINGS = bindings(dialogs.CONFLICT)

    def __init__(self, said: Sequence[str], hunks: Sequence[Hunk], is_text: bool) -> None:
        """Shows ``hunks``; THEIRS and MERGED are offered only if the note on disk ``is_text``."""
        super().__init__("Changed on disk", *said, hunks=hunks)
        self._is_text = is_text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is not text cannot be edited."""
        if not self._is_text and parameters in ((THEIRS,), (MERGED,)):
            return False
        return super().check_action(action, parameters)


class DraftDialog(UnexpectedQuestion):
    """Asks about a draft. Dismissed with TAKE, DROP, or None: the note is not opened, its draft stays."""

    BINDINGS = bindings(dialogs.DRAFT)

    def __init__(self, said: Sequence[str], hunks: Sequence[Hunk]) -> None:
        """Shows how the draft differs from the note."""
        super().__init__("A draft was found", *said, hunks=hunks)


class GoneDialog(UnexpectedQuestion):
    """Asks about a note that was removed on disk. Dismissed with AGAIN, DROP, or None: back to the text."""

    BINDINGS = bindings(dialogs.GONE)

    def __init__(self, path: str) -> None:
        """Asks about the note at ``path``."""
        super().__init__("Removed on disk", f"{path} was removed while you were editing it.")


class DiffPane(Pane):
    """The places at which two texts differ."""

    TITLE = "Differences"
    HELP_TEXT = (
        "Lines with - are in the first text only, lines with + in the second only; the numbers are those of each."
    )

    def __init__(self, hunks: Sequence[Hunk], *, id: str) -> None:
        """A pane over ``hunks``."""
        super().__init__(id=id)
        self._hunks = hunks

    def build(self, view: View, width: int) -> list[Line]:
        """The numbers in both texts, a sign, the line; a rule between places."""
        numbers = [number for hunk in self._hunks for row in hunk.lines for number in (row.mine, row.theirs) if number]
        digits = len(str(max(numbers, default=0)))
        made: list[Line] = []
        for hunk in self._hunks:
            made += [rule(width, dash=self.glyphs.dash)] if made else []
            for row in hunk.lines:
                made += _row(row, digits, width)
        return made or [line(" nothing differs", "muted")]


def _row(row: DiffLine, digits: int, width: int) -> list[Line]:
    sign, role = _SIGNS[row.side]
    made: list[Line] = []
    for place, part in enumerate(wrap(row.text, width - 2 * digits - 6)):
        mine, theirs, mark = (row.mine or "", row.theirs or "", sign) if place == 0 else ("", "", " ")
        head = line(f" {mine:>{digits}} {theirs:>{digits}} ", "faint")
        made.append(head.add(f"{mark} ", role).add(part, "text" if role == "muted" else role))
    return made
