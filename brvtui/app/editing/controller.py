"""Opens notes for editing, one at a time, from any screen; quits the app without losing text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from textual.worker import WorkerError

from brvtui.app.editing import note_on_disk, note_saving
from brvtui.app.editing.drafts import Drafts
from brvtui.app.editing.external_editor import ExternalEditor
from brvtui.app.editing.note_on_disk import DraftRequest, FoundDraft, NewNoteRequest, NoteOpened, OnDisk
from brvtui.app.editing.note_saving import SaveConflict
from brvtui.app.modes import EDITOR
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.opening import Opening
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import Phase
from brvtui.app.text_entry import caught_up
from brvtui.paint.text import seconds

if TYPE_CHECKING:
    from brvtui.app.editing.screen import EditorScreen
    from brvtui.lab.whatif.variant import EditedText
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import EditableText

_WRITING = frozenset({"save", "draft", "change", "judge", "settings", "choice"})
"""The groups of workers that write the user's changes: notes, drafts, judgments, settings and the choice of memory."""
_OPEN = "open"


class Editing:
    """Opens notes in the built-in or an external editor, and protects unsaved text."""

    def __init__(self, services: AppServices, project: Project, external: ExternalEditor, drafts: Drafts) -> None:
        self._services = services
        self._project = project
        self._external = external
        self._drafts = drafts
        self._screen: EditorScreen | None = None
        """The editor screen; None until it is first shown."""
        self._requested = ""
        """The path of the note that the user last asked to edit in the built-in editor."""

    def use(self, screen: EditorScreen) -> None:
        """Sets the screen for editing notes."""
        self._screen = screen

    @property
    def editor(self) -> EditorScreen | None:
        """The editor screen; None if no note is open in it."""
        return self._screen if self._services.store.view.editor.edit is not None else None

    def unsaved_text(self) -> EditedText | None:
        """Returns the text in the editor if it is unsaved, else None."""
        from brvtui.lab.whatif.variant import EditedText

        editor = self.editor
        if editor is None or editor.edit is None or not editor.is_dirty:
            return None
        return EditedText(editor.path, editor.data, editor.edit.keep_mtime)

    def when_safe(self, then: Callable[[], object]) -> None:
        """Closes the open note, if any, and calls ``then``; first asks whether to save or discard unsaved text."""
        editor = self.editor
        if editor is None:
            then()
            return
        if editor.is_dirty:
            editor.bring_to_front()
        editor.leave(then)

    def when_closed(self, path: str, then: Callable[[], object]) -> None:
        """Calls ``then``; if the note at ``path`` is open, first closes it as :meth:`when_safe` does."""
        if self.editor is not None and self.editor.path == path:
            self.when_safe(then)
        else:
            then()

    @property
    def is_writing(self) -> bool:
        """True if one of the user's changes is being written."""
        return any(worker.group in _WRITING and not worker.is_finished for worker in self._services.workers)

    async def all_written(self) -> bool:
        """Waits until all changes by the user are written. Returns True if there was nothing to wait for."""
        writing = [worker for worker in self._services.workers if worker.group in _WRITING and not worker.is_finished]
        is_drafting = self._screen is not None and self._screen.is_drafting
        for worker in writing:
            with suppress(WorkerError):  # the worker's own callback reports the error
                await asyncio.shield(worker.wait())  # otherwise a timeout would cancel the worker
        await asyncio.sleep(0)
        return not writing and not is_drafting

    async def keep_drafts(self) -> None:
        """Writes the draft of unsaved text and waits for all writes."""
        editor = self.editor
        if editor is not None:
            await caught_up(editor.area)
            editor.keep_draft()
        while not await self.all_written():
            pass

    def edit_selected(self, path: str, outside: bool) -> None:
        """Edits the note at ``path``; if ``path`` is empty, shows how to select a note."""
        if self._project.refuses() or self._project.refuses_edits():
            return
        if self._project.session is None or self._services.store.view.project.overview is None:
            self._services.notify("the notes are still being read", timeout=4)
        elif not path:
            message = "select a note first: {note.edit} edits it"
            message += "" if self._services.is_web else ", {note.outside} opens it in your own editor"
            self._services.notify(self._services.with_keys(message), timeout=4)
        else:
            self.edit(path, outside)

    def edit(self, path: str, outside: bool = False) -> None:
        """Opens the note at ``path`` in the built-in editor, or in the user's own editor if ``outside``."""
        session, editor = self._project.session, self.editor
        if session is None or self._project.refuses_edits():
            return
        if editor is not None and editor.path == path:
            editor.bring_to_front()
            if outside:
                self._services.call_later(editor.action_external)
        elif outside:
            self._read(session, path, True)
        else:
            self.when_safe(lambda: self._open_here(session, path))

    def begin(self, request: NewNoteRequest, query: str) -> None:
        """Opens a new note in the editor; ``query`` is the question that the note answers."""
        session = self._project.session
        if session is not None:
            self.when_safe(lambda: self._begin_here(session, request, query))

    def _begin_here(self, session: Session, request: NewNoteRequest, query: str) -> None:
        self._requested = request.path
        task, opened = partial(note_on_disk.begin_note, session, request, query), partial(self._opened, outside=False)
        self._services.background.run(task, opened, group=_OPEN, on_error=self._not_opened)

    def _open_here(self, session: Session, path: str) -> None:
        self._requested = path
        self._read(session, path, False)

    def _read(self, session: Session, path: str, outside: bool) -> None:
        outside_key = self._services.shown_key("note.outside")
        task = partial(note_on_disk.open_note, session, path, outside, outside_key)
        self._services.background.run(
            task, partial(self._opened, outside=outside), group=_OPEN, exclusive=True, on_error=self._not_opened
        )

    def _not_opened(self, why: str) -> None:
        self._services.notify(why, severity="error", timeout=8)

    def _opened(self, note: NoteOpened, outside: bool) -> None:
        draft = note.draft
        if not outside and note.disk.path != self._requested:
            return  # the user has requested another note in the meantime
        if draft is None:
            self._continue(note, None, outside)
            return
        from brvtui.app.editing import questions

        paragraphs = [f"{note.disk.path} has a draft from {seconds(draft.age_s)} ago that was never saved."]
        is_gone = note.disk.data is None and not draft.is_on_disk_text
        if draft.moved is not None:
            paragraphs.append(
                f"The note has been moved since: it is now {draft.moved.path}, and the draft belongs there too."
            )
        elif is_gone:
            paragraphs.append(
                "The note has been removed on disk since. If you use the draft, saving creates the note again."
            )
        elif not draft.is_on_disk_text:
            paragraphs.append("The note on disk has changed since the draft was started.")
        if draft.hunks is None:
            count = max(len(draft.text.text), len(draft.base.text))
            where = "a terminal" if self._services.is_web else "your own editor"
            paragraphs.append(f"{count} characters are too many to show and edit here: “use mine” opens it in {where}.")

        mine_outside = outside or draft.hunks is None

        def answered(answer: str | None) -> None:
            if answer == questions.DROP:
                self._drafts.write(DraftRequest(note.disk.path, None))
            if answer == questions.TAKE and draft.moved is not None:
                self._move_draft(note.disk.path, draft, draft.moved)
                self._continue(NoteOpened(draft.moved, draft.base, None), draft.text, mine_outside)
            elif answer == questions.TAKE:
                self._continue(note, draft.text, mine_outside)
            elif answer == questions.DROP and not is_gone:
                self._continue(note, None, outside)

        self._services.push_screen(questions.DraftDialog(paragraphs, draft.hunks), answered)

    def _move_draft(self, before: str, draft: FoundDraft, now: OnDisk) -> None:
        data = draft.text.encode(draft.text.text)
        self._drafts.write(DraftRequest(now.path, data, now.version))
        self._drafts.write(DraftRequest(before, None))

    def _continue(self, note: NoteOpened, draft: EditableText | None, outside: bool) -> None:
        if outside:
            self._external.edit(note.disk, note.text, draft)
        else:
            self.when_safe(lambda: self._services.call_later(lambda: self._edit_here(note.disk, note.text, draft)))

    async def _edit_here(self, disk: OnDisk, text: EditableText, draft: EditableText | None) -> EditorScreen:
        """Opens a note in the editor; closing it returns to the current screen."""
        origin = self._services.current_mode
        await self._services.switch_mode(EDITOR.name)
        assert self._screen is not None, "made when its mode was first in front"
        if origin != EDITOR.name:
            self._screen.origin = origin
        self._screen.begin(disk, text, draft)
        return self._screen

    async def resolve(self, conflict: SaveConflict) -> None:
        """Asks the user to resolve a conflict in the editor; if that cannot open the text, keeps it as a draft."""
        from brvtui.tree.editing.note_text import NotText

        texts: list[EditableText] = []
        with suppress(NotText):
            texts = [note_on_disk.text_to_edit(data) for data in (conflict.disk.data or b"", conflict.data)]
        if self.editor is not None or not texts:
            path = conflict.disk.path
            self._external.set_aside(note_saving.changed_meanwhile(path), conflict.disk, conflict.data)
        else:
            editor = await self._edit_here(conflict.disk, *texts)
            editor.resolve(conflict)

    def look_at_disk(self) -> None:
        """Checks if the note in the editor has changed on disk."""
        if self.editor is not None:
            self.editor.look_at_disk()


