"""The user's own editor, on a private copy of a text."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath

from textual.app import SuspendNotSupported

from brvtui import faults

_VARIABLES = ("VISUAL", "EDITOR")


class EditorError(Exception):
    """The text was not edited; the message is one line: what is wrong, what to do."""


def command(environ: Mapping[str, str] | None = None) -> list[str]:
    """The words of the first of ``$VISUAL`` and ``$EDITOR`` that is set. Raises :class:`EditorError`."""
    values = os.environ if environ is None else environ
    name = next((name for name in _VARIABLES if values.get(name, "").strip()), "")
    if not name:
        raise EditorError("no editor is set: set $VISUAL or $EDITOR, as in export EDITOR=nano; e edits here")
    try:
        return shlex.split(values[name])
    except ValueError as error:
        raise EditorError(f"${name} cannot be read as a command ({error}): mend its quotes") from error


def hand_over(path: str, data: bytes, suspended: Callable[[], AbstractContextManager[None]]) -> bytes:
    """What the user's editor makes of ``data``, the text of the note at ``path``; blocks until it is closed.

    ``suspended`` gives it the terminal. The copy has the note's name, in a folder that nobody else may enter, and is
    removed afterwards. What was written to it counts, however the editor ended. Raises :class:`EditorError`.
    """
    words = command()
    try:
        with tempfile.TemporaryDirectory(prefix="brv-tui-", ignore_cleanup_errors=True) as folder:
            copy = Path(folder) / PurePosixPath(path).name
            copy.write_bytes(data)
            with suspended():
                code = subprocess.run([*words, str(copy)], check=False).returncode
            made = copy.read_bytes()
    except SuspendNotSupported as error:
        raise EditorError("no other program can be opened in this terminal; e edits here") from error
    except OSError as error:
        raise EditorError(f"{words[0]}: {faults.reason(error)}; look at $VISUAL and $EDITOR") from error
    if code and made == data:
        raise EditorError(f"{words[0]} ended with {code} and wrote nothing; look at $VISUAL and $EDITOR")
    return made
