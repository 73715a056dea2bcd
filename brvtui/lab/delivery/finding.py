"""Finds the transcripts of a project and reads their recalls."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.disk.walking import leads_to_folder, walk
from brvtui.lab.delivery.plain_log import PlainLogReader, is_plain
from brvtui.lab.delivery.rows import RowReader, TranscriptBudget, parsed, rows_of
from brvtui.lab.delivery.transcript import TYPES, TranscriptReader
from brvtui.lab.delivery.turns import Recall
from brvtui.regular_files import open_regular
from brvtui.wording import counted

_MOST_FILES = 10_000
_MOST_BYTES = 4 * 10**9
_ENDING = ".jsonl"
_TAIL = 1_024
_SUBAGENT = "agent-"


@dataclass(frozen=True, slots=True)
class FoundRecalls:
    """The recalls in the transcripts of a project, oldest first."""

    recalls: tuple[Recall, ...]
    unknown_rows: int
    notices: tuple[str, ...]
    is_cut_off: bool
    """True if a file ends in the middle of a row."""


@dataclass(slots=True)
class _OpenFile:
    """A transcript that was read up to byte ``end``."""

    inode: int
    reader: RowReader | None = None
    """The reader that suits the first row that is a JSON object; None before that row."""
    end: int = 0
    is_cut_off: bool = False
    tail: bytes = b""
    """The last bytes before ``end``."""

    def grew_to(self, path: str, state: os.stat_result | None) -> bool:
        """True if ``path``, now with this ``state``, is still the same file, possibly with new rows; False if it is
        missing.
        """
        if state is None or state.st_ino != self.inode or state.st_size < self.end:
            return False
        return state.st_size == self.end or _bytes_before(path, self.end) == self.tail


def claude_folder() -> Path:
    """The folder of Claude Code's transcripts: ``projects`` in ``$CLAUDE_CONFIG_DIR``, or else in ``~/.claude``."""
    named = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return (Path(named) if named else Path.home() / ".claude") / "projects"


