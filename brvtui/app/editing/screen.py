"""The Edit screen: one note's text, its problems, and the effect of saving it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, TextArea

from brvtui.app import modes
from brvtui.app.actions.panes import FIND
from brvtui.app.actions.screens import EDIT_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.contents import Edit
from brvtui.app.editing import questions
from brvtui.app.editing.drafts import Drafts, OpenDraft
from brvtui.app.editing.external_editor import ExternalEditor
from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.note_on_disk import OnDisk
from brvtui.app.editing.note_saving import SaveConflict
from brvtui.app.editing.open_note import OpenNote
from brvtui.app.editing.problems import ProblemsPane, TextChecks, role_of
from brvtui.app.editing.ranking import RankingPane
from brvtui.app.editing.saving import NoteSaver, SavingLine
from brvtui.app.keys.bindings import bindings
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.project import Project
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import CHANGED
from brvtui.app.styles import sheet
from brvtui.app.text_entry import caught_up
from brvtui.app.view import View
from brvtui.app.widgets.lines import Paragraphs
from brvtui.app.widgets.ordered_keys import OrderedInput

if TYPE_CHECKING:
    from brvtui.tree.editing.note_text import EditableText

# The find bar: a field for the words to find, and the number of matches.


class FindField(OrderedInput):
    """The field of the find bar."""

    TITLE = "Find"
    HELP_TEXT = (
        "Type words to find them in the note; case does not matter. Press Enter or the down arrow for "
        "the next match, the up arrow for the previous one."
    )
    BINDINGS = bindings(FIND)

    def action_step(self, step: int) -> None:
        """Moves to the next match (``step`` 1) or the previous match (-1)."""
        self.post_message(FindBar.FindRequested(self.value, step))


class FindBar(Horizontal):
    """A text field and the number of matches, hidden until the user presses Ctrl+F."""

    @dataclass
    class FindRequested(Message):
        """Posted to select a match of ``words``: the next (``step`` 1), the previous (-1), or the nearest (0)."""

        words: str
        step: int

    def compose(self) -> ComposeResult:
        """Yields the label, the field and the count."""
        yield Paragraphs(("find", "bold accent"), id="find-label")
        field = FindField(id="find", compact=True)
        field.cursor_blink = False
        yield field
        yield Paragraphs(id="find-count")

    @property
    def field(self) -> FindField:
        """The find bar's text field."""
        return self.query_one(FindField)

    def show_count(self, number: int, count: int) -> None:
        """Shows the position of the selected match and the number of matches."""
        text = f"{number} of {count}" if count else "nowhere" if self.field.value else ""
        self.query_one("#find-count", Paragraphs).set_text((text, "muted" if count else "warn"))

    @on(Input.Changed, "#find")
    def _typed(self) -> None:
        self.post_message(self.FindRequested(self.field.value, 0))


_NAMED_MARKS = 3


