"""Looking at folders again and again, where the system does not tell what changes in them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

POLL_SECONDS = 2.0
_SHARE = 100
"""A look may take one in so many seconds."""
_LONGEST_SECONDS = 30.0
_State = tuple[int, ...]


class Polling:
    """What is below the targets, as last looked at."""

    def __init__(self, targets: Iterable[Path], least_seconds: float = POLL_SECONDS) -> None:
        """Looks at the targets, which need not exist, at once."""
        self._targets = [str(target) for target in targets]
        self._least = least_seconds
        self.pause = least_seconds
        """Seconds until the next look is due."""
        self._known: dict[str, _State] = {}
        self.look()

    def look(self) -> set[str]:
        """The places that changed since the last look: those that appeared, are gone, or are not what they were."""
        began = time.monotonic()
        found: dict[str, _State] = {}
        for target in self._targets:
            _add(target, found)
        took = time.monotonic() - began
        self.pause = max(self._least, min(_LONGEST_SECONDS, took * _SHARE))
        before, self._known = self._known, found
        return {place for place, _ in before.items() ^ found.items()}


def _add(target: str, found: dict[str, _State]) -> None:
    """Puts the state of all that is below ``target`` into ``found``, of folders without their times."""
    try:
        held = Path(target).lstat()
    except OSError:
        return
    found[target] = (held.st_ino, held.st_mode)
    pending = [target]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    _add_entry(entry, found, pending)
        except OSError:
            continue  # It is gone, or shut: its own state tells.


def _add_entry(entry: os.DirEntry[str], found: dict[str, _State], pending: list[str]) -> None:
    try:
        held = entry.stat(follow_symlinks=False)
        is_folder = entry.is_dir(follow_symlinks=False)
    except OSError:
        return
    if is_folder:
        found[entry.path] = (held.st_ino, held.st_mode)
        pending.append(entry.path)
    else:
        found[entry.path] = (held.st_ino, held.st_mode, held.st_mtime_ns, held.st_size, held.st_ctime_ns)