class Transcripts:
    """The transcripts of a project below a folder. After the first reading, only new rows are read."""

    def __init__(self, project: Path, folder: Path, since_ms: float = 0.0, reads_all: bool = False) -> None:
        """Counts only rows whose working folder is ``project`` or inside it, and rows that name no working folder.
        Leaves out recalls before ``since_ms``. Unless ``reads_all`` is set, skips files last written before
        ``since_ms`` and, in Claude Code's own folder, all folders that are not named after the project, a folder in it,
        or a folder above it.
        """
        self.folder = folder
        self._project = project
        self._since_ms = since_ms
        self._reads_all = reads_all
        self._sizes: dict[str, int] = {}
        self._forget()

    def read(self) -> FoundRecalls:
        """Returns the recalls so far. A notice names each file or folder that cannot be read."""
        notices: list[str] = []
        found = list(islice(self._found(notices), _MOST_FILES + 1))
        if len(found) > _MOST_FILES:
            notices.append(f"only {_MOST_FILES} transcripts in {self.folder} are read; narrow the period with --since")
        found = found[:_MOST_FILES]
        states = dict(found)
        self._sizes = {path: state.st_size for path, state in found}
        if any(not file.grew_to(path, states.get(path)) for path, file in self._files.items()):
            self._forget()
        read, left = [], _MOST_BYTES
        for path, state in found:
            size = state.st_size - (known.end if (known := self._files.get(path)) else 0)
            try:
                if size > left:
                    raise OSError(f"the transcripts are larger than {_MOST_BYTES // 10**9} GB; use --since")
                left -= size
                read.append(self._read(Path(path), state.st_ino))
            except OSError as error:
                notices.append(f"{path}: not read: {faults.reason(error)}")
        if self._budget.is_spent:
            notices.append("the transcripts contain too many turns or too much text; use --since to read fewer")
        if self._budget.unreadable:
            rows = counted(self._budget.unreadable, "row", "rows")
            notices.append(f"{rows} not read: too long, not JSON, or of an unknown kind of hook")
        return self._recalls(read, notices)

    def _forget(self) -> None:
        self._files: dict[str, _OpenFile] = {}
        self._seen: dict[int, int] = {}
        self._budget = TranscriptBudget()
        self._lost: RowReader = PlainLogReader("", self._budget)
        """Counts the rows before the first JSON object of each file."""

    def has_grown(self) -> bool:
        """True if a transcript was added, removed or written since the last reading."""
        found = islice(self._found([]), _MOST_FILES)
        return {path: state.st_size for path, state in found} != self._sizes

    def _recalls(self, files: Sequence[_OpenFile], notices: list[str]) -> FoundRecalls:
        readers = [each.reader for each in files if each.reader is not None]
        recalls = [
            recall
            for each in files
            if each.reader is not None
            for recall in each.reader.recalls(each.is_cut_off)
            if recall.at_ms >= self._since_ms or not recall.at_ms  # without a time, it may be new
        ]
        if not recalls and any(reader.other_rows for reader in readers):
            notices.append(f"{self.folder}: the transcripts belong to other projects, not to {self._project}")
        opened = set[str]().union(*(reader.opened for reader in readers))
        ordered = sorted(
            (
                replace(each, opened=(*each.opened, each.spilled_to)) if each.spilled_to in opened else each
                for each in recalls
            ),
            key=lambda recall: recall.at_ms,
        )
        unknown = sum(each.unknown_rows for each in [*readers, self._lost])
        return FoundRecalls(tuple(ordered), unknown, tuple(notices), any(each.is_cut_off for each in files))

    def _found(self, notices: list[str]) -> Iterator[tuple[str, os.stat_result]]:
        """Yields the paths and states of the transcripts that may belong to the project."""
        names = tuple(_slugs(self._project))
        above = {slug for folder in self._project.parents for slug in _slugs(folder)}
        is_claudes = self.folder == claude_folder().resolve() and not self._reads_all
        if not self.folder.is_dir():
            notices.append(f"{self.folder}: there is no such folder")

        def may_belong(_: os.DirEntry[str], path: str) -> bool:
            return not is_claudes or path.startswith(names) or path.partition("/")[0] in above

        for entry, path in walk(self.folder, lambda place, why: notices.append(f"{place}: {why}"), may_belong):
            if not may_belong(entry, path):
                continue
            if not entry.name.endswith(_ENDING):
                if entry.is_symlink() and leads_to_folder(entry):
                    notices.append(f"{entry.path}: links to folders are not followed")
                continue
            try:
                state = entry.stat(follow_symlinks=False)
            except OSError as error:
                notices.append(f"{entry.path}: not read: {faults.reason(error)}")
                continue
            if self._reads_all or state.st_mtime * 1000 >= self._since_ms:
                yield entry.path, state

    def _read(self, file: Path, inode: int) -> _OpenFile:
        """Reads the rows that were added to ``file``."""
        known = self._files.setdefault(str(file), _OpenFile(inode))
        known.is_cut_off = False
        for row in rows_of(file, known.end):
            value = parsed(row.data or b"") if known.reader is None else None
            if isinstance(value, dict) and (is_plain(value) or value.get("type") in TYPES):
                known.reader = self._reader_for(value, file.name)
            reader = known.reader or self._lost
            before = reader.unknown_rows, self._budget.unreadable
            if known.reader is None and isinstance(value, dict) and isinstance(value.get("type"), str):
                reader.unknown_rows += 1
            elif row.data is None or known.reader is None:
                reader.miss()
            else:
                reader.read(row.data)
            known.is_cut_off = not row.is_complete and self._budget.unreadable > before[1]
            if known.is_cut_off:
                reader.unknown_rows, self._budget.unreadable = before  # the row is read again when it is complete
            else:
                known.end = row.end
        known.tail = _bytes_before(str(file), known.end)
        return known

    def _reader_for(self, row: dict[str, Any], name: str) -> RowReader:
        if is_plain(row):
            return PlainLogReader(name.removesuffix(_ENDING), self._budget)
        roots = {str(self._project), os.path.realpath(self._project)}

        @lru_cache(maxsize=1_000)
        def belongs(folder: str) -> bool:
            place = os.path.normpath(folder)
            return not folder or any(place == root or place.startswith(f"{root}/") for root in roots)

        return TranscriptReader(belongs, self._seen, self._budget, name.startswith(_SUBAGENT))


def _bytes_before(path: str, end: int) -> bytes:
    """The last bytes of the file at ``path`` before byte ``end``; empty if it cannot be read."""
    try:
        descriptor = open_regular(path)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, min(end, _TAIL), max(end - _TAIL, 0))
    finally:
        os.close(descriptor)


def _slugs(folder: Path) -> tuple[str, str]:
    """The names of Claude Code's folder for sessions that began in ``folder``: the present form and an older one."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(folder)), str(folder).replace("/", "-")
