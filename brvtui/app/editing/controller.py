"""Editing notes: one at a time is open in the editor, whatever screen is in front."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual.message_pump import MessagePump
from textual.worker import WorkerError
from textual.worker_manager import WorkerManager

from brvtui.app.editing import work as editing
from brvtui.app.editing.own_editor import OwnEditor
from brvtui.app.editing.state import Begun, Clash, NoteClashed, NoteOpened, OnDisk
from brvtui.app.modes import EDITOR
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.paint.text import seconds

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import EditableText

_WRITING = frozenset({"save", "draft", "change"})
"""Groups of workers that write texts, drafts, plans."""
_OPEN = "open"


class Editor(Protocol):
    """The screen in which a note is edited."""

    origin: str
    """The screen to go back to."""

    @property
    def path(self) -> str:
        """The path of the note that is open."""
        ...

    @property
    def area(self) -> MessagePump:
        """The text."""
        ...

    @property
    def is_dirty(self) -> bool:
        """Whether there is text that is not saved."""
        ...

    @property
    def is_drafting(self) -> bool:
        """Whether a draft is being written or dropped."""
        ...

    def begin(self, disk: OnDisk, note: EditableText, draft: EditableText | None = None) -> None:
        """Begins to edit ``note``, as it is on disk or as a new one begins; a ``draft`` goes on where it ended."""

    def leave(self, then: Callable[[], object], can_stay_open: bool = False) -> None:
        """Closes the note and calls ``then``; asks first about text that is not saved."""

    def ask_about(self, clash: Clash) -> None:
        """Asks what shall become of the two texts."""

    def changed_on_disk(self) -> None:
        """Checks whether the note changed on disk."""

    def action_external(self) -> Awaitable[None]:
        """Hands the text to the user's own editor, and saves what comes back."""
        ...


