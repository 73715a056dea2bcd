"""Reads ByteRover's log of curations: the changes that it made to notes, and the state of their reviews."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from brvtui.tree.reading.json_file import moment_of, read_json_or_none

_NAME = re.compile(r"cur-[0-9]{1,16}\.json")
_MOST_FILES = 1_000
_LARGEST = 1_048_576
_LONGEST = 500
PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Curation:
    """One change of a note by ByteRover."""

    path: str
    """The note, relative to the tree."""
    at_ms: float
    """The time when the task started, in ms since 1970."""
    task: str
    """The engine's id of the task."""
    operation: str
    """``ADD``, ``UPDATE``, ``UPSERT``, ``MERGE`` or ``DELETE``."""
    review: str
    """``pending``, ``approved`` or ``rejected``; empty if no review was requested."""
    reason: str


def read_curations(project_data: Path, tree: Path) -> tuple[Curation, ...]:
    """Returns the curations of notes in ``tree``, newest first, from the last 1,000 tasks that the engine keeps.

    ``project_data`` is the engine's data folder for the project. Skips files that cannot be read.
    """
    folder, names = project_data / "curate-log", list[str]()
    with suppress(OSError):
        names = sorted((name for name in os.listdir(folder) if _NAME.fullmatch(name)), reverse=True)
    return tuple(each for name in names[:_MOST_FILES] for each in _entry(folder / name, tree))


def _entry(file: Path, tree: Path) -> Iterator[Curation]:
    value = read_json_or_none(file, _LARGEST)
    operations = value.get("operations") if isinstance(value, dict) else None
    for each in operations if isinstance(operations, list) else ():
        place = each.get("filePath") if isinstance(each, dict) else None
        path = Path(os.path.normpath(place)) if isinstance(place, str) else None
        root = next((root for root in (tree, tree.resolve()) if path is not None and path.is_relative_to(root)), None)
        if path is not None and root is not None:
            words = (str(each.get(name) or "")[:_LONGEST] for name in ("type", "reviewStatus", "reason"))
            at_ms, task = moment_of(value.get("startedAt")) or 0.0, str(value.get("taskId") or "")[:_LONGEST]
            yield Curation(path.relative_to(root).as_posix(), at_ms, task, *words)
