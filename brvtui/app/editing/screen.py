"""The Edit screen: one note's text, its problems, and the effect of saving it. Ctrl+S begins at ``action_save``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import TextArea

from brvtui.app import modes
from brvtui.app.actions.screens import EDIT_SCREEN
from brvtui.app.arrangement import EDITOR
from brvtui.app.contents import Edit, TextCheck
from brvtui.app.editing import note_io, questions
from brvtui.app.editing.drafts import Drafts
from brvtui.app.editing.external_editor import ExternalEditor
from brvtui.app.editing.find_bar import FindBar
from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.note_io import CheckRequest, DraftRequest, NoteSaved, OnDisk, SaveConflict, SaveFailed
from brvtui.app.editing.problems import ProblemsPane, role_of
from brvtui.app.editing.ranking import RankingPane
from brvtui.app.editing.saving_line import SavingLine
from brvtui.app.keys.bindings import bindings
from brvtui.app.newest import Newest
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.project import Project
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import CHANGED, GONE
from brvtui.app.styles import sheet
from brvtui.app.text_entry import caught_up
from brvtui.app.view import View
from brvtui.paint.text import plural

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import EditableText

CHECK_S = 0.2
"""The text is checked after a pause in typing of so many seconds."""
DRAFT_S = 1.0
"""The draft is written so many seconds after the first key that it lacks."""
_NAMED_MARKS = 3
_UNDECIDED = "<<<<<<<"


class EditorScreen(FrameScreen):
    """Edits one note at a time, from :meth:`begin` to :meth:`close`. Whatever blocks runs in a worker."""

    CSS_PATH = sheet("editor")
    TITLE = "Edit"
    PLAN = EDITOR
    BINDINGS = bindings(EDIT_SCREEN)
    AUTO_FOCUS = "#text"

    def __init__(self, layouts: Layouts, project: Project, external: ExternalEditor, drafts: Drafts) -> None:
        """An editor without a note."""
        super().__init__(layouts)
        self._project = project
        self._external = external
        self._drafts = drafts
        self.origin = ""
        """The screen to go back to."""
        self._disk: OnDisk | None = None
        """The note that the text is compared with and saved over; None when no note is open."""
        self._note: EditableText | None = None
        self._clean = b""
        """The text that needs no saving."""
        self._drafted: bytes | None = None
        """The text of the draft."""
        self._saving = False
        """Whether a save of the note that is open is under way."""
        self._save_again = False
        """Whether the user asked to save while a save was under way."""
        self._after_save: Callable[[], object] | None = None
        self._checks: Newest[CheckRequest] = Newest(self._check)
        self._last_check: CheckRequest | None = None
        self._checked_for: tuple[object, ...] = ()
        """The query and tree that the text was last checked with."""
        self._check_timer: Timer | None = None
        self._draft_timer: Timer | None = None

    def make_head(self) -> ComposeResult:
        """The effect of saving, and the find bar."""
        yield SavingLine(id="saving")
        yield FindBar(id="find-bar")

    def make_panes(self) -> ComposeResult:
        """Text, problems, ranking."""
        yield NoteEditor(id="text")
        yield ProblemsPane(id="problems")
        yield RankingPane(id="ranking")

    @property
    def area(self) -> NoteEditor:
        """The text area."""
        return self.query_one(NoteEditor)

    @property
    def bar(self) -> FindBar:
        """The find bar."""
        return self.query_one(FindBar)

    @property
    def edit(self) -> Edit | None:
        """The state of the edit, as all screens show it; None when no note is open."""
        return self.view.editor.edit

    @property
    def _session(self) -> Session:
        assert self._project.session is not None
        return self._project.session

    @property
    def path(self) -> str:
        """The path of the note; empty when none is open."""
        return self.edit.path if self.edit else ""

    @property
    def data(self) -> bytes:
        """The bytes that saving would write."""
        assert self._note is not None
        return self._note.encode(self.area.text)

    @property
    def is_dirty(self) -> bool:
        """Whether there is unsaved text; the view says so a moment later."""
        return self._note is not None and self.data != self._clean

    @property
    def is_drafting(self) -> bool:
        """Whether a draft is being written or removed."""
        return self._drafts.is_busy

    def show(self, view: View) -> None:
        """Shows ``view``; checks the text again when the query or the tree is another."""
        super().show(view)
        edit, area = view.editor.edit, self.area
        area.entitle(edit.path if edit else "", state_of(edit) if edit else "")
        problems = edit.check.problems if edit else ()
        area.show_marks({problem.line: role_of(problem) for problem in reversed(problems)})
        if self._disk is not None and self._checked_for != self._checks_depend_on:
            self._check_soon()

    @property
    def _checks_depend_on(self) -> tuple[object, ...]:
        view = self.view
        return (view.query.text, view.query.scope, view.engine.profile, id(view.project.overview))

    def _show_edit(self, edit: Edit | None) -> None:
        self.services.store.update(self.services.store.view.editor._replace(edit=edit))

    # opening and closing a note

    def begin(self, disk: OnDisk, note: EditableText, draft: EditableText | None = None) -> None:
        """Begins to edit ``note``, the text on disk or of a new note; with a ``draft``, goes on where that ended."""
        self._disk, self._note = disk, None
        self._clean = note.encode(note.text)
        self._drafted = None
        self._end_save()
        self._show_edit(Edit(disk.path, is_new=disk.data is None))
        self._put(note)
        self._explain_marks(draft or note)
        if disk.data is None:
            from brvtui.tree.editing.new_notes import first_place

            self.area.move_cursor((first_place(note.text), 0))
        if draft is not None:
            self._put(draft)
            if self.is_dirty:
                self._draft_now()  # so that the draft belongs to this process
        self.action_pane("text")

    def _explain_marks(self, note: EditableText) -> None:
        legend = [f"{self.area.drawn(mark)} {what}" for mark, what in note.legend]
        if legend:
            rest = f" and {len(legend) - _NAMED_MARKS} more" if len(legend) > _NAMED_MARKS else ""
            said = f"what cannot be shown has a mark, and is saved as it is: {', '.join(legend[:_NAMED_MARKS])}{rest}"
            self.notify(said, timeout=8)

    def _put(self, note: EditableText) -> None:
        """Puts a text into the text area, as an edit that can be undone unless ``note`` lacks marks for that."""
        before, self._note = self._note, note
        if before is not None and before.marks.items() <= note.marks.items():
            self.area.mask(note.marks)
            self.area.replace_text(note.text)
        else:
            self.area.open(note.text, note.marks)
        self._text_changed()

    def _put_data(self, data: bytes) -> bool:
        """Puts ``data`` into the text area; returns False, after a toast, when it is not text."""
        from brvtui.tree.editing.note_text import NotText, note_text

        try:
            self._put(note_text(data, self._note, self.area.text))
        except NotText as error:
            self.notify(f"{self.path}: {error}", severity="error", timeout=10)
            return False
        return True

    def _rebase(self, disk: OnDisk) -> None:
        """Compares the text with ``disk`` from now on, and saves over that."""
        self._disk, self._clean = disk, disk.data or b""
        if self.edit is not None:
            self._show_edit(replace(self.edit, path=disk.path, on_disk="", is_new=disk.data is None))
        self._text_changed()

    def _discard(self) -> None:
        """Closes the note without its text and draft."""
        self._drop_draft()
        self.close()

    def close(self) -> None:
        """Closes the note; its draft stays."""
        self.bar.display = False
        self._disk = self._note = None
        for timer in (self._check_timer, self._draft_timer):
            if timer is not None:
                timer.stop()
        self._check_timer = self._draft_timer = None
        self._last_check = None
        self._checked_for = ()
        self._end_save()
        self.area.open("", ())
        self._show_edit(None)

    def leave(self, then: Callable[[], object], can_stay_open: bool = False) -> None:
        """Closes the note and calls ``then``; asks about unsaved text, which may be kept open if ``can_stay_open``."""
        edit = self.edit
        if isinstance(self.app.screen, questions.LeavingDialog):
            return
        if edit is None or not self.is_dirty:
            self.close()
            then()
            return

        def answered(answer: str | None) -> None:
            if answer == questions.SAVE:
                self.save(lambda: self.leave(then))
            elif answer == questions.DISCARD:
                self._discard()
                then()
            elif answer == questions.KEEP:
                then()

        self.app.push_screen(questions.LeavingDialog(edit.path, can_stay_open), answered)

    def bring_to_front(self) -> None:
        """Puts this screen in front; leaving the note leads back to the screen that is in front now."""
        if self.services.current_mode != modes.EDITOR.name:
            self.origin = self.services.current_mode
            self.services.switch_mode(modes.EDITOR.name)

    def _go_back(self) -> None:
        self.app.switch_mode(self.origin)

    # typing: checks and drafts

    @on(TextArea.Changed, "#text")
    def _typed(self) -> None:
        if self._disk is not None:
            self._text_changed()

    def _text_changed(self) -> None:
        """Shows whether the text is unsaved; before long, checks it and writes its draft."""
        assert self.edit is not None
        data = self.data
        dirty = data != self._clean
        if dirty != self.edit.dirty:
            self._show_edit(replace(self.edit, dirty=dirty))
        self._check_soon()
        if not dirty:
            self._drop_draft()
            if self.edit.on_disk == CHANGED:
                self.look_at_disk()  # a text without changes follows the disk
        elif data != self._drafted and self._draft_timer is None:
            self._draft_timer = self.set_timer(DRAFT_S, self._draft_now)

    def _check_soon(self) -> None:
        self._checked_for = self._checks_depend_on
        if self._check_timer is not None:
            self._check_timer.stop()
        self._check_timer = self.set_timer(CHECK_S, self._check_now)

    def _check_now(self) -> None:
        self._check_timer = None
        note, view = self._note, self.view
        if self._disk is None or self.edit is None or note is None:
            return
        path, keep_mtime = self._disk.path, self.edit.keep_mtime
        request = CheckRequest(path, note, self.area.text, keep_mtime, view.query.text, view.query.scope)
        self._last_check = request
        self._checks.want(request)

    def _check(self, request: CheckRequest) -> None:
        task, on_result = partial(note_io.check, self._session, request), partial(self._checked, request)
        self.services.background.run(task, on_result, group="check", on_end=self._checks.finished, owner=self)

    def _checked(self, request: CheckRequest, check: TextCheck) -> None:
        if request is self._last_check and self.edit is not None:
            self._show_edit(replace(self.edit, check=check))

    def _stop_draft_timer(self) -> None:
        if self._draft_timer is not None:
            self._draft_timer.stop()
            self._draft_timer = None

    def _draft_now(self) -> None:
        self._stop_draft_timer()
        if self._disk is not None:
            self._drafted = self.data
            self._drafts.write(DraftRequest(self._disk.path, self._drafted, self._disk.sha256))

    def keep_draft(self) -> None:
        """Writes the draft of unsaved text at once."""
        if self.is_dirty:
            self._draft_now()

    def _drop_draft(self) -> None:
        self._stop_draft_timer()
        if self._disk is not None and self._drafted is not None:
            self._drafts.write(DraftRequest(self._disk.path, None))
            self._drafted = None

    # saving

    async def action_save(self) -> None:
        """Saves the text."""
        await caught_up(self.area)
        self.save()

    def save(self, then: Callable[[], object] | None = None) -> None:
        """Saves the text and, on success, calls ``then``. While a save is under way, saves again after it."""
        disk, edit = self._disk, self.edit
        if disk is None or edit is None:
            return
        if self._saving:
            self._save_again, self._after_save = True, then or self._after_save
            return
        data = self.data
        if data == disk.data and edit.on_disk != GONE:
            said = "nothing to save: the text is as it was read; a change, if only of a blank, gives it a new time"
            self.notify(said, timeout=4)
            self.look_at_disk()
            if then is not None:
                then()
            return
        self._saving, self._after_save = True, then
        task = partial(note_io.save, self._session, disk, data, edit.keep_mtime)
        ended = partial(self._save_ended, disk)
        self.services.background.run(
            task, ended, group="save", on_error=lambda why: ended(SaveFailed(disk, data, why)), owner=self
        )

    def _save_ended(self, before: OnDisk, result: note_io.SaveResult) -> None:
        """Goes on after the text was saved over ``before``, or was not; by now another note may be open."""
        if isinstance(result, NoteSaved):
            self._saved(before, result)
            return
        if isinstance(result, SaveConflict) and result.notice:
            self.notify(result.notice, severity="warning", timeout=10)
        if before is not self._disk:
            self._set_aside(result)
        else:
            self._end_save()
            if isinstance(result, SaveFailed):
                self.notify(result.problem, severity="error", timeout=10)
                return
            if self.edit is not None:
                state = GONE if result.theirs.data is None else CHANGED
                self._show_edit(replace(self.edit, on_disk=state))
            self.resolve(result)

    def _saved(self, before: OnDisk, saved: NoteSaved) -> None:
        for notice in saved.notices:
            self.notify(notice, severity="warning", timeout=10)
        self.notify(f"saved {saved.disk.path}", timeout=4)
        self._project.follow(saved=True)
        if before is not self._disk:
            return
        then, again = self._after_save, self._save_again
        self._end_save()
        self._rebase(saved.disk)
        if again and self.is_dirty:
            self.save(then)
        elif then is not None:
            then()

    def _set_aside(self, unsaved: SaveConflict | SaveFailed) -> None:
        """Keeps the text of a note that is no longer open as a draft, and says why it was not saved."""
        path = unsaved.disk.path
        why = unsaved.problem if isinstance(unsaved, SaveFailed) else note_io.changed_meanwhile(path)
        self._external.set_aside(why, unsaved.disk, unsaved.data)

    def _end_save(self) -> None:
        self._saving, self._save_again, self._after_save = False, False, None

    # conflicts: the note on disk is no longer the one that was read

    def resolve(self, conflict: SaveConflict) -> None:
        """Asks which of the two texts the note shall have."""
        self.bring_to_front()
        path = conflict.theirs.path
        if conflict.theirs.data is None:
            moved = conflict.moved.path if conflict.moved is not None else ""
            self.app.push_screen(questions.GoneDialog(path, moved), lambda answer: self._gone(answer, conflict))
            return
        said = [f"{path} was changed on disk since its text was read."]
        if conflict.merged is None:
            said = [f"{path} was changed on disk since its text was read, and is no longer text."]
        elif conflict.undecided:
            places = plural(conflict.undecided, "place")
            said.append(f"Both changed the same lines: merged, {places} would be yours to decide.")
        dialog = questions.ConflictDialog(said, conflict.hunks, conflict.merged is not None)
        self.app.push_screen(dialog, lambda answer: self._resolved(answer, conflict))

    def _gone(self, answer: str | None, conflict: SaveConflict) -> None:
        if conflict.disk is not self._disk:
            self._set_aside(conflict)
        elif answer == questions.AGAIN:
            self._rebase(OnDisk(self.path, None, None))
            self.save()
        elif answer == questions.MOVED and conflict.moved is not None:
            self._move_to(conflict.moved)
            self.save()
        elif answer == questions.DROP:
            self._discard()
            self._go_back()

    def _move_to(self, disk: OnDisk) -> None:
        """Goes on with the text as that of ``disk``, where the note was moved to; its draft goes there too."""
        before = self.path
        self._rebase(disk)
        self._draft_now()
        self._drafts.write(DraftRequest(before, None))
        self.services.select(disk.path)

    def _resolved(self, answer: str | None, conflict: SaveConflict) -> None:
        if conflict.disk is not self._disk:
            self._set_aside(conflict)
        elif answer == questions.MINE:
            self._rebase(conflict.theirs)
            self.save()
        elif answer == questions.THEIRS and self._put_data(conflict.theirs.data or b""):
            self._rebase(conflict.theirs)
        elif answer == questions.MERGED and self._put_data(conflict.merged or b""):
            self._rebase(conflict.theirs)
            if conflict.undecided:
                self._find(_UNDECIDED, 0)
                self.notify(f"{plural(conflict.undecided, 'place')} to decide: look for {_UNDECIDED}", timeout=8)

    def look_at_disk(self) -> None:
        """Checks whether the note changed on disk."""
        before = self._disk
        if before is not None:
            task, on_result = partial(note_io.read_again, self._session, before), partial(self._disk_seen, before)
            self.services.background.run(task, on_result, group="disk", owner=self)

    def _disk_seen(self, before: OnDisk, now: OnDisk) -> None:
        """Takes over the text of ``now`` where nothing is unsaved; else only shows that the disk has another."""
        edit = self.edit
        if edit is None or before is not self._disk or self._saving:
            return
        if now is before:
            self._show_edit(replace(edit, on_disk=""))
        elif self.is_dirty or edit.is_new:
            state = GONE if now.data is None else CHANGED
            if edit.on_disk != state:
                self._show_edit(replace(edit, on_disk=state))
                what = f"{edit.path} was {'removed' if state == GONE else 'changed'} on disk; your text is kept here"
                self.notify(what, severity="warning", timeout=8)
        elif now.data is None:
            self.notify(f"{edit.path} was removed on disk: closed", severity="warning", timeout=8)
            self.close()
            if self.is_current:
                self._go_back()
        elif self._put_data(now.data):
            self._rebase(now)
            self.notify(f"{edit.path} has changed: this is its text now", timeout=4)

    # finding

    def action_find(self) -> None:
        """Shows the find bar; when it already exists, goes to the next match."""
        if self.bar.display:
            self.bar.field.action_step(1)
            return
        self.bar.display = True
        self.set_focus(self.bar.field, scroll_visible=False)

    @on(FindBar.FindRequested)
    def _find_requested(self, event: FindBar.FindRequested) -> None:
        self._find(event.words, event.step)

    def _find(self, words: str, step: int) -> None:
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

    async def action_back(self) -> None:
        """From the find bar, a maximised pane or another pane to the text; from the text to the screen before."""
        if self.bar.display:
            self._stop_finding()
        elif self.body.maximised or self.focused is not self.area:
            await super().action_back()
        else:
            await caught_up(self.area)
            self.leave(self._go_back, can_stay_open=True)

    def action_keep_mtime(self) -> None:
        """Has saving keep the note's modification time, or renew it."""
        if self.edit is not None:
            self._show_edit(replace(self.edit, keep_mtime=not self.edit.keep_mtime))
            self._check_soon()

    def action_wrap(self) -> None:
        """Wraps long lines, or not."""
        self.area.soft_wrap = not self.area.soft_wrap

    async def action_external(self) -> None:
        """Hands the text to the user's own editor, and saves what comes back."""
        await caught_up(self.area)
        disk = self._disk
        if disk is None:
            return
        before = self.data
        after = self._external.hand_over(self.path, before)
        if after is None or after == before:
            return
        if self._put_data(after):
            self.save()
        else:  # what cannot be edited here can be saved
            self.close()
            self._go_back()
            self._external.save(disk, after)


def state_of(edit: Edit) -> str:
    """The words in the title that describe ``edit``."""
    said = {
        "• unsaved": edit.dirty,
        "new note": edit.is_new,
        "keeps its time": edit.keep_mtime,
        f"{edit.on_disk} on disk": edit.on_disk,
    }
    return " · ".join(words for words, holds in said.items() if holds)
