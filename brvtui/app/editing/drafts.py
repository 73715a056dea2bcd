"""Drafts: texts that were typed and never saved."""

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
"""The draft of the open note is written so many seconds after the first key that it lacks."""
_NAMED = 3
_GROUP = "draft"
_FINDING = "find drafts"


class Drafts:
    """Writes drafts, and reports and lists those that were left behind."""

    def __init__(self, services: AppServices, project: Project, edit: Callable[[str], None]) -> None:
        """``edit`` opens the note whose draft was chosen from the list."""
        self._services = services
        self._project = project
        self._edit = edit
        self._requests: dict[str, Newest[tuple[Session, DraftRequest]]] = {}
        """By the path of the note, while drafts of it are written."""

    @property
    def is_busy(self) -> bool:
        """Whether a draft is being written or removed."""
        return bool(self._requests)

    def write(self, request: DraftRequest) -> None:
        """Writes or removes a draft, after what is under way for the same note; of what waits for it, only the last.

        Other notes are not waited for.
        """
        session = self._project.session
        if session is None:
            return
        waiting = self._requests.setdefault(request.path, Newest(self._begin))
        waiting.want((session, request))

    def _begin(self, asked: tuple[Session, DraftRequest]) -> None:
        session, request = asked
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
        """Says in a toast which drafts were left behind, if any; the status line says it until there are none."""
        self._find(self._report)

    def go_to_left(self) -> None:
        """Opens the note whose draft was left behind; lists them when there are several, or none."""
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
        what = f"{plural(len(paths), 'draft')} of unsaved text: {named}{rest}; {self._key} {does}"
        self._services.notify(what, severity="warning", timeout=12)


class OpenDraft:
    """The draft of the note that is open in the editor."""

    def __init__(self, screen: FrameScreen, note: OpenNote, drafts: Drafts) -> None:
        """There is none."""
        self._screen = screen
        self._note = note
        self._drafts = drafts
        self._written: bytes | None = None
        """The text of the draft."""
        self._timer: Timer | None = None

    def write_soon(self) -> None:
        """Writes the text before long, unless the draft has it."""
        if self._timer is None and self._note.data != self._written:
            self._timer = self._screen.set_timer(DRAFT_S, self.write)

    def write(self) -> None:
        """Writes the text at once."""
        self._stop_timer()
        disk = self._note.disk
        if disk is not None:
            self._written = self._note.data
            self._drafts.write(DraftRequest(disk.path, self._written, disk.version))

    def move_from(self, before: str) -> None:
        """Writes the text as the draft of the open note in place of the one at the path ``before``."""
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
        """Leaves the draft as it is; that of another note begins."""
        self._stop_timer()
        self._written = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
