"""Drafts: texts that were typed and never saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from brvtui.app.editing import work as editing
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.paint.text import plural

_NAMED = 3
_GROUP = "draft"


class Drafts:
    """Keeps drafts, tells of those that were left, lists them."""

    def __init__(self, services: AppServices, project: Project, edit: Callable[[str], None]) -> None:
        """``edit`` opens the note of a draft that was chosen."""
        self._services = services
        self._project = project
        self._edit = edit

    def keep(self, asked: editing.DraftRequest) -> None:
        """Writes or drops a draft."""
        session = self._project.session
        if session is not None:
            self._services.background.run(partial(editing.keep_draft, session, asked), self._kept, group=_GROUP)

    def _kept(self, problem: str) -> None:
        if problem:
            self._services.notify(problem, severity="error", timeout=10)

    def tell(self) -> None:
        """Says which drafts were left, if any."""
        self._find(self._tell)

    def list_all(self) -> None:
        """Lists the drafts."""
        self._find(self._list)

    def _find(self, then: Callable[[tuple[str, ...]], None]) -> None:
        session = self._project.session
        if session is not None:
            self._services.background.run(partial(editing.drafts, session), then, group=_GROUP)

    def _list(self, paths: tuple[str, ...]) -> None:
        from brvtui.app.editing.drafts_dialog import DraftsDialog

        self._services.push_screen(DraftsDialog(paths), lambda path: self._edit(path) if path else None)

    def _tell(self, paths: tuple[str, ...]) -> None:
        if not paths:
            return
        named = ", ".join(paths[:_NAMED])
        rest = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        what = f"{plural(len(paths), 'draft')} of unsaved text: {named}{rest}; D lists them"
        self._services.notify(what, severity="warning", timeout=12)
