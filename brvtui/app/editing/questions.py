"""The dialogs of the editor: unsaved text, drafts, notes that changed on disk, and lists of changes and drafts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.timer import Timer

from brvtui.app.actions import dialogs
from brvtui.app.actions.dialogs import CHANGES
from brvtui.app.actions.panes import DRAFTS
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line, rule

if TYPE_CHECKING:
    from brvtui.tree.editing.merging import Hunk

# The dialogs that list this session's changes and the remaining drafts.


UNDO, REDO = "undo", "redo"


class ChangesDialog(Dialog[str]):
    """Lists changes. Returns UNDO, REDO or None."""

    BINDINGS = bindings(CHANGES)
    AUTO_FOCUS = "#changes"

    def __init__(self, done: Sequence[str], undone: Sequence[str]) -> None:
        """Creates a list of changes by title; the last one in each sequence is the next to be undone or redone."""
        message = (
            "The changes to notes in this session, newest first. Undo works in this order, and you can redo changes "
            "marked as undone."
        )
        super().__init__("Changes in this session", message, wide=True)
        self._listed = {UNDO: done, REDO: undone}
        self._pane = ChangesPane(done, undone, id="changes")

    def make_parts(self) -> ComposeResult:
        """Yields the question and the list."""
        yield from super().make_parts()
        yield self._pane

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enables Undo and Redo only if there is a change to undo or redo."""
        return bool(self._listed.get(str(parameters[0]), True)) if action == "dismiss" else True


class ChangesPane(Pane):
    """The undone changes, which can be redone, then the changes that can be undone, newest first."""

    TITLE = "Changes"
    HELP_TEXT = (
        "This list shows the changes in this session, newest first, so that you can undo and redo them. Undone "
        "changes are marked. Undo reverts one change at a time in this order, and redo starts with the change that "
        "you undid last."
    )

    def __init__(self, done: Sequence[str], undone: Sequence[str], *, id: str) -> None:
        super().__init__(id=id)
        self._done = done
        self._undone = undone

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line per change."""
        if not self._done and not self._undone:
            return wrapped("no note was changed in this session: there is nothing to undo or redo", width)
        lines = [line("  undone  ", "muted").add(title, "muted") for title in self._undone]
        lines += [
            line(f" {self.glyphs.here if place == 0 else ' '}        ", "accent").add(title, "text")
            for place, title in enumerate(reversed(self._done))
        ]
        return [entry.cut(width) for entry in lines]


class DraftsDialog(Dialog[str]):
    """Lists drafts. Returns the path of the note whose draft was selected, or None."""

    AUTO_FOCUS = "#drafts"

    def __init__(self, paths: Sequence[str]) -> None:
        """Creates a list of drafts of the notes at ``paths``, newest first."""
        super().__init__("Drafts", "Drafts: texts that you typed but never saved, newest first.", wide=True)
        self._pane = DraftsPane(paths, id="drafts")

    def make_parts(self) -> ComposeResult:
        """Yields the question and the list."""
        yield from super().make_parts()
        yield self._pane


class DraftsPane(ChoicePane):
    """One row for each note with a draft."""

    TITLE = "Drafts"
    HELP_TEXT = (
        "This list shows drafts: texts that you typed but never saved. Press Enter to see how a draft differs from "
        "its note, and to decide whether to use or discard it."
    )
    TAKES_CLICK = True
    BINDINGS = bindings(DRAFTS)

    def __init__(self, paths: Sequence[str], *, id: str) -> None:
        super().__init__(id=id)
        self._paths = paths

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line per draft."""
        self.choices = list(self._paths)
        self.owner = list(range(len(self.choices)))
        return [line(f" {path}", "text").cut(width) for path in self._paths] or wrapped("there are no drafts", width)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables Enter if there are no drafts."""
        return bool(self._paths) if action == "take" else super().check_action(action, parameters)

    def action_take(self) -> None:
        """Closes the dialog and returns the draft under the cursor."""
        if self.chosen:
            self.screen.dismiss(self.chosen)


PAUSE_S = 0.5
"""The pause in typing, in seconds, after which letters are accepted as answers to an unexpected question."""
SAVE, DISCARD, KEEP = "save", "discard", "keep"
MINE, THEIRS, MERGED = "mine", "theirs", "merged"
TAKE, DROP = "take", "drop"
AGAIN, MOVED = "again", "moved"


class LeavingDialog(Dialog[str]):
    """Asks about unsaved text. Returns SAVE, DISCARD, KEEP, or None to stay in the editor."""

    BINDINGS = bindings(dialogs.LEAVING)

    def __init__(self, path: str, can_stay_open: bool) -> None:
        """Creates a dialog for the note at ``path``; offers KEEP only if it ``can_stay_open``."""
        super().__init__("Unsaved text", f"The text of {path} is not saved. What should happen to it?")
        self._can_stay_open = can_stay_open

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables KEEP if the note cannot stay open."""
        return self._can_stay_open or parameters != (KEEP,)


