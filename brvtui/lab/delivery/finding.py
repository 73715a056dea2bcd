"""Finds the transcripts of a project and reads their recalls."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from brvtui import faults
from brvtui.disk.walking import walk
from brvtui.lab.delivery.plain_log import PlainLogReader, is_plain
from brvtui.lab.delivery.transcript import TranscriptReader, rows_of
from brvtui.lab.delivery.turns import Recall

_MOST_FILES = 10_000
_ENDING = ".jsonl"
_SUBAGENT = "agent-"


class RowReader(Protocol):
    """Collects recalls from the rows of one file."""

    unknown_rows: int

    def read(self, row: bytes) -> None:
        """Reads one row."""

    def recalls(self, is_cut_off: bool = False) -> list[Recall]:
        """The recalls read so far; ``is_cut_off`` means that the file ends in the middle of a row."""


@dataclass(frozen=True, slots=True)
class FoundRecalls:
    """The recalls in the transcripts of a project, oldest first."""

    recalls: tuple[Recall, ...]
    unknown_rows: int
    notices: tuple[str, ...]


def claude_folder() -> Path:
    """The folder of Claude Code's transcripts: ``projects`` in ``$CLAUDE_CONFIG_DIR``, or else in ``~/.claude``."""
    named = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return (Path(named) if named else Path.home() / ".claude") / "projects"


def find_recalls(project: Path, folder: Path, since_ms: float) -> FoundRecalls:
    """Reads the recalls since ``since_ms`` in the transcripts below ``folder``.

    Only rows whose working folder is ``project`` or a folder in it count, and rows without one. Files last written
    before ``since_ms`` are not read. A notice names each file or folder that cannot be read.
    """
    notices: list[str] = []
    recalls: list[Recall] = []
    seen: set[int] = set()
    opened: set[str] = set()
    unknown = others = 0
    for number, (file, name) in enumerate(_files(project, folder, since_ms, notices)):
        if number == _MOST_FILES:
            notices.append(
                f"only {_MOST_FILES} transcripts in {folder} are read; choose a smaller folder, or use --since"
            )
            break
        try:
            reader, is_cut_off = _read(file, name, project, seen)
        except OSError as error:
            notices.append(f"{file}: not read: {faults.reason(error)}")
            continue
        recalls += (recall for recall in reader.recalls(is_cut_off) if recall.at_ms >= since_ms)
        unknown += reader.unknown_rows
        opened |= getattr(reader, "opened", set())
        others += getattr(reader, "other_rows", 0)
    if others and not recalls:
        notices.append(f"{folder}: the transcripts are of other projects, not of {project}")
    read = (
        replace(each, opened=(*each.opened, each.spilled_to)) if each.spilled_to in opened else each for each in recalls
    )
    return FoundRecalls(tuple(sorted(read, key=lambda recall: recall.at_ms)), unknown, tuple(notices))


def _files(project: Path, folder: Path, since_ms: float, notices: list[str]) -> Iterator[tuple[Path, str]]:
    """Yields the transcripts below ``folder``, with their names, that may belong to ``project``.

    In Claude Code's own folder, these are only the ones in folders that are named after the project.
    """
    own = re.sub(r"[^A-Za-z0-9]", "-", str(project)), str(project).replace("/", "-")
    is_claudes = folder == claude_folder()
    if not folder.is_dir():
        notices.append(f"{folder}: there is no such folder")
    for entry, path in walk(folder, lambda place, why: notices.append(f"{place}: {why}")):
        if not entry.name.endswith(_ENDING) or (is_claudes and not path.startswith(own)):
            continue
        try:
            is_recent = entry.stat(follow_symlinks=False).st_mtime * 1000 >= since_ms
        except OSError:
            continue
        if is_recent:
            yield Path(entry.path), entry.name


def _read(file: Path, name: str, project: Path, seen: set[int]) -> tuple[RowReader, bool]:
    """Returns the reader of ``file`` after its last row, and True if the file ends in the middle of a row."""
    reader: RowReader | None = None
    is_cut_off = False
    for row in rows_of(file):
        if reader is None:
            reader = _reader_for(row.data or b"", name, project, seen)
        before = reader.unknown_rows
        if row.data is None:
            reader.unknown_rows += 1
        else:
            reader.read(row.data)
        if not row.is_complete and reader.unknown_rows > before:
            reader.unknown_rows, is_cut_off = before, True
    return reader or PlainLogReader(name), is_cut_off


def _reader_for(row: bytes, name: str, project: Path, seen: set[int]) -> RowReader:
    session = name.removesuffix(_ENDING)
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        value = None
    if is_plain(value) and "type" not in value:
        return PlainLogReader(session)
    roots = {str(project), os.path.realpath(project)}

    def belongs(folder: str) -> bool:
        place = os.path.normpath(folder)
        return not folder or any(place == root or place.startswith(f"{root}/") for root in roots)

    return TranscriptReader(belongs, seen, name.startswith(_SUBAGENT))
