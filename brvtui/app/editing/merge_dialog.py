"""The dialogs for merging two notes: both side by side, the effect, and the text of the merged note."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import MERGE, MERGED_TEXT
from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.plan_dialog import FindEffect, PlanDialog
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.text_entry import caught_up
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.ordered_keys import Options
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line, rule
from brvtui.tree.editing.merging import Side, difference
from brvtui.tree.editing.note_text import note_text

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan

_ARCHIVE, _REMOVE = "archive it", "remove it"

MakeMerge = Callable[[str, str, bool, "str | None"], "Plan"]
"""Plans a merge of the first note into the second; removes the first if the third argument is true. The last argument
is the text of the merged note, or None.
"""


class SidesPane(Pane):
    """Two texts side by side; the lines that only one of them has are marked."""

    TITLE = "Both notes"
    HELP_TEXT = (
        "This pane shows where the notes differ, side by side. Marked lines are only in the note on that side. Below "
        "are the effect of the merge, and every line that it changes. {merge.text} opens the text of the merged note, "
        "which you can edit."
    )

    def __init__(self, left: tuple[str, str], right: tuple[str, str], *, id: str) -> None:
        """Creates a pane for two notes, each with its path and its text."""
        super().__init__(id=id)
        self.pinned = 1
        self._paths = left[0], right[0]
        self._hunks = difference(left[1], right[1])

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line per pair of lines, below the paths."""
        half = max((width - 3) // 2, 1)
        left, right = self._paths
        rows = [line(" ").fit(left, half, "bold strong").gap(2).add(right, "bold strong").cut(width)]
        if not self._hunks:
            rows += wrapped("both texts are equal", width)
        for hunk in self._hunks:
            rows += [rule(width, dash=self.glyphs.dash)] if len(rows) > 1 else []
            for is_both, group in groupby(hunk.lines, lambda row: row.side is Side.BOTH):
                lines = list(group)
                sides = [
                    [row.text for row in lines if is_both or row.side is side] for side in (Side.MINE, Side.THEIRS)
                ]
                for texts in zip_longest(*sides):
                    row = Line()
                    for text in texts:
                        mark = " " if is_both or text is None else "+"
                        row.add(mark, "accent").fit(text or "", half, "muted" if is_both else "text").gap()
                    rows.append(row.cut(width))
        return rows


class MergedTextDialog(Dialog[str]):
    """An editor for the text of the merged note; returns the text, or None."""

    BINDINGS = bindings(MERGED_TEXT)
    AUTO_FOCUS = "#merged"

    def __init__(self, text: str) -> None:
        super().__init__("Text of the merged note", wide=True)
        self._text = note_text(text.encode("utf-8", "surrogateescape"))

    def make_parts(self) -> ComposeResult:
        """Yields the editor."""
        yield NoteEditor(id="merged")

    def on_mount(self) -> None:
        """Opens the text."""
        self.query_one(NoteEditor).open(self._text.text, self._text.marks)

    async def action_keep(self) -> None:
        """Closes the dialog and returns the text."""
        editor = self.query_one(NoteEditor)
        await caught_up(editor)
        self.dismiss(self._text.encode(editor.text).decode("utf-8", "surrogateescape"))


class MergeDialog(PlanDialog):
    """Shows two notes side by side, and the plan that merges them."""

    BINDINGS = bindings(MERGE)

    def __init__(self, old: tuple[str, str], new: tuple[str, str], make: MakeMerge, effect: FindEffect) -> None:
        """Creates a dialog that proposes to merge ``old`` into ``new``, each with its path and its text."""
        message = (
            "One note keeps the text of both, and links and judged queries follow. Check its text before you do it."
        )
        super().__init__("Merge two notes", message, effect=effect)
        self._old, self._new = old, new
        self._make_merge = make
        self._edited: dict[str, str] = {}
        """The edited text of the merged note, by the path that is kept."""

    def make_fields(self) -> ComposeResult:
        """Yields the note to keep, the end of the other, and both texts."""
        yield Options("keep", [self._new[0], self._old[0]], id="keep")
        yield Options("the other", [_ARCHIVE, _REMOVE], id="other")
        yield SidesPane(self._old, self._new, id="sides")

    @property
    def entered(self) -> tuple[str, bool, str | None]:
        """The path to keep, whether to remove the other note, and the edited text, if there is one."""
        keep, other = (self.query_one(f"#{name}", Options).chosen for name in ("keep", "other"))
        return keep, other == _REMOVE, self._edited.get(keep)

    def maker(self) -> Callable[[], Plan]:
        """Returns a function that plans the merge."""
        keep, removes, text = self.entered
        other = self._old[0] if keep == self._new[0] else self._new[0]
        return partial(self._make_merge, other, keep, removes, text)

    def action_edit_text(self) -> None:
        """Opens the text of the merged note."""
        from brvtui.notes.plan import Write

        keep, plan = self.entered[0], self.pane.plan
        steps = plan.steps if plan is not None else ()
        after = next((step.after for step in steps if isinstance(step, Write) and step.path == keep), None)
        if after is None:
            return

        def edited(text: str | None) -> None:
            if text is not None:
                self._edited[keep] = text
                self._plan()

        self.app.push_screen(MergedTextDialog(after.data.decode("utf-8")), edited)