class Editing:
    """Opens notes in the editor or in the user's own, and guards unsaved text."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        own: OwnEditor,
        keep_draft: Callable[[editing.DraftRequest], None],
        workers: WorkerManager,
    ) -> None:
        """No note is open; ``own`` is the user's own editor, ``workers`` are all that are under way."""
        self._services = services
        self._project = project
        self._own = own
        self._keep_draft = keep_draft
        self._workers = workers
        self._editor: Editor | None = None
        self._to_open = ""
        """The note that was last asked for to be edited here."""

    def use(self, editor: Editor) -> None:
        """Opens notes in ``editor`` from now on."""
        self._editor = editor

    @property
    def editor(self) -> Editor | None:
        """The editor; None when no note is open in it."""
        return self._editor if self._services.store.view.editor.edit is not None else None

    def when_safe(self, then: Callable[[], object]) -> None:
        """Calls ``then`` once there is no unsaved text, or the user gave it up."""
        editor = self.editor
        if editor is None:
            then()
            return
        if editor.is_dirty:
            self.bring()
        editor.leave(then)

    def when_left(self, path: str, then: Callable[[], object]) -> None:
        """Calls ``then``, not before unsaved text of the note at ``path`` is saved or given up."""
        if self.editor is not None and self.editor.path == path:
            self.when_safe(then)
        else:
            then()

    async def all_kept(self) -> bool:
        """Waits for texts and drafts that are being written; whether there were none, so no news of any is to come."""
        writing = [worker for worker in self._workers if worker.group in _WRITING and not worker.is_finished]
        is_drafting = self._editor is not None and self._editor.is_drafting
        for worker in writing:
            with suppress(WorkerError):  # told of where it belongs
                await worker.wait()
        await asyncio.sleep(0)
        return not writing and not is_drafting

    def bring(self) -> None:
        """Brings the editor to the front, where it is to be left again to the screen of now."""
        if self._editor is not None and self._services.current_mode != EDITOR.name:
            self._editor.origin = self._services.current_mode
            self._services.switch_mode(EDITOR.name)

    def edit_at_hand(self, path: str, outside: bool) -> None:
        """Edits ``path``, the note at hand; says what to do when there is none."""
        if self._project.session is None or self._services.store.view.project.overview is None:
            self._services.notify("no project is open, so there is nothing to edit", timeout=4)
        elif not path:
            self._services.notify("select a note first: e edits it, E hands it to your own editor", timeout=4)
        else:
            self.edit(path, outside)

    def edit(self, path: str, outside: bool = False) -> None:
        """Opens the note at ``path`` in the editor, or hands it to the user's own."""
        session = self._project.session
        if session is None:
            return
        if self.editor is not None and self.editor.path == path:
            self.bring()
            if outside:
                self._services.call_later(self.editor.action_external)
        elif outside:
            self._read(session, path, True)
        else:
            self.when_safe(lambda: self._open_here(session, path))

    def begin(self, begun: Begun, query: str) -> None:
        """Opens a note that does not exist yet; it answers ``query``."""
        session = self._project.session
        if session is not None:
            self.when_safe(lambda: self._begin_here(session, begun, query))

    def _begin_here(self, session: Session, begun: Begun, query: str) -> None:
        self._to_open = begun.path
        opened = partial(self._opened, outside=False)
        run = self._services.background.run
        run(partial(editing.begin_note, session, begun, query), opened, group=_OPEN, on_error=self._not_opened)

    def _open_here(self, session: Session, path: str) -> None:
        self._to_open = path
        self._read(session, path, False)

    def _read(self, session: Session, path: str, outside: bool) -> None:
        read, opened = partial(editing.open_note, session, path, outside), partial(self._opened, outside=outside)
        run = self._services.background.run
        run(read, opened, group=_OPEN, exclusive=True, on_error=self._not_opened)

    def _not_opened(self, why: str) -> None:
        self._services.notify(why, severity="error", timeout=8)

    def _opened(self, note: NoteOpened, outside: bool) -> None:
        draft = note.draft
        if not outside and note.disk.path != self._to_open:
            return  # another one was asked for meanwhile
        if draft is None:
            self._go_on(note, None, outside)
            return
        from brvtui.app.editing import comparing

        said = [f"{note.disk.path} has text from {seconds(draft.age_s)} ago that was never saved: + is the draft."]
        if not draft.is_on_disk_text:
            said.append("The note on disk has changed since the draft was begun.")

        def answered(answer: str | None) -> None:
            if answer == comparing.DROP:
                self._keep_draft(editing.DraftRequest(note.disk.path, None))
            if answer is not None:
                self._go_on(note, draft.text if answer == comparing.TAKE else None, outside)

        self._services.push_screen(comparing.DraftDialog("A draft was found", said, draft.hunks), answered)

    def _go_on(self, note: NoteOpened, draft: EditableText | None, outside: bool) -> None:
        if outside:
            self._own.edit(note.disk, note.text, draft)
        else:
            self.when_safe(lambda: self._services.call_later(lambda: self._edit_here(note.disk, note.text, draft)))

    async def _edit_here(self, disk: OnDisk, text: EditableText, draft: EditableText | None) -> Editor:
        """Opens a note in the editor, in front of the screen that it is left to."""
        origin = self._services.current_mode
        await self._services.switch_mode(EDITOR.name)
        assert self._editor is not None, "made when its mode was first in front"
        if origin != EDITOR.name:
            self._editor.origin = origin
        self._editor.begin(disk, text, draft)
        return self._editor

    async def ask_which(self, clashed: NoteClashed) -> None:
        """Asks, in the editor, which text it shall be; where that is in use, or the text too long, keeps a draft."""
        from brvtui.tree.editing.note_text import NotText, note_text

        texts: list[EditableText] = []
        with suppress(NotText):
            texts = [note_text(clashed.disk.data or b""), note_text(clashed.data)]
        if self.editor is not None or not texts or len(texts[1].text) > editing.MOST_CHARS:
            self._own.set_aside(f"{clashed.disk.path} was changed on disk meanwhile", clashed.disk, clashed.data)
        else:
            editor = await self._edit_here(clashed.disk, *texts)
            editor.ask_about(clashed.clash)

    def look_at_disk(self) -> None:
        """Checks whether the note in the editor changed on disk."""
        if self.editor is not None:
            self.editor.changed_on_disk()
