"""The session that a command asks, and the setting of letters that goes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from brvtui.cli.checks import check_engine
from brvtui.cli.failure import BAD_USAGE, ErrorsReported, Failure

_ASCII = "brvtui.ascii"
"""Where click's context keeps the setting of the open project."""


def find_session(
    project: Path | None,
    profile: str | None = None,
    now: float | None = None,
    signals: Path | None = None,
    engine: str = "",
    repository: Path | None = None,
    space: str = "",
    root: Path | None = None,
) -> Any:
    """The session of the project, of the code of ``repository``, or of a named space, before anything is read.

    Raises :class:`Failure`.
    """
    from brvtui.session import Session

    if repository is not None and project is not None:
        raise Failure("give either --project or --repo", BAD_USAGE)
    check_engine(engine, repository)
    named = None
    if space or root is not None:
        if repository is not None:
            raise Failure("give either a space or --repo", BAD_USAGE)
        from brvtui.tree.spaces.project import NamedSpace

        named = NamedSpace(space, root)
    with ErrorsReported():
        session = Session.open(project, profile, now, signals, engine=engine, repository=repository, space=named)
    if context := click.get_current_context(silent=True):
        context.meta[_ASCII] = session.settings.ascii
    return session


def letters_setting() -> str:
    """The setting ``ascii`` of the open project; where none is open, of the user."""
    context = click.get_current_context(silent=True)
    known: str = context.meta.get(_ASCII, "") if context else ""
    if known:
        return known
    from brvtui.config import configure

    return configure().settings.ascii
