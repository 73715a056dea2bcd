"""Answers to judged queries that are kept of one tree, a sealed file for each state that they were asked in.

They only save time: what is damaged, or cannot be read, counts as if nothing was kept.
"""

from __future__ import annotations

import gzip
import json
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from brvtui.disk import writing
from brvtui.disk.sealing import read_sealed, sealed
from brvtui.store.folders import tree_cache

FOLDER = "answers"
_LARGEST, _LARGEST_UNPACKED = 1 << 26, 1 << 29
"""Bytes of a file. What is longer is cut, and then no JSON."""
_GZIP = 31
_MOST_FILES, _MOST_BYTES = 32, 1 << 26
"""How much is kept of a tree; beyond that, what was written longest ago goes."""
_FAST = 1
_BROKEN = (OSError, EOFError, ValueError, RecursionError, zlib.error)


class KeptAnswers:
    """The kept answers of one tree, in the tool's cache folder. Creates nothing before the first write."""

    def __init__(self, tree: Path) -> None:
        """The folder need not exist."""
        self.folder = tree_cache(tree) / FOLDER

    def read(self, name: str) -> Any:
        """The value that was kept under ``name`` (letters and digits); None when there is none that can be used."""
        try:
            unpacked = zlib.decompressobj(_GZIP).decompress(read_sealed(self._path(name), _LARGEST), _LARGEST_UNPACKED)
            return json.loads(unpacked)
        except _BROKEN:
            return None

    def write(self, name: str, value: Any) -> None:
        """Keeps ``value`` under ``name``, and removes what is too much. Raises OSError, and then nothing changed."""
        data = sealed(gzip.compress(json.dumps(value, separators=(",", ":")).encode("ascii"), _FAST, mtime=0))
        if len(data) <= _LARGEST:
            writing.write(self._path(name), data)
        self._bound()

    def bytes(self) -> int:
        """How many bytes are kept."""
        return sum(size for _, size, _ in self._files())

    def clear(self) -> int:
        """Removes everything; returns how many bytes it was. Raises OSError when it cannot be removed."""
        size = self.bytes()
        if self.folder.exists():
            writing.remove_folder(self.folder)
        return size

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json.gz"

    def _files(self) -> list[tuple[int, int, Path]]:
        """When each was written, its size, its path; the newest first."""
        made = []
        with suppress(OSError):
            for path in self.folder.glob("*.json.gz"):
                with suppress(OSError):
                    found = path.lstat()
                    made.append((found.st_mtime_ns, found.st_size, path))
        return sorted(made, reverse=True)

    def _bound(self) -> None:
        total = 0
        for number, (_, size, path) in enumerate(self._files(), start=1):
            total += size
            if number > 1 and (number > _MOST_FILES or total > _MOST_BYTES):
                with suppress(OSError):
                    writing.remove(path)
