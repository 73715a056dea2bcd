"""Notes in the user's own editor."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from brvtui.app.editing import news
from brvtui.app.editing import work as editing
from brvtui.app.editing.external import EditorError, hand_over
from brvtui.app.editing.state import OnDisk
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Notifies, Posts
from brvtui.app.parts.threads import Job, Threads

if TYPE_CHECKING:
    from brvtui.tree.editing.note_text import NoteText

_SAVE = Job("save")


class Host(Notifies, Posts, Protocol):
    """What handing a note over needs of the app."""

    def suspend(self) -> AbstractContextManager[None]:
        """The terminal is another program's while this lasts."""
        ...


class OwnEditor:
    """Hands notes to the user's own editor, and saves what comes back; what cannot be saved is kept as a draft."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: HasSession,
        keep_draft: Callable[[editing.DraftRequest], None],
        follow: Callable[[], None],
    ) -> None:
        """``follow`` reads what changed on disk."""
        self._host = host
        self._threads = threads
        self._project = project
        self._keep_draft = keep_draft
        self._follow = follow
        hearing.hear(news.NoteSaved, self._saved)
        hearing.hear(news.NotSaved, self._not_saved)

    def edit(self, disk: OnDisk, text: NoteText, draft: NoteText | None) -> None:
        """Lets the user edit ``text`` of the note on disk, or go on with its draft. It blocks."""
        before = draft or text
        try:
            data = hand_over(disk.path, before.encode(before.text), self._host.suspend)
        except EditorError as error:
            self._host.notify(str(error), severity="error", timeout=8)
            return
        if data == disk.data:
            self._host.notify(f"{disk.path} is as it was: nothing to save", timeout=4)
        else:
            self.save(disk, data)

    def save(self, disk: OnDisk, data: bytes) -> None:
        """Saves what the user's own editor made of the note that was ``disk``."""
        if self._project.session is not None:
            self._threads.start(_SAVE, editing.save, self._project.session, disk, data, False, self._host.post_message)

    def set_aside(self, why: str, disk: OnDisk, data: bytes) -> None:
        """Keeps as a draft what could not be saved, and says ``why``."""
        said = f"{why}; your text is kept as a draft: e or E offers it"
        self._host.notify(said, severity="error", timeout=10)
        self._keep_draft(editing.DraftRequest(disk.path, data, disk.sha256))

    def _saved(self, event: news.NoteSaved) -> None:
        for line in event.said:
            self._host.notify(line, severity="warning", timeout=10)
        self._host.notify(f"saved {event.disk.path}; u undoes it", timeout=4)
        self._follow()
        self._keep_draft(editing.DraftRequest(event.disk.path, None))

    def _not_saved(self, event: news.NotSaved) -> None:
        self.set_aside(event.what, event.disk, event.data)
