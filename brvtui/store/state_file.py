"""Stores the tool's own state in JSON files with checksums.

A damaged file is treated as missing, but is never removed.
"""

from __future__ import annotations

import json
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from brvtui.disk import writing
from brvtui.disk.sealing import is_sealed, sealed, unsealed
from brvtui.regular_files import LARGEST, MISSING, read_regular

_BROKEN = ".broken"


class StateFile:
    """A file that stores one value. It implements :class:`brvtui.services.provided.KeptState`."""

    def __init__(self, path: Path) -> None:
        """Manages the file at ``path``, which need not exist."""
        self._path = path

    def read(self) -> Any:
        """Returns the value; None if the file is missing, damaged or unreadable."""
        return read_state_or_none(self._path)

    def write(self, value: Any) -> None:
        """Replaces the value. Raises OSError."""
        write_state(self._path, value)


def read_state(path: Path) -> Any:
    """Returns the value in the file at ``path``. Raises OSError, and ValueError if the file is damaged or not JSON.

    Files from earlier versions, which have no checksum, are accepted.
    """
    data = read_regular(path, LARGEST)
    try:
        return json.loads((unsealed(data) if is_sealed(data) else data).decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_state_or_none(path: Path) -> Any:
    """Returns the value in the file at ``path``; None if it is missing, damaged or unreadable."""
    try:
        return read_state(path)
    except (OSError, ValueError):
        return None


def write_state(path: Path, value: Any) -> None:
    """Replaces the file at ``path``. Raises OSError.

    If the existing file is damaged, or its value has another type, renames it instead of overwriting it.
    """
    set_aside_if_damaged(path, type(value))
    writing.write(path, sealed(json.dumps(value, indent=1).encode("utf-8")))


def set_aside_if_damaged(path: Path, kind: type = object) -> None:
    """Renames the file at ``path`` if it is damaged, unreadable, or contains a type other than ``kind``.

    Raises OSError if it cannot be renamed.
    """
    try:
        is_damaged = not isinstance(read_state(path), kind)
    except MISSING:
        return
    except (OSError, ValueError):
        is_damaged = True
    with suppress(*MISSING):  # another process has already renamed it
        if is_damaged and stat.S_ISREG(path.lstat().st_mode):
            writing.rename(path, path.with_name(f"{path.name}.{secrets.token_hex(4)}{_BROKEN}"))


def set_aside(folder: Path) -> list[Path]:
    """Returns the files in ``folder`` that were renamed because they were damaged. Raises no errors."""
    with suppress(OSError):
        return sorted(folder.glob(f"*.json.*{_BROKEN}"))
    return []
