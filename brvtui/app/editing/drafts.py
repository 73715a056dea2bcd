"""Drafts: texts that were typed and never saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from brvtui.app.editing import note_io
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.paint.text import plural

_NAMED = 3
_GROUP = "draft"


class Drafts:
    """Writes drafts, and reports and lists those that were left behind."""

    def __init__(self, services: AppServices, project: Project, edit: Callable[[str], None]) -> None:
        """``edit`` opens the note whose draft was chosen from the list."""
        self._services = services
        self._project = project
        self._edit = edit

    def write(self, request: note_io.DraftRequest) -> None:
        """Writes or removes a draft."""
        session = self._project.session
        if session is not None:
            self._services.background.run(partial(note_io.write_draft, session, request), group=_GROUP)

    def report(self) -> None:
        """Says in a toast which drafts were left behind, if any."""
        self._find(self._report)

    def list_all(self) -> None:
        """Lists the drafts in a dialog."""
        self._find(self._list)

    def _find(self, on_result: Callable[[tuple[str, ...]], None]) -> None:
        session = self._project.session
        if session is not None:
            self._services.background.run(partial(note_io.notes_with_drafts, session), on_result, group=_GROUP)

    def _list(self, paths: tuple[str, ...]) -> None:
        from brvtui.app.editing.list_dialogs import DraftsDialog

        self._services.push_screen(DraftsDialog(paths), lambda path: self._edit(path) if path else None)

    def _report(self, paths: tuple[str, ...]) -> None:
        if not paths:
            return
        named = ", ".join(paths[:_NAMED])
        rest = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        what = f"{plural(len(paths), 'draft')} of unsaved text: {named}{rest}; D lists them"
        self._services.notify(what, severity="warning", timeout=12)
