"""Users' feedback on results: one file per tree and engine, with one JSON entry per line."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from brvtui.disk import writing
from brvtui.disk.sealing import sealed_line, unsealed_line
from brvtui.regular_files import MISSING, read_regular
from brvtui.store.folders import runs_file, tree_folder
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.tree.reading.json_file import moment_of

_FOLDER = "feedback"
_LARGEST_BYTES = 10_000_000


class FeedbackFile:
    """The feedback on one engine's results in one tree. The file is created with the first feedback."""

    def __init__(self, tree: Path, engine: str) -> None:
        """The file need not exist."""
        self.path = tree_folder(tree) / _FOLDER / f"{engine}.jsonl"

    def counts(self) -> Counter[Usefulness]:
        """Counts the feedback of each kind. Skips broken lines. Raises OSError if the file is unreadable."""
        return Counter(_said(self.path))

    def said(self) -> list[Feedback]:
        """Returns all feedback, oldest first. Skips broken lines. Raises OSError if the file is unreadable."""
        return [feedback for row in _rows(self.path) if (feedback := _feedback(row)) is not None]

    def add(self, feedback: Feedback) -> None:
        """Appends ``feedback`` in one write. Raises OSError if the data folder is not writable."""
        writing.append_line(self.path, sealed_line(json.dumps(asdict(feedback), separators=(",", ":"))))


def clear_feedback(tree: Path) -> int:
    """Removes the feedback on the results of all engines in ``tree``, and the stored state of their runs.

    Returns the number of removed entries. Raises OSError.
    """
    removed = 0
    for file in runs_file(tree, "").parent.glob("*.json"):
        writing.remove(file)
    for file in sorted((tree_folder(tree) / _FOLDER).glob("*.jsonl")):
        with contextlib.suppress(OSError):  # unreadable files are removed too
            removed += sum(1 for _ in _said(file))
        writing.remove(file)
    return removed


def _said(file: Path) -> Iterator[Usefulness]:
    for row in _rows(file):
        with contextlib.suppress(ValueError, TypeError, KeyError):
            yield Usefulness(row["usefulness"])


def _feedback(row: Any) -> Feedback | None:
    """Returns the feedback in ``row``; None if a field is missing or has the wrong type."""
    try:
        query, document, at_ms = row["query"], row["document"], row["at_ms"]
        is_whole = isinstance(query, str) and isinstance(document, str) and moment_of(at_ms) is not None
        return Feedback(query, document, Usefulness(row["usefulness"]), at_ms) if is_whole else None
    except (ValueError, TypeError, KeyError):
        return None


def _rows(file: Path) -> Iterator[Any]:
    """Yields the value of each line in ``file`` that is valid JSON."""
    try:
        lines = read_regular(file, _LARGEST_BYTES).splitlines()
    except MISSING:
        return
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            yield json.loads(unsealed_line(line))
