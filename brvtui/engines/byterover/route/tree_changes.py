"""Changes of the tree since an answer was cached, which make it stale."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from brvtui.snapshot import Snapshot
from brvtui.trace.routing import TreeChanges
from brvtui.tree.reading.files import TreeFile
from brvtui.tree.reading.fingerprint import is_covered

_REMEMBERED = 8
"""Trees that a later one can be compared with."""


class SeenTrees:
    """The most recent trees that answers were made from, by fingerprint. Thread-safe."""

    def __init__(self) -> None:
        """Starts without a tree."""
        self._files: OrderedDict[str, Sequence[TreeFile]] = OrderedDict()
        self._compared: dict[tuple[str, str], TreeChanges] = {}
        self._newest = ""
        self._changed_ms: float | None = None
        self._lock = threading.Lock()

    def see(self, snapshot: Snapshot) -> None:
        """Remembers the tree of ``snapshot``, the newest."""
        with self._lock:
            current = snapshot.fingerprint
            if current == self._newest:
                return
            if self._newest:
                self._changed_ms = snapshot.loaded_ms
            self._newest = current
            with_derived = snapshot.limits.fingerprint_derived
            self._files[current] = [file for file in snapshot.files if is_covered(file.role, with_derived)]
            self._files.move_to_end(current)
            self._compared.clear()
            while len(self._files) > _REMEMBERED:
                self._files.popitem(last=False)

    def since(self, fingerprint: str) -> TreeChanges | None:
        """The differences of the newest tree from the one with ``fingerprint``; None if that is equal or forgotten."""
        with self._lock:
            pair = (fingerprint, self._newest)
            if fingerprint not in self._files or fingerprint == self._newest:
                return None
            if pair not in self._compared:
                self._compared[pair] = changes_between(self._files[fingerprint], self._files[self._newest])
            return self._compared[pair]

    def index_left_s(self, now_ms: float, index_seconds: float) -> float:
        """How long an index that is looked after every ``index_seconds`` may still be older than the newest tree."""
        if self._changed_ms is None or now_ms < self._changed_ms:
            return 0.0
        return max(0.0, index_seconds - (now_ms - self._changed_ms) / 1000)


def changes_between(before: Sequence[TreeFile], now: Sequence[TreeFile]) -> TreeChanges:
    """The differences of two lists of files: a file has changed if its modification time has, in ms."""
    old, new = ({file.path: file.mtime_ms for file in files} for files in (before, now))
    return TreeChanges(
        tuple(sorted(path for path, mtime in new.items() if path in old and old[path] != mtime)),
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(old.keys() - new.keys())),
    )
