"""Drafts: unsaved texts, kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from brvtui.app.editing import note_on_disk
from brvtui.app.editing.note_on_disk import DraftRequest
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.widgets.status_line import LEFT_DRAFTS
from brvtui.app.workers import Newest
from brvtui.paint.text import plural

if TYPE_CHECKING:
    from brvtui.app.editing.open_note import OpenNote
    from brvtui.app.screens.frame import FrameScreen
    from brvtui.session import Session

DRAFT_S = 1.0
"""The delay in seconds between a change of the open note and writing its draft."""
_NAMED = 3
_GROUP = "draft"
_FINDING = "find drafts"


class Drafts:
    """Writes drafts, and reports and lists drafts that no editor has open."""

    def __init__(self, services: AppServices, project: Project, edit: Callable[[str], None]) -> None:
        """Creates the controller; ``edit`` opens the note whose draft the user selects from the list."""
        self._services = services
        self._project = project
        self._edit = edit
        self._requests: dict[str, Newest[tuple[Session, DraftRequest]]] = {}
        """The draft requests of each note with unfinished requests, keyed by path."""

    @property
    def is_busy(self) -> bool:
        """True if a draft is being written or removed."""
        return bool(self._requests)

    def write(self, request: DraftRequest) -> None:
        """Writes or removes a draft after earlier requests for the same note; a newer one replaces a waiting one."""
        session = self._project.session
        if session is None:
            return
        waiting = self._requests.setdefault(request.path, Newest(self._begin))
        waiting.want((session, request))

    def _begin(self, queued: tuple[Session, DraftRequest]) -> None:
        session, request = queued
        failed = partial(self._services.notify, severity="warning")
        self._services.background.run(
            partial(note_on_disk.write_draft, session, request),
            group=_GROUP,
            on_error=failed,
            on_end=partial(self._finished, request),
        )

    def _finished(self, request: DraftRequest) -> None:
        requests = self._requests[request.path]
        requests.finished()
        if not requests.is_busy:
            del self._requests[request.path]
        if request.data is None or request.is_set_aside or self._services.store.view.editor.drafts:
            self._find(self._show)

    def report(self) -> None:
        """Shows a message about drafts that no editor has open, if any; the status line always shows them."""
        self._find(self._report)

    def go_to_left(self) -> None:
        """Opens the note whose draft is not open in any editor; if there are several or none, lists all drafts."""
        left = self._services.store.view.editor.left
        if len(left) == 1:
            self._edit(left[0])
        else:
            self.list_all()

    def _show(self, paths: tuple[str, ...]) -> None:
        store = self._services.store
        if store.view.editor.drafts != paths:
            store.update(store.view.editor._replace(drafts=paths))

    def list_all(self) -> None:
        """Lists the drafts in a dialog."""
        self._find(self._list)

    @property
    def _key(self) -> str:
        return self._services.shown_key(LEFT_DRAFTS)

    def _find(self, on_result: Callable[[tuple[str, ...]], None]) -> None:
        session = self._project.session
        if session is not None:
            self._services.background.run(partial(note_on_disk.notes_with_drafts, session), on_result, group=_FINDING)

    def _list(self, paths: tuple[str, ...]) -> None:
        self._show(paths)
        from brvtui.app.editing.questions import DraftsDialog

        self._services.push_screen(DraftsDialog(paths), lambda path: self._edit(path) if path else None)

    def _report(self, paths: tuple[str, ...]) -> None:
        self._show(paths)
        if not paths:
            return
        named = ", ".join(paths[:_NAMED])
        rest = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        does = "shows it" if len(paths) == 1 else "lists them"
        message = f"{plural(len(paths), 'draft')} of unsaved text: {named}{rest}; {self._key} {does}"
        self._services.notify(message, severity="warning", timeout=12)


class OpenDraft:
    """The draft of the open note."""

    def __init__(self, screen: FrameScreen, note: OpenNote, drafts: Drafts) -> None:
        self._screen = screen
        self._note = note
        self._drafts = drafts
        self._written: bytes | None = None
        """The bytes of the draft on disk; None if there is no draft."""
        self._timer: Timer | None = None

    def write_soon(self) -> None:
        """Writes the text as a draft after a delay, unless the draft is up to date."""
        if self._timer is None and self._note.data != self._written:
            self._timer = self._screen.set_timer(DRAFT_S, self.write)

    def write(self) -> None:
        """Writes the text as a draft immediately."""
        self._stop_timer()
        disk = self._note.disk
        if disk is not None:
            self._written = self._note.data
            self._drafts.write(DraftRequest(disk.path, self._written, disk.version))

    def move_from(self, before: str) -> None:
        """Writes the draft for the note's new path and removes the draft for the path ``before``."""
        self.write()
        self._drafts.write(DraftRequest(before, None))

    def drop(self) -> None:
        """Removes the draft."""
        self._stop_timer()
        disk = self._note.disk
        if disk is not None and self._written is not None:
            self._drafts.write(DraftRequest(disk.path, None))
            self._written = None

    def forget(self) -> None:
        """Forgets the draft but leaves it on disk, because the editor switches to another note."""
        self._stop_timer()
        self._written = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
