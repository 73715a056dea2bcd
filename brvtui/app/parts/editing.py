"""Editing notes: one at a time is open in the editor, whatever screen is in front."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from textual.message_pump import MessagePump
from textual.worker import WorkerError
from textual.worker_manager import WorkerManager

from brvtui.app import messages
from brvtui.app.editing import news
from brvtui.app.editing import work as editing
from brvtui.app.editing.state import Begun, Clash, OnDisk
from brvtui.app.modes import EDITOR
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import CallsLater, HasSession, Notifies, OpensDialogs, Posts, SwitchesModes
from brvtui.app.parts.own_editor import OwnEditor
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.store import ViewStore
from brvtui.paint.text import seconds

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import NoteText

_WRITING = frozenset({"save", "draft", "change"})
"""Groups of workers that write texts, drafts, plans."""
_OPEN = Job("open", exclusive=True)
_BEGIN = Job("open")


class Host(CallsLater, Notifies, OpensDialogs, Posts, SwitchesModes, Protocol):
    """What editing needs of the app."""

    @property
    def current_mode(self) -> str:
        """The screen in front."""
        ...

    @property
    def workers(self) -> WorkerManager:
        """All that is under way."""
        ...


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

    def begin(self, disk: OnDisk, note: NoteText, draft: NoteText | None = None) -> None:
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
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: HasSession,
        store: ViewStore,
        own: OwnEditor,
        keep_draft: Callable[[editing.DraftRequest], None],
    ) -> None:
        """No note is open."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._own = own
        self._keep_draft = keep_draft
        self._editor: Editor | None = None
        self._to_open = ""
        """The note that was last asked for to be edited here."""
        hearing.hear(news.NotOpened, self._not_opened)
        hearing.hear(news.NoteOpened, self._opened)
        hearing.hear(news.NoteClashed, self._clashed)
        hearing.hear(messages.Changed, self._tree_changed)

    def use(self, editor: Editor) -> None:
        """Opens notes in ``editor`` from now on."""
        self._editor = editor

    @property
    def editor(self) -> Editor | None:
        """The editor; None when no note is open in it."""
        return self._editor if self._store.view.editor.edit is not None else None

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
        writing = [worker for worker in self._host.workers if worker.group in _WRITING and not worker.is_finished]
        is_drafting = self._editor is not None and self._editor.is_drafting
        for worker in writing:
            with suppress(WorkerError):  # told of where it belongs
                await worker.wait()
        await asyncio.sleep(0)
        return not writing and not is_drafting

    def bring(self) -> None:
        """Brings the editor to the front, where it is to be left again to the screen of now."""
        if self._editor is not None and self._host.current_mode != EDITOR.name:
            self._editor.origin = self._host.current_mode
            self._host.switch_mode(EDITOR.name)

    def edit_at_hand(self, path: str, outside: bool) -> None:
        """Edits ``path``, the note at hand; says what to do when there is none."""
        if self._project.session is None or self._store.view.project.overview is None:
            self._host.notify("no project is open, so there is nothing to edit", timeout=4)
        elif not path:
            self._host.notify("select a note first: e edits it, E hands it to your own editor", timeout=4)
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
                self._host.call_later(self.editor.action_external)
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
        self._threads.start(_BEGIN, editing.begin_note, session, begun, query, self._host.post_message)

    def _open_here(self, session: Session, path: str) -> None:
        self._to_open = path
        self._read(session, path, False)

    def _read(self, session: Session, path: str, outside: bool) -> None:
        self._threads.start(_OPEN, editing.open_note, session, path, outside, self._host.post_message)

    def _not_opened(self, event: news.NotOpened) -> None:
        self._host.notify(event.what, severity="error", timeout=8)

    def _opened(self, event: news.NoteOpened) -> None:
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
            if answer == comparing.DROP:
                self._keep_draft(editing.DraftRequest(event.disk.path, None))
            if answer is not None:
                self._go_on(event, draft.text if answer == comparing.TAKE else None)

        self._host.push_screen(comparing.DraftDialog("A draft was found", said, draft.hunks), answered)

    def _go_on(self, event: news.NoteOpened, draft: NoteText | None) -> None:
        if event.outside:
            self._own.edit(event.disk, event.text, draft)
        else:
            self.when_safe(lambda: self._host.call_later(lambda: self._edit_here(event.disk, event.text, draft)))

    async def _edit_here(self, disk: OnDisk, text: NoteText, draft: NoteText | None) -> Editor:
        """Opens a note in the editor, in front of the screen that it is left to."""
        origin = self._host.current_mode
        await self._host.switch_mode(EDITOR.name)
        assert self._editor is not None, "made when its mode was first in front"
        if origin != EDITOR.name:
            self._editor.origin = origin
        self._editor.begin(disk, text, draft)
        return self._editor

    async def _clashed(self, event: news.NoteClashed) -> None:
        """The editor asks which text it shall be, unless it is in use or the text too long for it."""
        from brvtui.tree.editing.note_text import NotText, note_text

        texts: list[NoteText] = []
        with suppress(NotText):
            texts = [note_text(event.disk.data or b""), note_text(event.data)]
        if self.editor is not None or not texts or len(texts[1].text) > editing.MOST_CHARS:
            self._own.set_aside(f"{event.disk.path} was changed on disk meanwhile", event.disk, event.data)
        else:
            editor = await self._edit_here(event.disk, *texts)
            editor.ask_about(event.clash)

    def _tree_changed(self, _: messages.Changed) -> None:
        self.look_at_disk()

    def look_at_disk(self) -> None:
        """Something of the tree changed: whether it was the note in the editor is found out."""
        if self.editor is not None:
            self.editor.changed_on_disk()
