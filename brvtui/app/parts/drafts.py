"""Drafts: texts that were typed and never saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from brvtui.app import messages
from brvtui.app.editing import news
from brvtui.app.editing import work as editing
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Notifies, OpensDialogs, Posts
from brvtui.app.parts.threads import Job, Threads
from brvtui.paint.text import plural

if TYPE_CHECKING:
    from brvtui.session import Session

_NAMED = 3
_DRAFT = Job("draft")


class Host(Notifies, OpensDialogs, Posts, Protocol):
    """What drafts need of the app."""


class Drafts:
    """Keeps drafts, tells of those that were left, lists them."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: HasSession,
        edit: Callable[[str], None],
    ) -> None:
        """``edit`` opens the note of a draft that was chosen."""
        self._host = host
        self._threads = threads
        self._project = project
        self._edit = edit
        self._told = False
        hearing.hear(messages.Loaded, self._tree_loaded)
        hearing.hear(news.DraftsFound, self._found)

    def keep(self, asked: editing.DraftRequest) -> None:
        """Writes or drops a draft."""
        if self._project.session is not None:
            self._threads.start(_DRAFT, self._keep, asked)

    def list_all(self) -> None:
        """Lists the drafts."""
        self._find(asked=True)

    def _tree_loaded(self, _: messages.Loaded) -> None:
        if not self._told and self._project.session is not None:
            self._told = True
            self._find(asked=False)

    def _found(self, event: news.DraftsFound) -> None:
        if event.asked:
            from brvtui.app.screens.drafts import DraftsDialog

            self._host.push_screen(DraftsDialog(event.paths), lambda path: self._edit(path) if path else None)
            return
        if not event.paths:
            return
        named = ", ".join(event.paths[:_NAMED])
        rest = f" and {len(event.paths) - _NAMED} more" if len(event.paths) > _NAMED else ""
        what = f"{plural(len(event.paths), 'draft')} of unsaved text: {named}{rest}; D lists them"
        self._host.notify(what, severity="warning", timeout=12)

    def _find(self, asked: bool) -> None:
        session = self._project.session
        if session is not None:
            self._threads.start(_DRAFT, self._look, session, asked)

    def _look(self, session: Session, asked: bool) -> None:
        """In a thread."""
        self._host.post_message(news.DraftsFound(editing.drafts(session), asked))

    def _keep(self, asked: editing.DraftRequest) -> None:
        """In a thread."""
        session = self._project.session
        problem = editing.keep_draft(session, asked) if session is not None else ""
        if problem:
            self._host.notify(problem, severity="error", timeout=10)
