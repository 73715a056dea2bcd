"""Stores the answers to a tree's judged queries, with one file (and checksum) for each state in which the queries ran.

The files only save time: a damaged or unreadable file is treated as missing.
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
"""The size limits of a file in bytes, compressed and uncompressed. Longer data is cut and is then not valid JSON."""
_GZIP = 31
_MOST_FILES, _MOST_BYTES = 32, 1 << 26
"""The limits on the number and total size of a tree's files. Beyond these limits, the oldest files are removed."""
_FAST = 1
_BROKEN = (OSError, EOFError, ValueError, RecursionError, zlib.error)


class KeptAnswers:
    """One tree's stored answers, in the tool's cache folder. Creates nothing before the first write."""

    def __init__(self, tree: Path) -> None:
        """Manages the answers for ``tree``. The folder need not exist."""
        self.folder = tree_cache(tree) / FOLDER

    def read(self, name: str) -> Any:
        """Returns the value stored under ``name`` (letters and digits); None if it is missing or unusable."""
        try:
            unpacked = zlib.decompressobj(_GZIP).decompress(read_sealed(self._path(name), _LARGEST), _LARGEST_UNPACKED)
            return json.loads(unpacked)
        except _BROKEN:
            return None

    def write(self, name: str, value: Any, level: int = _FAST) -> None:
        """Stores ``value`` under ``name`` with the compression ``level`` (0 to 9), and removes old files beyond the
        limits. Raises OSError if writing fails.
        """
        data = sealed(gzip.compress(json.dumps(value, separators=(",", ":")).encode("ascii"), level, mtime=0))
        if len(data) <= _LARGEST:
            writing.write(self._path(name), data)
        self._bound()

    def bytes(self) -> int:
        """Returns the total size of the stored answers in bytes."""
        return sum(size for _, size, _ in self._files())

    def clear(self) -> int:
        """Removes all stored answers and returns their size in bytes. Raises OSError if they cannot be removed."""
        size = self.bytes()
        if self.folder.exists():
            writing.remove_folder(self.folder)
        return size

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json.gz"

    def _files(self) -> list[tuple[int, int, Path]]:
        """Returns the modification time, size and path of each file, newest first."""
        files = []
        with suppress(OSError):
            for path in self.folder.glob("*.json.gz"):
                with suppress(OSError):
                    found = path.lstat()
                    files.append((found.st_mtime_ns, found.st_size, path))
        return sorted(files, reverse=True)

    def _bound(self) -> None:
        total = 0
        for number, (_, size, path) in enumerate(self._files(), start=1):
            total += size
            if number > 1 and (number > _MOST_FILES or total > _MOST_BYTES):
                with suppress(OSError):
                    writing.remove(path)
