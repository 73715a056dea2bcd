"""What commands refuse before they open anything."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from brvtui.cli.failure import BAD_USAGE, NOT_THERE, Failure

PROJECT_OR_REPO = "give either a project or --repo"
NO_PROJECT = "no such file or folder; name the folder of a project, or a saved trace"
_DRIVER = "TEXTUAL_DRIVER"
"""Set by textual-serve: the app then speaks to a browser, over pipes."""


def is_there(path: Path) -> bool:
    """Whether ``path``, as the user wrote it, is a file or folder, or may be one that cannot be looked at."""
    try:
        return path.expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return True


def check_terminal(project: Path | None = None, instead: str = "brv-tui query, explain or replay") -> None:
    """Raises :class:`Failure` where ``project`` is not there, or the app has no terminal; ``instead`` names the
    commands that need none.

    In a browser, which needs no terminal, it raises nothing: the app itself says what is missing.
    """
    if os.environ.get(_DRIVER, "").startswith("textual.drivers.web_driver:"):
        return
    if project is not None and not is_there(project):
        raise Failure(f"{project}: {NO_PROJECT}", NOT_THERE)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure(f"the app needs a terminal; without one, use {instead}", BAD_USAGE)


def check_engine(name: str, repository: Path | None) -> None:
    """Raises :class:`Failure` for an engine that is not installed, or one of notes over a ``repository``."""
    from brvtui.engines import registry
    from brvtui.tree.reading.kinds import CODE

    if name and (why := registry.why_unknown(name)):
        raise Failure(why, BAD_USAGE)
    if repository is not None and name not in ("", CODE.engine):
        raise Failure(f"over code, {CODE.engine} alone answers: leave out --engine", BAD_USAGE)


def check_trace(project: Path | None, **options: object) -> None:
    """Raises :class:`Failure` where ``project`` is a file that is no saved trace, or ``options`` ask for another answer
    than the one that it holds.
    """
    from brvtui.saved import ENDING, is_saved

    with suppress(OSError, RuntimeError, ValueError):  # what cannot be looked at is refused where it is opened
        if project is not None and project.expanduser().is_file() and not is_saved(project):
            raise Failure(f"{project}: neither a project's folder nor a trace saved as {ENDING}", NOT_THERE)

    given = next((name for name, value in options.items() if value not in (None, "")), None)
    if given and project is not None and is_saved(project):
        raise Failure(f"{project} is a saved trace, which keeps the answer as it was: leave out --{given}", BAD_USAGE)


def no_folder(repo: Path) -> Failure:
    """What to raise where there is no repository at ``repo``."""
    return Failure(f"{repo}: there is no such folder; name one with --repo", NOT_THERE)
