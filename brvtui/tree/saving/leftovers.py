"""Names of the temporary files of a save, and the removal of those that a killed process left.

The names begin with a dot and do not end in ``.md``, so neither engine sees them. ``….part`` is being written.
``….whole`` is complete, or holds the note as it was before the save. Its name has the first digits of the SHA-256 of
each text that may be deleted: any other text is somebody else's and is kept.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from brvtui.regular_files import LARGEST, read_regular
from brvtui.tree.saving.file_version import digest

OLD_SECONDS = 600
"""A save takes milliseconds, so a process that is gone left what is older."""
_PREFIX = ".brv-tui-"
_DIGITS = 32
_NAME = re.compile(rf"\.brv-tui-(\d+)-[0-9a-f]{{8}}((?:-[0-9a-f]{{{_DIGITS}}})*)\.(part|whole)")


@dataclass(frozen=True, slots=True)
class RemovedLeftovers:
    """Paths of leftovers below the tree that were removed, and of those ``kept`` because they hold other text."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


def part_name() -> str:
    """A new name for a file that is being written."""
    return f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}.part"


def whole_name(*sha256: str) -> str:
    """A new name for a file that may be deleted while it holds one of these texts."""
    known = "".join(f"-{of_text[:_DIGITS]}" for of_text in sha256)
    return f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}{known}.whole"


def is_leftover(name: str) -> bool:
    """Whether a save made a file of this name."""
    return name.startswith(_PREFIX) and _NAME.fullmatch(name) is not None


def remove_leftovers(tree: Path, now_s: float) -> RemovedLeftovers:
    """Removes files that killed saves left below ``tree``: old ones of no running process, with a known text.

    ``now_s`` is the time of the system's clock in seconds. Follows no symlinks to folders, leaves what cannot be read
    or removed, and raises nothing.
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
                    _remove_if_known(file, path, now_s, removed, kept)
                except OSError:
                    continue
    return RemovedLeftovers(tuple(sorted(removed)), tuple(sorted(kept)))


def _remove_if_known(file: Path, path: str, now_s: float, removed: list[str], kept: list[str]) -> None:
    found = _NAME.fullmatch(file.name)
    assert found is not None
    # A rename sets the time of the last change of the inode, and nobody can set it back.
    if now_s - file.lstat().st_ctime < OLD_SECONDS or is_running(int(found[1])):
        return
    if found[3] == "whole" and digest(read_regular(file, LARGEST))[:_DIGITS] not in found[2].split("-"):
        kept.append(path)
        return
    file.unlink()
    removed.append(path)


def is_running(process: int) -> bool:
    """Whether a process with this id is running."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
