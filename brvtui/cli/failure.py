"""Exit codes, the exception that carries one, and checks that commands make before they open anything."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import click

from brvtui import faults
from brvtui.faults import BAD_USAGE, FAILED, NEGATIVE, NOT_THERE, OK

__all__ = ["BAD_USAGE", "FAILED", "NEGATIVE", "NOT_THERE", "OK"]


class Failure(click.ClickException):
    """An error with its exit code. The message is one line."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


class ErrorsReported:
    """A context manager that turns an error that is meant for the user into a :class:`Failure`."""

    def __enter__(self) -> None:
        """Does nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Raises :class:`Failure` if the error has an exit code."""
        code = faults.exit_code_of(error) if error is not None else None
        if code is not None:
            raise Failure(str(error), code) from error


PROJECT_OR_REPO = "use either a project or --repo"
NO_PROJECT = "no such file or folder; choose a project's folder or a saved trace"
_DRIVER = "TEXTUAL_DRIVER"
"""An environment variable set by textual-serve. The app then communicates with a browser over pipes."""


def is_there(path: Path) -> bool:
    """True if ``path``, as the user wrote it, exists, or if its existence cannot be checked."""
    try:
        return path.expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return True


def check_terminal(project: Path | None = None, instead: str = "brv-tui query, explain or replay") -> None:
    """Raises :class:`Failure` if ``project`` does not exist, or if the app has no terminal.

    ``instead`` names commands that need no terminal. Raises nothing if the app is served to a browser, where it needs
    no terminal and shows the problem itself.
    """
    if os.environ.get(_DRIVER, "").startswith("textual.drivers.web_driver:"):
        return
    if project is not None and not is_there(project):
        raise Failure(f"{project}: {NO_PROJECT}", NOT_THERE)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure(f"the app needs a terminal; without one, use {instead}", BAD_USAGE)


def check_engine(name: str, repository: Path | None) -> None:
    """Raises :class:`Failure` if the engine is not installed, or if it reads only notes but ``repository`` is given."""
    from brvtui.engines import registry
    from brvtui.tree.reading.kinds import CODE

    if name and (why := registry.why_unknown(name)):
        raise Failure(why, BAD_USAGE)
    if repository is not None and name not in ("", CODE.engine):
        raise Failure(f"over code, only {CODE.engine} answers: leave out --engine", BAD_USAGE)


def check_trace(project: Path | None, **options: object) -> None:
    """Raises :class:`Failure` for a file other than a saved trace, and for a saved trace combined with ``options``."""
    from brvtui.saved import ENDING, is_saved

    with suppress(OSError, RuntimeError, ValueError):  # a file that cannot be checked is refused when it is opened
        if project is not None and project.expanduser().is_file() and not is_saved(project):
            raise Failure(f"{project}: neither a project's folder nor a saved trace ({ENDING})", NOT_THERE)

    option = next((name for name, value in options.items() if value not in (None, "")), None)
    if option and project is not None and is_saved(project):
        raise Failure(f"{project} is a saved trace, whose answer cannot change: leave out --{option}", BAD_USAGE)


def no_folder(repo: Path) -> Failure:
    """The failure to report if there is no repository at ``repo``."""
    return Failure(f"{repo}: no such folder; choose one with --repo", NOT_THERE)