NO_PROJECT = 3
"""The exit code if no project could be opened."""
_STILL_WRITING = (
    "a file is still being written, and the disk is not responding; press {app.quit} again to quit without waiting"
)
_STILL_WRITING_S = 10


class Leaving:
    """Quits the app as soon as no text is unsaved, and records the project to open next."""

    def __init__(self, services: AppServices, editing: Editing, layouts: Layouts) -> None:
        self._services = services
        self._editing = editing
        self._layouts = layouts
        self._has_warned = False
        self.reopening: Opening | None = None
        """The project to open after this app ends; None if the user quits."""

    async def quit(self) -> None:
        """Quits the app, after asking about unsaved text."""
        if self._editing.editor is not None:
            await caught_up(self._editing.editor.area)
        self._services.time_left.begin_again()
        self._end_when_safe()

    def leave_for(self, opening: Opening) -> None:
        """Ends this app, after asking about unsaved text, so that another app can start on ``opening``."""

        def leave() -> None:
            self.reopening = opening
            self._end_when_safe()

        self._editing.when_safe(leave)

    def _end_when_safe(self) -> None:
        self._editing.when_safe(lambda: self._services.call_later(self._end))
        if self._services.has_modal:  # the user is answering a question and may take time
            self._services.time_left.begin_again()

    async def _end(self) -> None:
        """Ends the app, with an error code if no project could be opened; warns once if writing takes too long."""
        services = self._services
        try:
            async with asyncio.timeout(self._services.time_left.seconds):
                if not await self._editing.all_written():
                    self._end_when_safe()
                    return
                await self._layouts.finish()
        except TimeoutError:
            if self._editing.is_writing and not self._has_warned:
                self._has_warned = True
                services.set_timer(_STILL_WRITING_S, self._forget_writing)
                services.notify(services.with_keys(_STILL_WRITING), severity="warning", timeout=_STILL_WRITING_S)
                return
        view = services.store.view
        failed = view.project.phase is Phase.FAILED and view.fleet.fleet is None
        services.exit(return_code=NO_PROJECT if failed else 0)

    def _forget_writing(self) -> None:
        self._has_warned = False
