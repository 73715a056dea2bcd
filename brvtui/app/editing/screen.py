"""The editor: one note's text, its problems, and what saving it would do."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import EDIT_SCREEN
from brvtui.app.arrangement import EDITOR
from brvtui.app.editing import comparing
from brvtui.app.editing.controller import Editing
from brvtui.app.editing.external import EditorError, hand_over
from brvtui.app.editing.find_bar import FindBar
from brvtui.app.editing.holding import EditingScreen
from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.own_editor import OwnEditor
from brvtui.app.editing.problems import ProblemsPane
from brvtui.app.editing.ranking import RankingPane
from brvtui.app.editing.saving_line import SavingLine
from brvtui.app.editing.state import Clash, NoteClashed, OnDisk
from brvtui.app.keys.bindings import bindings
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.project import Project
from brvtui.app.states import CHANGED, GONE
from brvtui.app.styles import sheet
from brvtui.app.text_entry import caught_up
from brvtui.paint.text import plural

_UNDECIDED = "<<<<<<<"


class EditorScreen(EditingScreen):
    """Text, problems, ranking; asks when the note is not what it was."""

    CSS_PATH = sheet("editor")
    TITLE = "Edit"
    PLAN = EDITOR
    BINDINGS: ClassVar[list[BindingType]] = bindings(EDIT_SCREEN)
    AUTO_FOCUS = "#text"

    def __init__(self, layouts: Layouts, project: Project, editing: Editing, own: OwnEditor) -> None:
        """An editor without a note, which ``editing`` opens notes in."""
        super().__init__(layouts, project)
        self._editing = editing
        self._own_editor = own
        editing.use(self)
        self.origin = ""
        """The screen to go back to."""

    def make_head(self) -> ComposeResult:
        """What saving does, and the words to find."""
        yield SavingLine(id="saving")
        yield FindBar(id="find-bar")

    def make_panes(self) -> ComposeResult:
        """Text, problems, ranking."""
        yield NoteEditor(id="text")
        yield ProblemsPane(id="problems")
        yield RankingPane(id="ranking")

    @property
    def bar(self) -> FindBar:
        """The words to find."""
        return self.query_one(FindBar)

    def close(self) -> None:
        """Lets go of the note."""
        self.bar.display = False
        super().close()

    # the note is not what it was

    def clashed(self, ended: NoteClashed) -> None:
        """Says so above the text, and asks."""
        if self.edit is not None:
            state = GONE if ended.clash.theirs.data is None else CHANGED
            self.show_edit(replace(self.edit, on_disk=state))
        self.ask_about(ended.clash)

    def ask_about(self, clash: Clash) -> None:
        """Asks what shall become of the two texts."""
        self._editing.bring()
        path = clash.theirs.path
        if clash.theirs.data is None:
            self.app.push_screen(comparing.GoneDialog(path), lambda answer: self._gone(answer))
            return
        said = [f"{path} was changed on disk since its text was read. - is mine, + is theirs, on disk."]
        if clash.merged is None:
            said = [f"{path} was changed on disk since its text was read, and is no text any more."]
        elif clash.undecided:
            places = plural(clash.undecided, "place")
            said.append(f"Both changed the same lines: merged, {places} would be yours to decide.")
        dialog = comparing.ConflictDialog("Changed on disk", said, clash.hunks, clash.merged is not None)
        self.app.push_screen(dialog, lambda answer: self._chosen(answer, clash))

    def _gone(self, answer: str | None) -> None:
        if self.edit is None:
            return
        if answer == comparing.AGAIN:
            self.rebase(OnDisk(self.path, None, None))
            self.save()
        elif answer == comparing.DROP:
            self.discard()
            self._go_back()

    def _chosen(self, answer: str | None, clash: Clash) -> None:
        if self.edit is None:
            return
        if answer == comparing.MINE:
            self.rebase(clash.theirs)
            self.save()
        elif answer == comparing.THEIRS and self.adopt_data(clash.theirs.data or b""):
            self.rebase(clash.theirs)
        elif answer == comparing.MERGED and self.adopt_data(clash.merged or b""):
            self.rebase(clash.theirs)
            if clash.undecided:
                self._find(_UNDECIDED, 0)
                self.notify(f"{plural(clash.undecided, 'place')} to decide: look for {_UNDECIDED}", timeout=8)

    def disk_seen(self, before: OnDisk, now: OnDisk) -> None:
        """A text without changes follows the disk; others are never touched."""
        edit = self.edit
        if edit is None or not self.is_about(before):
            return
        if now is before:
            self.show_edit(replace(edit, on_disk=""))
        elif self.is_dirty or edit.is_new:
            state = GONE if now.data is None else CHANGED
            if edit.on_disk != state:
                self.show_edit(replace(edit, on_disk=state))
                what = f"{edit.path} was {'removed' if state == GONE else 'changed'} on disk; your text is kept here"
                self.notify(what, severity="warning", timeout=8)
        elif now.data is None:
            self.notify(f"{edit.path} was removed on disk: closed", severity="warning", timeout=8)
            self.close()
            if self.is_current:
                self._go_back()
        elif self.adopt_data(now.data):
            self.rebase(now)
            self.notify(f"{edit.path} was changed on disk: shown as it is now", timeout=4)

    # finding

    def action_find(self) -> None:
        """Shows the field; when it is there already, goes to the next place."""
        if self.bar.display:
            self.bar.field.action_step(1)
            return
        self.bar.display = True
        self.set_focus(self.bar.field, scroll_visible=False)

    @on(FindBar.Wanted)
    def _find_wanted(self, event: FindBar.Wanted) -> None:
        self._find(event.words, event.step)

    def _find(self, words: str, step: int) -> None:
        self.bar.tell(*self.area.find(words, step or 1, here=not step))

    def _stop_finding(self) -> None:
        self.bar.display = False
        self.area.find("")
        self.action_pane("text")

    @on(ProblemsPane.LineWanted)
    def _go_to_line(self, event: ProblemsPane.LineWanted) -> None:
        self.action_pane("text")
        self.area.move_cursor((event.line, event.column), center=True)

    # actions

    def _go_back(self) -> None:
        self.app.switch_mode(self.origin)

    async def action_back(self) -> None:
        """From the words to find, a maximised pane or another pane to the text; from the text to where it began."""
        if self.bar.display:
            self._stop_finding()
        elif self.body.maximised or self.focused is not self.area:
            await super().action_back()
        else:
            await caught_up(self.area)
            self.leave(self._go_back, can_stay_open=True)

    async def action_save(self) -> None:
        """Saves the text."""
        await caught_up(self.area)
        self.save()

    def action_keep_mtime(self) -> None:
        """Whether saving keeps the note's modification time."""
        if self.edit is not None:
            self.show_edit(replace(self.edit, keep_mtime=not self.edit.keep_mtime))
            self.look_soon()

    def action_wrap(self) -> None:
        """Wraps long lines, or not."""
        self.area.soft_wrap = not self.area.soft_wrap

    async def action_external(self) -> None:
        """Hands the text to the user's own editor, and saves what comes back."""
        await caught_up(self.area)
        disk = self.disk
        if disk is None:
            return
        before = self.data
        try:
            after = hand_over(self.path, before, self.app.suspend)
        except EditorError as error:
            self.notify(str(error), severity="error", timeout=8)
            return
        if after == before:
            return
        if self.adopt_data(after):
            self.save()
        else:  # what cannot be edited here can be saved
            self.close()
            self._go_back()
            self._own_editor.save(disk, after)
