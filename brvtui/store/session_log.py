"""The tool's own log of queries: a line of JSON for each run."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.disk.sealing import sealed_line, unsealed_line
from brvtui.regular_files import read_regular
from brvtui.store.folders import tree_folder
from brvtui.tree.engine_files.query_log import OURS, LoggedQuery
from brvtui.tree.reading.json_file import moment_of, number_of

_FILE, _BEFORE = "queries.jsonl", "queries.1.jsonl"
LARGEST_BYTES = 1_000_000
"""A log of this size is renamed, which replaces the older log, and a new one begins."""
_HIGHEST_TIER = 4
_NAMES = {field.name for field in fields(LoggedQuery)}


class SessionLog:
    """The log of one context tree. Creates nothing before the first entry is written."""

    def __init__(self, tree: Path) -> None:
        """The file of the log need not exist."""
        self.path = tree_folder(tree) / _FILE

    def add(self, entry: LoggedQuery) -> None:
        """Appends ``entry`` in one write. Raises OSError when the data folder cannot be written."""
        given = {name: value for name, value in asdict(entry).items() if name == "query" or value not in ("", None)}
        line = json.dumps({**given, "paths": list(entry.paths)}, separators=(",", ":"))
        writing.make_folder(self.path.parent)
        with locked(self.path.parent):
            if writing.append_line(self.path, sealed_line(line)) > LARGEST_BYTES:
                writing.rename(self.path, self.path.with_name(_BEFORE))

    def read(self, most: int) -> list[LoggedQuery]:
        """The newest ``most`` entries, newest first, without broken lines."""
        found: list[LoggedQuery] = []
        for path in (self.path, self.path.with_name(_BEFORE)):
            if len(found) < most:
                found += [entry for line in reversed(_lines(path)) if (entry := _entry(line)) is not None]
        return found[:most]


def _lines(path: Path) -> list[bytes]:
    try:
        return read_regular(path, 2 * LARGEST_BYTES).split(b"\n")
    except OSError:
        return []


def _entry(line: bytes) -> LoggedQuery | None:
    try:
        value: Any = json.loads(unsealed_line(line))
        known = {name: value[name] for name in _NAMES & value.keys()}
        entry = LoggedQuery(**{**known, "paths": tuple(map(str, known.get("paths", ()))), "who": OURS})
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return entry if _is_right(entry) else None


def _is_right(entry: LoggedQuery) -> bool:
    """Whether every value of ``entry`` is of its type; numbers must be finite."""
    names = (entry.engine, entry.profile, entry.fingerprint, entry.scope)
    texts = (entry.query, entry.status, entry.problem, entry.response, entry.verdict_sentence, *names)
    numbers = [number for number in (entry.took_ms, entry.top_score) if number is not None]
    counts = [count for count in (entry.tier, entry.total_found) if count is not None]
    return (
        all(isinstance(text, str) for text in texts)
        and moment_of(entry.at_ms) is not None
        and all(number_of(number) is not None for number in numbers)
        and all(type(count) is int and count >= 0 for count in counts)
        and (entry.tier is None or entry.tier <= _HIGHEST_TIER)
        and isinstance(entry.not_covered, bool)
        and isinstance(entry.options, dict)
    )
