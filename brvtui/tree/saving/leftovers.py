"""Names of files that a save makes for a moment, and what is done with those that a killed process left.

The names begin with a dot and do not end in ``.md``, so neither engine sees them. ``….part`` is being written.
``….whole`` is ready, or holds what a note was until a moment ago; its name says which texts may be thrown away, by
the start of their SHA-256: any other text is somebody else's and is kept.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from brvtui.tree.reading.regular import read_regular
from brvtui.tree.saving.seen import digest

OLD_SECONDS = 600
"""A save takes milliseconds; what is older was left by a process that is gone."""
_PREFIX = ".brv-tui-"
_DIGITS = 32
_NAME = re.compile(rf"\.brv-tui-(\d+)-[0-9a-f]{{8}}((?:-[0-9a-f]{{{_DIGITS}}})*)\.(part|whole)")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What became of leftovers, by their paths below the tree: thrown away, or ``kept`` as somebody else's text."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


def part_name() -> str:
    """A new name for a file that is being written."""
    return f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}.part"


def whole_name(*sha256: str) -> str:
    """A new name for a file that may be thrown away while it holds one of these texts."""
    known = "".join(f"-{of_text[:_DIGITS]}" for of_text in sha256)
    return f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}{known}.whole"


def is_leftover(name: str) -> bool:
    """Whether a file of this name was made by a save."""
    return name.startswith(_PREFIX) and _NAME.fullmatch(name) is not None


def clean(tree: Path, now_s: float) -> Cleaned:
    """Throws away what killed processes left below ``tree``: old, of no living process, of a text that is known.

    ``now_s`` is the time of the system's clock in seconds. Folders behind symlinks are not entered; what cannot be
    read or removed stays, nothing is raised.
    """
    removed: list[str] = []
    kept: list[str] = []
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if is_leftover(name):
                file = Path(folder, name)
                path = file.relative_to(tree).as_posix()
                try:
                    _sort_out(file, path, now_s, removed, kept)
                except OSError:
                    continue
    return Cleaned(tuple(sorted(removed)), tuple(sorted(kept)))


def _sort_out(file: Path, path: str, now_s: float, removed: list[str], kept: list[str]) -> None:
    found = _NAME.fullmatch(file.name)
    assert found is not None
    # The time of the last change of the inode: renames set it, and nobody can set it back.
    if now_s - file.lstat().st_ctime < OLD_SECONDS or is_running(int(found[1])):
        return
    if found[3] == "whole" and digest(read_regular(file))[:_DIGITS] not in found[2].split("-"):
        kept.append(path)
        return
    file.unlink()
    removed.append(path)


def is_running(process: int) -> bool:
    """Whether a process of this id is running."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
