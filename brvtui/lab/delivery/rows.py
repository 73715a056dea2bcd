"""Reads the rows of a host's file, within limits that all files of a project share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from brvtui.lab.delivery.turns import Recall
from brvtui.regular_files import open_regular
from brvtui.tree.reading.json_file import moment_of

LONGEST_ROW = 8 * 1_048_576
"""The maximum size of a row in bytes; longer rows are counted as unknown."""
_CHUNK = 1_048_576
LONGEST_TEXT = 100_000
"""The maximum number of characters of a prompt or an answer; the rest is cut off."""
MOST_RECALLS = 100_000
"""The maximum number of recalls in all of a project's transcripts."""
MOST_TEXT = 40_000_000
"""The maximum number of characters of the prompts, answers and replies in all of a project's transcripts."""


@dataclass(slots=True)
class TranscriptBudget:
    """The limits that all readers share, and the number of rows that were not read because of limits or faults."""

    characters: int = MOST_TEXT
    recalls: int = MOST_RECALLS
    unreadable: int = 0
    """The number of rows that are too long, not JSON objects, or beyond the limits."""

    @property
    def is_spent(self) -> bool:
        """True if further rows must not be read."""
        return self.characters < 0 or self.recalls <= 0

    def kept(self, text: str) -> str:
        """Returns the part of ``text`` that is kept."""
        kept = text[:LONGEST_TEXT]
        self.characters -= len(kept)
        return kept


class RowReader:
    """Collects recalls from the rows of one file. Each host has a subclass."""

    def __init__(self, budget: TranscriptBudget) -> None:
        """All readers of a project share ``budget``."""
        self._budget = budget
        self.unknown_rows = 0
        self.other_rows = 0
        """The number of rows that belong to other working folders."""
        self.opened: set[str] = set()
        """The paths of saved texts that the agent read."""

    def read(self, row: bytes) -> None:
        """Reads one row."""
        raise NotImplementedError

    def recalls(self, is_cut_off: bool = False) -> list[Recall]:
        """The recalls read so far; ``is_cut_off`` means that the file ends in the middle of a row."""
        raise NotImplementedError

    def miss(self) -> None:
        """Counts a row that cannot be read."""
        self.unknown_rows += 1
        self._budget.unreadable += 1


class Row(NamedTuple):
    """A row of a file."""

    data: bytes | None
    """The row's bytes; None if it is longer than :data:`LONGEST_ROW`."""
    end: int
    """The position after the row, where reading can continue."""
    is_complete: bool = True
    """False for the last row of a file if no line break follows it."""


def rows_of(file: Path, begin: int = 0) -> Iterator[Row]:
    """Yields the rows of ``file`` from byte ``begin``. Empty rows are left out.

    Raises OSError if the file is not a regular file or cannot be read.
    """
    descriptor = open_regular(file)
    pending, end, is_too_long = b"", begin, False
    try:
        size = os.fstat(descriptor).st_size  # a file that is written all the time would never end
        while begin < size and (chunk := os.pread(descriptor, min(_CHUNK, size - begin), begin)):
            begin += len(chunk)
            *rows, rest = chunk.split(b"\n")
            for row in rows:
                data = pending + row
                pending, end = b"", end + len(data) + 1
                if is_too_long or len(data) > LONGEST_ROW:
                    yield Row(None, end)
                elif data.strip():
                    yield Row(data, end)
                is_too_long = False
            pending += rest
            if len(pending) > LONGEST_ROW:
                end += len(pending)
                pending, is_too_long = b"", True
    finally:
        os.close(descriptor)
    if pending or is_too_long:
        yield Row(None if is_too_long else pending, end + len(pending), is_complete=False)


def parsed(row: bytes) -> Any:
    """The JSON value in ``row``; None if it is not JSON."""
    try:
        return json.loads(row)
    except (ValueError, RecursionError):
        return None


def moment(value: Any) -> float:
    """The ISO 8601 time ``value`` in ms since 1970; 0 if it is not such a time."""
    try:
        return moment_of(datetime.fromisoformat(value).timestamp() * 1000) or 0.0
    except (TypeError, ValueError, OverflowError, OSError):
        return 0.0
