"""An app whose notes can be edited: opening one in the editor or in the user's own, and guarding unsaved text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from textual import on, work
from textual.worker import WorkerError

from brvtui.app import messages
from brvtui.app.editing import news
from brvtui.app.editing import work as editing
from brvtui.app.editing.external import EditorError, hand_over
from brvtui.app.editing.state import OnDisk
from brvtui.app.modes import EDITOR
from brvtui.app.paint.text import plural, seconds
from brvtui.app.project import ProjectApp

if TYPE_CHECKING:
    from brvtui.app.screens.editor import EditorScreen
    from brvtui.session import Session
    from brvtui.tree.note_text import NoteText

_NAMED_DRAFTS = 3
_WRITING = frozenset({"save", "draft", "change"})
"""Groups of workers that write texts, drafts, plans."""


class EditingApp(ProjectApp):
    """One note at a time is open in the editor, whatever screen is in front."""

    _editor: EditorScreen | None = None
    _drafts_told = False
    _to_open = ""
    """The note that was last asked for to be edited here."""

    @property
    def editor(self) -> EditorScreen | None:
        """The editor; None when no note is open in it."""
        return self._editor if self.view.edit is not None else None

    def when_safe(self, then: Callable[[], object]) -> None:
        """Calls ``then`` once there is no unsaved text, or the user gave it up."""
        editor = self.editor
        if editor is None:
            then()
            return
        if editor.is_dirty:
            self.bring_editor()
        editor.leave(then)

    async def all_kept(self) -> bool:
        """Waits for texts and drafts that are being written; whether there were none, so no news of any is to come."""
        writing = [worker for worker in self.workers if worker.group in _WRITING and not worker.is_finished]
        is_drafting = self._editor is not None and self._editor.is_drafting
        for worker in writing:
            with suppress(WorkerError):  # told of where it belongs
                await worker.wait()
        await asyncio.sleep(0)
        return not writing and not is_drafting

    def bring_editor(self) -> None:
        """Brings the editor to the front, where it is to be left again to the screen of now."""
        if self._editor is not None and self.current_mode != EDITOR.name:
            self._editor.origin = self.current_mode
            self.switch_mode(EDITOR.name)

    # opening

    def action_edit_note(self) -> None:
        """Edits the note at hand."""
        self._open(outside=False)

    def action_edit_outside(self) -> None:
        """Edits the note at hand in the user's own editor."""
        self._open(outside=True)

    def _at_hand(self) -> str:
        return self.frame.note_at_hand if self.frame is not None else ""

    def _open(self, outside: bool) -> None:
        path = self._at_hand()
        if self.session is None or self.view.overview is None:
            self.notify("no project is open, so there is nothing to edit", timeout=4)
        elif not path:
            self.notify("select a note first: e edits it, E hands it to your own editor", timeout=4)
        else:
            self.edit(path, outside)

    def edit(self, path: str, outside: bool = False) -> None:
        """Opens the note at ``path`` in the editor, or hands it to the user's own."""
        session = self.session
        if session is None:
            return
        if self.editor is not None and self.editor.path == path:
            self.bring_editor()
            if outside:
                self.call_later(self.editor.action_external)
        elif outside:
            self._read_note(session, path, True)
        else:
            self.when_safe(lambda: self._open_here(session, path))

    def _open_here(self, session: Session, path: str) -> None:
        self._to_open = path
        self._read_note(session, path, False)

    @on(news.NotOpened)
    def _not_opened(self, event: news.NotOpened) -> None:
        self.notify(event.what, severity="error", timeout=8)

    @on(news.NoteOpened)
    def _note_opened(self, event: news.NoteOpened) -> None:
        draft = event.draft
        if not event.outside and event.disk.path != self._to_open:
            return  # another one was asked for meanwhile
        if draft is None:
            self._go_on(event, None)
            return
        from brvtui.app.screens import comparing

        said = [f"{event.disk.path} has text from {seconds(draft.age_s)} ago that was never saved: + is the draft."]
        if not draft.is_on_disk_text:
            said.append("The note on disk has changed since the draft was begun.")

        def answered(answer: str | None) -> None:
            if answer == comparing.DROP and self.session is not None:
                self._keep_draft(self.session, editing.DraftRequest(event.disk.path, None))
            if answer is not None:
                self._go_on(event, draft.text if answer == comparing.TAKE else None)

        self.push_screen(comparing.DraftDialog("A draft was found", said, draft.hunks), answered)

    def _go_on(self, event: news.NoteOpened, draft: NoteText | None) -> None:
        if event.outside:
            self._edit_outside(event.disk, event.text, draft)
        else:
            self.when_safe(lambda: self.call_later(self._edit_here, event.disk, event.text, draft))

    async def _edit_here(self, disk: OnDisk, text: NoteText, draft: NoteText | None) -> EditorScreen:
        """Opens a note in the editor, in front of the screen that it is left to."""
        from brvtui.app.screens.editor import EditorScreen

        origin = self.current_mode
        await self.switch_mode(EDITOR.name)
        if self._editor is None:
            assert isinstance(self.frame, EditorScreen)
            self._editor = self.frame
        if origin != EDITOR.name:
            self._editor.origin = origin
        self._editor.begin(disk, text, draft)
        return self._editor

    # the user's own editor

    def _edit_outside(self, disk: OnDisk, text: NoteText, draft: NoteText | None) -> None:
        before = draft or text
        try:
            data = hand_over(disk.path, before.encode(before.text), self.suspend)
        except EditorError as error:
            self.notify(str(error), severity="error", timeout=8)
            return
        if data == disk.data:
            self.notify(f"{disk.path} is as it was: nothing to save", timeout=4)
        else:
            self.save_outside(disk, data)

    def save_outside(self, disk: OnDisk, data: bytes) -> None:
        """Saves what the user's own editor made of the note that was ``disk``."""
        if self.session is not None:
            self._save_note(self.session, disk, data)

    @on(news.NoteSaved)
    def _note_saved(self, event: news.NoteSaved) -> None:
        for line in event.said:
            self.notify(line, severity="warning", timeout=10)
        self.notify(f"saved {event.disk.path}; u undoes it", timeout=4)
        if self.session is not None:
            self.follow(self.session)
            self._keep_draft(self.session, editing.DraftRequest(event.disk.path, None))

    @on(news.NotSaved)
    def _note_not_saved(self, event: news.NotSaved) -> None:
        self._set_aside(event.what, event.disk, event.data)

    @on(news.NoteClashed)
    async def _note_clashed(self, event: news.NoteClashed) -> None:
        """The editor asks which text it shall be, unless it is in use or the text too long for it."""
        from brvtui.tree.note_text import NotText, note_text

        texts: list[NoteText] = []
        with suppress(NotText):
            texts = [note_text(event.disk.data or b""), note_text(event.data)]
        if self.editor is not None or not texts or len(texts[1].text) > editing.MOST_CHARS:
            self._set_aside(f"{event.disk.path} was changed on disk meanwhile", event.disk, event.data)
        else:
            editor = await self._edit_here(event.disk, *texts)
            editor.ask_about(event.clash)

    def _set_aside(self, why: str, disk: OnDisk, data: bytes) -> None:
        self.notify(f"{why}; your text is kept as a draft: e or E offers it", severity="error", timeout=10)
        if self.session is not None:
            self._keep_draft(self.session, editing.DraftRequest(disk.path, data, disk.sha256))

    # news of the project

    @on(messages.Changed)
    def _tree_changed(self) -> None:
        if self.editor is not None:
            self.editor.changed_on_disk()

    @on(messages.Loaded)
    def _tree_loaded(self) -> None:
        if not self._drafts_told and self.session is not None:
            self._drafts_told = True
            self._find_drafts(self.session, False)

    def action_drafts(self) -> None:
        """Lists the drafts."""
        if self.session is not None:
            self._find_drafts(self.session, True)

    @on(news.DraftsFound)
    def _drafts_found(self, event: news.DraftsFound) -> None:
        if event.asked:
            from brvtui.app.screens.drafts import DraftsDialog

            self.push_screen(DraftsDialog(event.paths), lambda path: self.edit(path) if path else None)
            return
        if not event.paths:
            return
        named = ", ".join(event.paths[:_NAMED_DRAFTS])
        rest = f" and {len(event.paths) - _NAMED_DRAFTS} more" if len(event.paths) > _NAMED_DRAFTS else ""
        what = f"{plural(len(event.paths), 'draft')} of unsaved text: {named}{rest}; D lists them"
        self.notify(what, severity="warning", timeout=12)

    # workers

    @work(thread=True, exclusive=True, group="open", exit_on_error=False)
    def _read_note(self, session: Session, path: str, outside: bool) -> None:
        editing.open_note(session, path, outside, self.post_message)

    @work(thread=True, group="save", exit_on_error=False)
    def _save_note(self, session: Session, disk: OnDisk, data: bytes) -> None:
        editing.save(session, disk, data, False, self.post_message)

    @work(thread=True, group="draft", exit_on_error=False)
    def _keep_draft(self, session: Session, asked: editing.DraftRequest) -> None:
        problem = editing.keep_draft(session, asked)
        if problem:
            self.notify(problem, severity="error", timeout=10)

    @work(thread=True, group="draft", exit_on_error=False)
    def _find_drafts(self, session: Session, asked: bool) -> None:
        self.post_message(news.DraftsFound(editing.drafts(session), asked))
