"""One note that is being edited: holding, looking at, drafting and saving its text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.timer import Timer
from textual.widgets import TextArea

from brvtui.app.editing import leaving
from brvtui.app.editing import work as editing
from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.problems import role_of
from brvtui.app.editing.state import NoteClashed, NoteSaved, NotSaved, OnDisk
from brvtui.app.newest import Newest
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.project import Project
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import CHANGED, GONE, Edit, EditorState, Looked
from brvtui.app.view import View

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import EditableText

LOOK_S = 0.2
"""After a pause in typing of so many seconds the text is looked at."""
DRAFT_S = 1.0
"""So many seconds after the first key that is not in the draft, it is written."""
_NAMED_MARKS = 3
Then = Callable[[], object]


class EditingScreen(FrameScreen):
    """Holds one note at a time, from :meth:`begin` until it is left. Every call that blocks runs in a thread."""

    def __init__(self, layouts: Layouts, project: Project) -> None:
        """Nothing is edited."""
        super().__init__(layouts)
        self._project = project
        self._disk: OnDisk | None = None
        self._note: EditableText | None = None
        self._clean = b""
        """The text that need not be saved."""
        self._drafted: bytes | None = None
        """What the draft holds."""
        self._saving = False
        self._again = False
        """Saving was asked for while a save was under way."""
        self._then: Then | None = None
        self._looks: Newest[editing.Text] = Newest(self._look)
        self._drafts: Newest[editing.DraftRequest] = Newest(self._keep_draft)
        self._wanted: editing.Text | None = None
        """The text that is to be looked at, or was last."""
        self._looked_for: tuple[object, ...] = ()
        self._look_timer: Timer | None = None
        self._draft_timer: Timer | None = None

    @property
    def area(self) -> NoteEditor:
        """The text."""
        return self.query_one(NoteEditor)

    @property
    def edit(self) -> Edit | None:
        """What the screens show of the edit; None when no note is open."""
        return self.view.editor.edit

    @property
    def _session(self) -> Session:
        assert self._project.session is not None
        return self._project.session

    @property
    def path(self) -> str:
        """Of the note."""
        return self.edit.path if self.edit else ""

    @property
    def disk(self) -> OnDisk | None:
        """What the text is compared with; None when no note is open."""
        return self._disk

    @property
    def data(self) -> bytes:
        """What a save would write."""
        assert self._note is not None
        return self._note.encode(self.area.text)

    @property
    def is_dirty(self) -> bool:
        """Whether there is text that is not saved; the screens are told of it a moment later."""
        return self._note is not None and self.data != self._clean

    @property
    def is_drafting(self) -> bool:
        """Whether a draft is being written or dropped."""
        return self._drafts.is_busy

    # showing

    def show(self, view: View) -> None:
        """Shows ``view``; when the text is now to be seen under another query or tree, it is looked at again."""
        super().show(view)
        edit, area = view.editor.edit, self.area
        area.shown_path, area.state = (edit.path, state_of(edit)) if edit else ("", "")
        area.retitle()
        problems = edit.looked.problems if edit else ()
        area.show_marks({problem.line: role_of(problem) for problem in reversed(problems)})
        if self._disk is not None and self._looked_for != self._looking_for:
            self.look_soon()

    @property
    def _looking_for(self) -> tuple[object, ...]:
        view = self.view
        return (view.query.text, view.query.scope, view.engine.profile, id(view.project.overview))

    def show_edit(self, edit: Edit | None) -> None:
        """Changes what the screens show of the edit."""
        self.services.store.update(EditorState(edit))

    # beginning and ending

    def begin(self, disk: OnDisk, note: EditableText, draft: EditableText | None = None) -> None:
        """Begins to edit ``note``, as it is on disk or as a new one begins; a ``draft`` goes on where it ended."""
        self._disk, self._note = disk, None
        self._clean = note.encode(note.text)
        self._drafted = None
        self.show_edit(Edit(disk.path, is_new=disk.data is None))
        self.adopt(note)
        self._explain_marks(draft or note)
        if disk.data is None:
            from brvtui.tree.editing.new_notes import first_place

            self.area.move_cursor((first_place(note.text), 0))
        if draft is not None:
            self.adopt(draft)
            if self.is_dirty:
                self._draft()  # at once, and as this process's own
        self.action_pane("text")

    def _explain_marks(self, note: EditableText) -> None:
        legend = [f"{self.area.drawn(mark)} {what}" for mark, what in note.legend]
        if legend:
            rest = f" and {len(legend) - _NAMED_MARKS} more" if len(legend) > _NAMED_MARKS else ""
            said = f"what cannot be shown has a mark, and is saved as it is: {', '.join(legend[:_NAMED_MARKS])}{rest}"
            self.notify(said, timeout=8)

    def adopt(self, note: EditableText) -> None:
        """Puts a text into the text area; it can be undone there when the marks of the one before still hold."""
        before, self._note = self._note, note
        if before is not None and before.marks.items() <= note.marks.items():
            self.area.mark(note.marks)
            self.area.take(note.text)
        else:
            self.area.open(note.text, note.marks)
        self._settle()

    def adopt_data(self, data: bytes) -> bool:
        """The same with bytes; says so and returns False when they are not text."""
        from brvtui.tree.editing.note_text import NotText, note_text

        try:
            self.adopt(note_text(data, self._note, self.area.text))
        except NotText as error:
            self.notify(f"{self.path}: {error}", severity="error", timeout=10)
            return False
        return True

    def rebase(self, disk: OnDisk) -> None:
        """From now on the text is compared with ``disk``, and saved only over that."""
        self._disk, self._clean = disk, disk.data or b""
        if self.edit is not None:
            self.show_edit(replace(self.edit, on_disk="", is_new=disk.data is None))
        self._settle()

    def is_about(self, disk: OnDisk) -> bool:
        """Whether ``disk`` is what the text is compared with, and no save is under way."""
        return disk is self._disk and not self._saving

    def discard(self) -> None:
        """Lets go of the note, its text and its draft."""
        self._drop_draft()
        self.close()

    def close(self) -> None:
        """Lets go of the note."""
        self._disk = self._note = None
        for timer in (self._look_timer, self._draft_timer):
            if timer is not None:
                timer.stop()
        self._look_timer = self._draft_timer = None
        self._wanted = None
        self._looked_for = ()
        self.area.open("", ())
        self.show_edit(None)

    def leave(self, then: Then, can_stay_open: bool = False) -> None:
        """Closes the note and calls ``then``; asks first about text that is not saved."""
        edit = self.edit
        if isinstance(self.app.screen, leaving.LeavingDialog):
            return
        if edit is None or not self.is_dirty:
            self.close()
            then()
            return

        def answered(answer: str | None) -> None:
            if answer == leaving.SAVE:
                self.save(lambda: self.leave(then))
            elif answer == leaving.DISCARD:
                self.discard()
                then()
            elif answer == leaving.KEEP:
                then()

        self.app.push_screen(leaving.LeavingDialog(edit.path, can_stay_open), answered)

    # typing

    @on(TextArea.Changed, "#text")
    def _typed(self) -> None:
        if self._disk is not None:
            self._settle()

    def _settle(self) -> None:
        """Marks text that is not saved, and has it looked at and drafted before long."""
        assert self.edit is not None
        data = self.data
        dirty = data != self._clean
        if dirty != self.edit.dirty:
            self.show_edit(replace(self.edit, dirty=dirty))
        self.look_soon()
        if not dirty:
            self._drop_draft()
            if self.edit.on_disk == CHANGED:
                self.changed_on_disk()  # a text without changes follows the disk
        elif data != self._drafted and self._draft_timer is None:
            self._draft_timer = self.set_timer(DRAFT_S, self._draft)

    def look_soon(self) -> None:
        """Has the text looked at after a pause."""
        self._looked_for = self._looking_for
        if self._look_timer is not None:
            self._look_timer.stop()
        self._look_timer = self.set_timer(LOOK_S, self._ask_look)

    def _ask_look(self) -> None:
        self._look_timer = None
        note, view = self._note, self.view
        if self._disk is None or self.edit is None or note is None:
            return
        path, edited, keep = self._disk.path, self.area.text, self.edit.keep_mtime
        text = self._wanted = editing.Text(path, note, edited, keep, view.query.text, view.query.scope)
        self._looks.want(text)

    def _look(self, text: editing.Text) -> None:
        look = partial(editing.look, self._session, text)
        run = self.services.background.run
        run(look, partial(self._looked, text), group="look", on_end=self._looks.finished, owner=self)

    def _looked(self, text: editing.Text, looked: Looked) -> None:
        if text is self._wanted and self.edit is not None:
            self.show_edit(replace(self.edit, looked=looked))

    def _draft(self) -> None:
        if self._draft_timer is not None:
            self._draft_timer.stop()
            self._draft_timer = None
        if self._disk is not None:
            self._drafted = self.data
            self._drafts.want(editing.DraftRequest(self._disk.path, self._drafted, self._disk.sha256))

    def _drop_draft(self) -> None:
        if self._draft_timer is not None:
            self._draft_timer.stop()
            self._draft_timer = None
        if self._disk is not None and self._drafted is not None:
            self._drafts.want(editing.DraftRequest(self._disk.path, None))
            self._drafted = None

    def _keep_draft(self, asked: editing.DraftRequest) -> None:
        keep = partial(editing.keep_draft, self._session, asked)
        run = self.services.background.run
        run(keep, self._draft_kept, group="draft", on_end=self._drafts.finished, owner=self)

    def _draft_kept(self, problem: str) -> None:
        if problem:
            self.notify(problem, severity="warning")

    # saving

    def save(self, then: Then | None = None) -> None:
        """Saves the text and, when that worked, calls ``then``; after the save under way, if there is one."""
        disk, edit = self._disk, self.edit
        if disk is None or edit is None:
            return
        if self._saving:
            self._again, self._then = True, then or self._then
            return
        data = self.data
        if data == disk.data and edit.on_disk != GONE:
            self.notify("nothing to save: the text is as it was read", timeout=2)
            self.changed_on_disk()
            if then is not None:
                then()
            return
        self._saving, self._then = True, then
        save = partial(editing.save, self._session, disk, data, edit.keep_mtime)
        self.services.background.run(save, self._save_ended, group="save", on_error=self._broke_down, owner=self)

    def _save_ended(self, ended: editing.SaveEnd) -> None:
        match ended:
            case NoteSaved():
                self._saved(ended)
            case NoteClashed():
                self.end_save()
                self.clashed(ended)
            case NotSaved():
                self._broke_down(ended.what)

    def clashed(self, ended: NoteClashed) -> None:
        """Called when the text was not saved, because the note is not what it was."""
        raise NotImplementedError

    def _saved(self, saved: NoteSaved) -> None:
        then, again = self._then, self._again
        self.end_save()
        path = saved.disk.path
        for said in saved.said:
            self.notify(said, severity="warning", timeout=10)
        self.notify(f"saved {path}", timeout=4)
        self._project.follow()
        if self._disk is None or self._disk.path != path:
            return
        self.rebase(saved.disk)
        if again and self.is_dirty:
            self.save(then)
        elif then is not None:
            then()

    def changed_on_disk(self) -> None:
        """Checks whether the note changed on disk."""
        before = self._disk
        if before is not None:
            look = partial(editing.look_at_disk, self._session, before)
            self.services.background.run(look, partial(self.disk_seen, before), group="disk", owner=self)

    def disk_seen(self, before: OnDisk, now: OnDisk) -> None:
        """Called with what is on disk ``now``, where ``before`` was; the same object when nothing changed."""
        raise NotImplementedError

    def end_save(self) -> None:
        """The save that was under way has ended, one way or another."""
        self._saving, self._again, self._then = False, False, None

    def _broke_down(self, why: str) -> None:
        self.end_save()
        self.notify(why, severity="error", timeout=10)


def state_of(edit: Edit) -> str:
    """What the title says of an edit."""
    said = {
        "• unsaved": edit.dirty,
        "new note": edit.is_new,
        "keeps its time": edit.keep_mtime,
        f"{edit.on_disk} on disk": edit.on_disk,
    }
    return " · ".join(words for words, holds in said.items() if holds)
