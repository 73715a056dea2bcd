"""Stores the parsed code of one repository on disk, so that the next process need not parse it.

The code is in one compressed file of JSON lines: a header, then one line per source file. The file is replaced in one
step. A file with any fault is treated as missing.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from brvtui import __version__
from brvtui.corpus.code.finding import FoundSource, SourceListing
from brvtui.corpus.code.index import CodeIndex, IndexedFile
from brvtui.corpus.code.memory import GraphMemory
from brvtui.corpus.code.records import CodeFile, SkippedSource
from brvtui.corpus.code.rules import CodeRules, code_rules
from brvtui.disk import writing
from brvtui.regular_files import read_regular
from brvtui.store.folders import repository_cache

_FORMAT = 5
"""The version of the stored format. It must be increased whenever the parsed data of a file changes."""
_FILE = "code.json.gz"
_FAST = 1
_LARGEST = 1 << 28
_LONGEST_LINE = 64 * 1_048_576
_BROKEN = (OSError, EOFError, ValueError, TypeError, KeyError, IndexError, zlib.error)


class KeptCode:
    """One repository's stored index, in the tool's cache folder. Creates nothing before the first write."""

    def __init__(self, root: Path, rules: CodeRules | None = None) -> None:
        """Manages the index of the repository at ``root``, parsed with ``rules``. The file need not exist."""
        self._root, self._rules = root, rules or code_rules()
        self.path = repository_cache(root) / _FILE

    def read(self) -> CodeIndex | None:
        """Returns the stored index; None if it is missing, unusable, or made by another version or with other rules."""
        try:
            with gzip.open(io.BytesIO(read_regular(self.path, _LARGEST))) as lines:
                header = json.loads(lines.readline(_LONGEST_LINE))
                if header["made"] != self._made():
                    return None
                repository = str(header["repository"])
                files = {one.found.path: one for one in _files(iter(lambda: lines.readline(_LONGEST_LINE), b""))}
        except _BROKEN:
            return None
        if len(files) != header["files"]:
            return None
        memory = GraphMemory(repository, self._rules)
        return CodeIndex(repository, files, SourceListing((), ()), self._rules, memory)

    def write(self, index: CodeIndex) -> None:
        """Replaces the stored index with ``index``. On OSError, the previous one remains."""
        header = {"made": self._made(), "repository": index.repository, "files": len(index.files)}
        with (
            writing.replacing(self.path, durable=False) as file,
            gzip.GzipFile("", "wb", _FAST, file, mtime=0) as packed,
        ):
            packed.write(_line(header))
            for one in index.files.values():
                skipped = one.skipped.reason if one.skipped else None
                packed.write(_line([astuple(one.found), one.digest, skipped, one.file and one.file.plain()]))

    def bytes(self) -> int:
        """Returns the size of the stored index in bytes."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def clear(self) -> int:
        """Removes the index and returns its size in bytes. Raises OSError if it cannot be removed."""
        size = self.bytes()
        writing.remove(self.path)
        return size

    def _made(self) -> list[Any]:
        """The format version, path and rules of the index. If any of them differs, the stored index is not used."""
        rules = hashlib.sha256(repr(self._rules).encode()).hexdigest()
        return [_FORMAT, __version__, os.fsencode(self._root.resolve()).hex(), rules]


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _files(lines: Iterable[bytes]) -> Iterator[IndexedFile]:
    for line in lines:
        (path, *state), digest, skipped, file = json.loads(line)
        found = FoundSource(str(path), *map(int, state))
        reason = None if skipped is None else SkippedSource(found.path, str(skipped))
        yield IndexedFile(found, CodeFile.from_plain(file) if file else None, reason, str(digest))