class UnexpectedQuestion(Dialog[str]):
    """A question that may interrupt typing, so letters are accepted as answers only after a pause."""

    AUTO_FOCUS = "#differences"

    def __init__(self, title: str, *paragraphs: str, hunks: Sequence[Hunk] | None = None, mine: str = "") -> None:
        """Creates a dialog with ``paragraphs`` and, if given, ``hunks``; ``mine`` describes the user's text."""
        super().__init__(title, *paragraphs, wide=hunks is not None)
        self._hunks = hunks
        self._mine = mine
        self._listens = False
        self._pause_timer: Timer | None = None

    def make_parts(self) -> ComposeResult:
        """Yields the question and the differences."""
        yield from super().make_parts()
        if self._hunks is not None:
            yield DiffPane(self._hunks, self._mine, id="differences")

    def on_mount(self) -> None:
        """Starts to wait for a pause in typing."""
        self.wait()

    def on_key(self, event: events.Key) -> None:
        """Restarts the wait, since the user is still typing."""
        if not self._listens:
            self.wait()

    def wait(self) -> None:
        """Restarts the pause after which letters are accepted as answers."""
        if self._pause_timer is not None:
            self._pause_timer.stop()
        self._pause_timer = self.set_timer(PAUSE_S, self.listen)

    def listen(self) -> None:
        """Accepts keys as answers from now on."""
        self._listens = True
        self.show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables all answers except Esc until there is a pause in typing."""
        return self._listens or action != "dismiss" or parameters == (None,)


class ConflictDialog(UnexpectedQuestion):
    """Asks about a note that changed on disk. Returns MINE, THEIRS, MERGED, or None to go back to the text."""

    BINDINGS = bindings(dialogs.CONFLICT)

    def __init__(self, paragraphs: Sequence[str], hunks: Sequence[Hunk] | None) -> None:
        """Creates a dialog; THEIRS and MERGED need ``hunks``, which exist if the note on disk can be edited."""
        super().__init__("Changed on disk", *paragraphs, hunks=hunks, mine="your unsaved text")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables THEIRS and MERGED if the note on disk cannot be edited."""
        if self._hunks is None and parameters in ((THEIRS,), (MERGED,)):
            return False
        return super().check_action(action, parameters)


class DamageDialog(UnexpectedQuestion):
    """Asks about a text that would damage its note. Returns SAVE, or None to go back to the text."""

    BINDINGS = bindings(dialogs.DAMAGE)

    def __init__(self, problem: str) -> None:
        """Creates a dialog that describes the ``problem``."""
        super().__init__("Not saved yet", f"{problem}. Esc goes back to the text.")


class DraftDialog(UnexpectedQuestion):
    """Asks about a draft. Returns TAKE, DROP, or None to leave the note and the draft unchanged."""

    BINDINGS = bindings(dialogs.DRAFT)

    def __init__(self, paragraphs: Sequence[str], hunks: Sequence[Hunk] | None) -> None:
        """Creates a dialog; ``hunks`` are the draft's differences from the note, or None if either text is too long."""
        super().__init__("A draft was found", *paragraphs, hunks=hunks, mine="the unsaved draft")


class GoneDialog(UnexpectedQuestion):
    """Asks about a note that was removed on disk. Returns AGAIN, MOVED, DROP, or None to go back to the text."""

    BINDINGS = bindings(dialogs.GONE)

    def __init__(self, path: str, moved: str) -> None:
        """Creates a dialog about the note at ``path``; MOVED needs ``moved``, the path of a file with the same text."""
        message = f"{path} was {'moved' if moved else 'removed'} while you were editing it"
        message += f": its text is now in {moved}. " if moved else ". "
        super().__init__(
            f"{'Moved' if moved else 'Removed'} on disk",
            f"{message}Keeping your text creates {path if moved else 'it'} again.",
        )
        self._moved = moved

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables MOVED if the note was not found elsewhere."""
        return bool(self._moved or parameters != (MOVED,)) and super().check_action(action, parameters)


class DiffPane(Pane):
    """The differences between two texts."""

    TITLE = "Differences"
    HELP_TEXT = (
        "This pane compares your unsaved text (mine) with the note on disk (theirs). Lines marked + are only in your "
        "text; lines marked - are only on disk. The first line number is for the note on disk, the second for your "
        "text."
    )

    def __init__(self, hunks: Sequence[Hunk], mine: str, *, id: str) -> None:
        """Creates a pane for ``hunks``; ``mine`` describes the user's text."""
        super().__init__(id=id)
        self._hunks = hunks
        self._mine = mine
        self.pinned = 1

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a legend, then each line with its numbers in both texts and its sign; rules separate the hunks."""
        if not self._hunks:
            return [line(" no differences", "muted")]
        from brvtui.paint.differences import hunk_lines, legend

        between = [rule(width, dash=self.glyphs.dash)]
        return [legend(self._mine).cut(width), *hunk_lines(self._hunks, width, between)]
