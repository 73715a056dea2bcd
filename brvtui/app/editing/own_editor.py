"""Notes in the user's own editor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.editing import work as editing
from brvtui.app.editing.external import EditorError, hand_over
from brvtui.app.editing.state import NoteClashed, NoteSaved, NotSaved, OnDisk
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices

if TYPE_CHECKING:
    from brvtui.tree.editing.note_text import EditableText


class OwnEditor:
    """Hands notes to the user's own editor, and saves what comes back; what cannot be saved is kept as a draft."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        keep_draft: Callable[[editing.DraftRequest], None],
        suspend: Callable[[], AbstractContextManager[None]],
        clashed: Callable[[NoteClashed], Awaitable[None]],
    ) -> None:
        """``suspend`` gives the terminal to another program; ``clashed`` is called with a text that was not saved,
        because the note had changed on disk."""
        self._services = services
        self._project = project
        self._keep_draft = keep_draft
        self._suspend = suspend
        self._clashed = clashed

    def edit(self, disk: OnDisk, text: EditableText, draft: EditableText | None) -> None:
        """Lets the user edit ``text`` of the note on disk, or go on with its draft. It blocks."""
        before = draft or text
        try:
            data = hand_over(disk.path, before.encode(before.text), self._suspend)
        except EditorError as error:
            self._services.notify(str(error), severity="error", timeout=8)
            return
        if data == disk.data:
            self._services.notify(f"{disk.path} is as it was: nothing to save", timeout=4)
        else:
            self.save(disk, data)

    def save(self, disk: OnDisk, data: bytes) -> None:
        """Saves what the user's own editor made of the note that was ``disk``."""
        if self._project.session is not None:
            save = partial(editing.save, self._project.session, disk, data, False)
            self._services.background.run(save, self._ended, group="save")

    async def _ended(self, ended: editing.SaveEnd) -> None:
        match ended:
            case NoteSaved():
                self._saved(ended)
            case NoteClashed():
                await self._clashed(ended)
            case NotSaved():
                self.set_aside(ended.what, ended.disk, ended.data)

    def _saved(self, saved: NoteSaved) -> None:
        for line in saved.said:
            self._services.notify(line, severity="warning", timeout=10)
        self._services.notify(f"saved {saved.disk.path}; u undoes it", timeout=4)
        self._project.follow()
        self._keep_draft(editing.DraftRequest(saved.disk.path, None))

    def set_aside(self, why: str, disk: OnDisk, data: bytes) -> None:
        """Keeps as a draft what could not be saved, and says ``why``."""
        said = f"{why}; your text is kept as a draft: e or E offers it"
        self._services.notify(said, severity="error", timeout=10)
        self._keep_draft(editing.DraftRequest(disk.path, data, disk.sha256))
