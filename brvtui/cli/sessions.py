"""The session of a command: its project, and the settings for opening it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from brvtui.cli.failure import BAD_USAGE, FAILED, ErrorsReported, Failure, check_engine
from brvtui.cli.output import ASCII, say_note
from brvtui.garbage import garbage_collector_paused

if TYPE_CHECKING:
    from brvtui.session import Session


class ProjectRequest(NamedTuple):
    """The options of a command that opens a project: the project itself, and its engine's settings."""

    project: Path | None = None
    profile: str | None = None
    now: float | None = None
    signals: Path | None = None
    engine: str = ""
    repo: Path | None = None
    space: str = ""
    root: Path | None = None
    scope: str = ""
    options: Mapping[str, Any] = MappingProxyType({})

    def find(self) -> Session:
        """A session, not yet loaded, of the project, code in ``repo`` or a named space. Raises :class:`Failure`.

        Prints a note if a pointer leads to another project.
        """
        from brvtui.session import Session
        from brvtui.tree.reading.project import WORKTREE_OF

        if self.repo is not None and self.project is not None:
            raise Failure("use either --project or --repo", BAD_USAGE)
        check_engine(self.engine, self.repo)
        named = None
        if self.space or self.root is not None:
            if self.repo is not None:
                raise Failure("use either a space or --repo", BAD_USAGE)
            from brvtui.tree.spaces.project import NamedSpace

            named = NamedSpace(self.space, self.root)
        with ErrorsReported():
            start = (self.project, self.profile, self.now, self.signals)
            session = Session.open(*start, engine=self.engine, repository=self.repo, space=named)
        if context := click.get_current_context(silent=True):
            context.meta[ASCII] = session.settings.ascii
        for notice in session.project.notices:
            if notice.startswith(WORKTREE_OF):
                say_note(notice)
        return session

    def open(self) -> Session:
        """The loaded session of the project. Raises :class:`Failure`."""
        with garbage_collector_paused():
            session = self.find()
            from brvtui.tree.reading.project import ProjectError

            try:
                session.load()
            except ProjectError as error:
                raise Failure(str(error), FAILED) from error
        click.get_current_context().call_on_close(lambda: _keep(session))
        return session

    def open_noting_scope(self) -> Session:
        """Same as :meth:`open`, but prints a note if the scope matches nothing. For answers that would not say so."""
        session = self.open()
        if message := no_scope(session, self.scope, "check --scope"):
            say_note(message)
        return session


def no_scope(session: Session, scope: str, remedy: str) -> str:
    """A message with ``remedy`` if the tree has neither a folder nor a note called ``scope``; otherwise empty."""
    wanted = scope.strip().rstrip("/")
    starts = (f"{wanted}/", f"{wanted}.")
    if not wanted or any(f"{path}/".startswith(starts) for path in session.snapshot.by_path):
        return ""
    return f"the tree has no folder or note {wanted}; {remedy}"


def find_session(project: Path | None, repository: Path | None = None) -> Session:
    """The session of the project, or of the code in ``repository``; see :meth:`ProjectRequest.find`."""
    return ProjectRequest(project, repo=repository).find()


def note_ambiguous(folder: Path, *revisions: str, is_gated: bool = False) -> None:
    """Prints a note for each of ``revisions`` that is ambiguous in the git repository at ``folder``. Raises
    :class:`Failure` instead if ``is_gated``.
    """
    from brvtui.tree.history.git import git
    from brvtui.tree.history.revision import revision_warning

    for name in revisions:
        if warning := revision_warning(functools.partial(git, folder), name):
            if is_gated:
                raise Failure(warning, BAD_USAGE)
            say_note(warning)


def project_request(command: Callable[..., int]) -> Callable[..., int]:
    """Passes the options that are fields of :class:`ProjectRequest` to ``command`` as one object."""

    @functools.wraps(command)
    def collected(**values: Any) -> int:
        request = ProjectRequest(**{name: values.pop(name) for name in ProjectRequest._fields if name in values})
        return command(request=request, **values)

    return collected


def _keep(session: Session) -> None:
    """Stores the index and closes the session. A failure to store the index is ignored."""
    with suppress(OSError):
        session.keep()
    session.close()
