"""The record of edits: the notes and signals before the edits of the last week, for the next process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brvtui.disk import writing
from brvtui.loading import EditedFile
from brvtui.loading.revised import UNCHANGED, Difference
from brvtui.regular_files import MISSING
from brvtui.store.folders import tree_folder
from brvtui.store.state_file import read_state, write_state
from brvtui.timing import system_clock
from brvtui.tree.reading.signals import NoteSignals, Source, from_mapping

_MOST_BYTES = 8 * 1_048_576
_KEPT_MS = 7 * 86_400_000


def record_file(tree: Path) -> Path:
    """The file of the record for ``tree``. It may not exist."""
    return tree_folder(tree) / "before-edits.json"


def record_time(tree: Path) -> int:
    """The time at which the record for ``tree`` was written, in ns since 1970; 0 if there is none."""
    try:
        return record_file(tree).stat().st_mtime_ns
    except OSError:
        return 0


def read_record(tree: Path, base: NoteSignals) -> tuple[Difference, float]:
    """The change back to the notes recorded for ``tree``, and their time in ms since 1970; no change if there is no
    record, or if it is older than a week.

    ``base`` are the signals of new notes. Raises OSError and ValueError if the record cannot be read.
    """
    now_ms = system_clock()
    try:
        value: Any = read_state(record_file(tree))
        at_ms, removed = float(value["at_ms"]), frozenset(map(str, value["removed"]))
        files = [(path, text.encode("utf-8", "surrogateescape"), int(ns)) for path, ns, text in value["files"]]
        signals = value["signals"].items()
        found = {path: from_mapping(each, Source.OVERLAY, base, partial=False) for path, each in signals}
    except MISSING:
        return UNCHANGED, now_ms
    except (LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError("damaged") from error
    edits = {path: EditedFile(path, data, mtime_ns) for path, data, mtime_ns in files}
    known = {path: each for path, each in found.items() if each is not None}
    is_recent = 0 <= now_ms - at_ms < _KEPT_MS
    return (Difference(edits, removed, signals=known), at_ms) if is_recent else (UNCHANGED, now_ms)


def write_record(tree: Path, difference: Difference, at_ms: float) -> None:
    """Replaces the record for ``tree``; removes it if nothing differs or the notes are too large. Raises OSError."""
    edits = difference.edits.values()
    if not difference.paths or sum(len(each.data) for each in edits) > _MOST_BYTES:
        writing.remove(record_file(tree))
        return
    files = [(each.path, each.mtime_ns, each.data.decode("utf-8", "surrogateescape")) for each in edits]
    signals = {path: each.to_mapping() for path, each in difference.signals.items()}
    value = {"at_ms": at_ms, "files": files, "removed": sorted(difference.removed), "signals": signals}
    write_state(record_file(tree), value)
