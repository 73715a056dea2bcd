"""Finds changes by comparing all files with the last look, where the system sends no events."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR

from brvtui.disk.walking import walk

POLL_SECONDS = 2.0
_SHARE = 100
"""Looking takes at most this part of the time: one second in so many."""
_LONGEST_SECONDS = 30.0
_State = tuple[int, ...]


class Polling:
    """The state of everything below the targets at the last look."""

    def __init__(self, targets: Iterable[Path], least_seconds: float = POLL_SECONDS) -> None:
        """Takes a first look. Targets need not exist."""
        self._targets = [str(target) for target in targets]
        self._least = least_seconds
        self.pause = least_seconds
        """Seconds until the next look is due."""
        self._known: dict[str, _State] = {}
        self.look()

    def look(self) -> set[str]:
        """The paths that were added, removed or changed since the last look."""
        began = time.monotonic()
        found: dict[str, _State] = {}
        for target in self._targets:
            _add(target, found)
        took = time.monotonic() - began
        self.pause = max(self._least, min(_LONGEST_SECONDS, took * _SHARE))
        before, self._known = self._known, found
        return {place for place, _ in before.items() ^ found.items()}


def _add(target: str, found: dict[str, _State]) -> None:
    """Adds the state of everything below ``target`` to ``found``; that of folders without their times."""
    with suppress(OSError):
        state = Path(target).lstat()
        found[target] = (state.st_ino, state.st_mode)
        for entry, _ in walk(target, with_folders=True):
            with suppress(OSError):
                state = entry.stat(follow_symlinks=False)
                times = () if S_ISDIR(state.st_mode) else (state.st_mtime_ns, state.st_size, state.st_ctime_ns)
                found[entry.path] = (state.st_ino, state.st_mode, *times)