def _wide_editor(width: int, height: int) -> Split:
    right = max(42, width * 36 // 100)
    problems = max(7, height * 28 // 100)
    findings = Split("ranking", False, ("ranking", "problems"), (height - problems, problems))
    return Split("text", True, ("text", findings), (width - right, right))


EDITOR = Arrangement(
    panes=("text", "ranking", "problems"), beside="", tabs=("text", "ranking", "problems"), wide=_wide_editor
)


class EditorScreen(FrameScreen):
    """Edits one note at a time, from :meth:`begin` to :meth:`close`. Blocking work runs in workers."""

    CSS_PATH = sheet("editor")
    TITLE = "Edit"
    PLAN = EDITOR
    BINDINGS = bindings(EDIT_SCREEN)
    AUTO_FOCUS = "#text"

    def __init__(self, layouts: Layouts, project: Project, external: ExternalEditor, drafts: Drafts) -> None:
        super().__init__(layouts)
        self._external = external
        self._drafts = drafts
        self.origin = ""
        """The screen that is shown after the note is closed."""
        self.area = NoteEditor(id="text")
        """The editor's text area."""
        self._note = OpenNote(self, project, self.area, self._text_changed)
        self._checks = TextChecks(self, self._note)
        self._draft = OpenDraft(self, self._note, drafts)
        self._saver = NoteSaver(
            self, self._note, self._draft, external, self.bring_to_front, self._leave_at_once, self._find
        )

    def make_head(self) -> ComposeResult:
        """Yields the line with the effects of saving, and the find bar."""
        yield SavingLine(id="saving")
        yield FindBar(id="find-bar")

    def make_panes(self) -> ComposeResult:
        """Yields the panes for text, ranking and problems."""
        yield self.area
        yield RankingPane(id="ranking")
        yield ProblemsPane(id="problems")

    @property
    def bar(self) -> FindBar:
        """The find bar."""
        return self.query_one(FindBar)

    @property
    def edit(self) -> Edit | None:
        """The state of the edit, which all screens show; None if no note is open."""
        return self._note.edit

    @property
    def path(self) -> str:
        """The path of the note; empty if none is open."""
        return self._note.path

    @property
    def data(self) -> bytes:
        """The bytes that saving the note would write."""
        return self._note.data

    @property
    def is_dirty(self) -> bool:
        """True if there is unsaved text; the view shows this with a short delay."""
        return self._note.is_dirty

    @property
    def is_drafting(self) -> bool:
        """True if a draft is being written or removed."""
        return self._drafts.is_busy

    def show(self, view: View) -> None:
        """Shows ``view``; checks the text again if the query or the tree has changed."""
        super().show(view)
        edit, area = view.editor.edit, self.area
        area.entitle(edit.path if edit else "", state_of(edit) if edit else "")
        problems = edit.check.problems if edit else ()
        area.show_marks({problem.line: role_of(problem) for problem in reversed(problems)})
        self._checks.look_at_view()

    # opening and closing a note

    def begin(self, disk: OnDisk, note: EditableText, draft: EditableText | None = None) -> None:
        """Opens ``note``, the text of the note on disk or of a new note.

        If ``draft`` is given, it replaces that text in an undoable edit.
        """
        self._draft.forget()
        self._saver.forget()
        self._note.open(disk, note)
        self._explain_marks(draft or note)
        from brvtui.tree.editing.new_notes import first_place

        self.area.move_cursor((first_place(note.text, is_new=disk.data is None), 0))
        if draft is not None:
            self._note.put(draft)
            if self.is_dirty:
                self._draft.write()  # makes the draft belong to this process
        self.action_pane("text")

    def _explain_marks(self, note: EditableText) -> None:
        legend = [f"{self.area.drawn(mark)} {what}" for mark, what in note.legend]
        if legend:
            rest = f" and {len(legend) - _NAMED_MARKS} more" if len(legend) > _NAMED_MARKS else ""
            message = (
                "characters that cannot be displayed are shown as marks and saved unchanged: "
                f"{', '.join(legend[:_NAMED_MARKS])}{rest}"
            )
            self.notify(message, timeout=8)

    def close(self) -> None:
        """Closes the note and keeps its draft."""
        self.bar.display = False
        self._checks.stop()
        self._draft.forget()
        self._saver.forget()
        self._note.close()

    def leave(self, then: Callable[[], object], can_stay_open: bool = False) -> None:
        """Closes the note, after asking about unsaved text, and calls ``then``; may offer to keep the note open."""
        edit = self.edit
        if isinstance(self.app.screen, questions.LeavingDialog):
            return
        if edit is None or not self.is_dirty:
            self.close()
            then()
            return

        def answered(answer: str | None) -> None:
            if answer == questions.SAVE:
                self._saver.save(lambda: self.leave(then))
            elif answer == questions.DISCARD:
                self._draft.drop()
                self.close()
                then()
            elif answer == questions.KEEP:
                then()

        self.app.push_screen(questions.LeavingDialog(edit.path, can_stay_open), answered)

    def bring_to_front(self) -> None:
        """Shows this screen; closing the note returns to the screen that was shown before."""
        if self.services.current_mode != modes.EDITOR.name:
            self.origin = self.services.current_mode
            self.services.switch_mode(modes.EDITOR.name)

    def _go_back(self) -> None:
        self.app.switch_mode(self.origin)

    def _leave_at_once(self) -> None:
        self.close()
        if self.is_current:
            self._go_back()

    # typing and saving

    @on(TextArea.Changed, "#text")
    def _typed(self) -> None:
        if self._note.disk is not None:
            self._text_changed()

    def _text_changed(self) -> None:
        """Shows whether the text is unsaved, and schedules its check and its draft."""
        edit, dirty = self.edit, self.is_dirty
        assert edit is not None
        if dirty != edit.dirty:
            self._note.show(replace(edit, dirty=dirty))
        self._checks.check_soon()
        if dirty:
            self._draft.write_soon()
        else:
            self._draft.drop()
            if edit.on_disk == CHANGED:
                self.look_at_disk()  # without unsaved changes, the text follows the file on disk

    def keep_draft(self) -> None:
        """Writes the draft of unsaved text immediately."""
        if self.is_dirty:
            self._draft.write()

    async def action_save(self) -> None:
        """Saves the text after handling all typed keys."""
        await caught_up(self.area)
        self._saver.save()

    def resolve(self, conflict: SaveConflict) -> None:
        """Asks the user which text to keep: the edited text or the text on disk."""
        self._saver.resolve(conflict)

    def look_at_disk(self) -> None:
        """Checks if the note has changed on disk."""
        self._saver.look_at_disk()

    # finding

    def action_find(self) -> None:
        """Shows the find bar; if it is already visible, moves to the next match."""
        if self.bar.display:
            self.bar.field.action_step(1)
            return
        self.bar.display = True
        self.set_focus(self.bar.field, scroll_visible=False)

    @on(FindBar.FindRequested)
    def _find_requested(self, event: FindBar.FindRequested) -> None:
        self._find(event.words, event.step)

    def _find(self, words: str, step: int = 0) -> None:
        self.bar.show_count(*self.area.find(words, step or 1, here=not step))

    def _stop_finding(self) -> None:
        self.bar.display = False
        self.area.find("")
        self.action_pane("text")

    @on(ProblemsPane.LineChosen)
    def _go_to_line(self, event: ProblemsPane.LineChosen) -> None:
        self.action_pane("text")
        self.area.move_cursor((event.line, event.column), center=True)

    # other actions

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, including editing the open note, and undoing without changes.

        Saving is always offered, so that its key is always visible. For a new note, keeping the modification time is
        one of these actions.
        """
        edit, idle = self.edit, super().idle
        idle |= {"note.edit"} if self.note_at_hand == self.path else frozenset()
        idle |= frozenset() if self.area.history.undo_stack else {"text.undo"}
        if edit is not None and edit.is_new:
            return idle | {"editor.keep_mtime"}
        return idle

    @property
    def renamed(self) -> Mapping[str, str]:
        """The changed labels in the key bar: ``new time`` while the old modification time is kept."""
        keeps = self.edit is not None and self.edit.keep_mtime
        return {**super().renamed, "editor.keep_mtime": "new time"} if keeps else super().renamed

    @property
    def leads_back(self) -> bool:
        """Always True, since Esc in the text returns to the previous screen."""
        return True

    async def action_back(self) -> None:
        """Returns from the find bar or another pane to the text, and from the text to the previous screen."""
        if self.bar.display:
            self._stop_finding()
        elif self.body.maximised or self.focused is not self.area:
            await super().action_back()
        else:
            await caught_up(self.area)
            self.leave(self._go_back, can_stay_open=True)

    def action_keep_mtime(self) -> None:
        """Switches between keeping and updating the modification time on saving, except for a new note."""
        if self.edit is not None and self.edit.is_new:
            self.notify("a new note has no time to keep", timeout=4)
        elif self.edit is not None:
            self._note.show(replace(self.edit, keep_mtime=not self.edit.keep_mtime))
            self._checks.check_soon()

    def action_wrap(self) -> None:
        """Turns the wrapping of long lines on or off."""
        self.area.soft_wrap = not self.area.soft_wrap

    async def action_external(self) -> None:
        """Opens the text in the user's own editor, and saves the result."""
        await caught_up(self.area)
        disk = self._note.disk
        if disk is None:
            return
        before = self.data
        after = self._external.hand_over(self.path, before)
        if after is None or after == before:
            return
        if self._note.put_data(after):
            self._saver.save()
        else:  # the result cannot be edited here, but it can be saved
            self.close()
            self._go_back()
            self._external.save(disk, after)


def state_of(edit: Edit) -> str:
    """Returns the state of ``edit`` for the title."""
    states = {
        "• unsaved": edit.dirty,
        "new note": edit.is_new,
        "keeps its time": edit.keep_mtime,
        f"{edit.on_disk} on disk": edit.on_disk,
    }
    return " · ".join(words for words, holds in states.items() if holds)
