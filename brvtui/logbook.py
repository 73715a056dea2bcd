"""The two query logs of a project: the tool's own and the engine's."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.disk.sealing import sealed_line, unsealed_line
from brvtui.regular_files import read_regular
from brvtui.store.folders import tree_folder
from brvtui.trace import EndReason, Trace, to_plain
from brvtui.trace.routing import FingerprintState
from brvtui.tree.engine_files.query_log import (
    OURS,
    LogEvidence,
    LoggedQuery,
    is_entry,
    logged_files,
    query_log_folder,
    read_entries,
    read_entry,
    read_own_log,
)
from brvtui.tree.reading.inside import is_in_place
from brvtui.tree.reading.json_file import moment_of, number_of

if TYPE_CHECKING:
    from brvtui.tree.watching.watch import Watcher, Watching

# The tool's own log of queries, with one line of JSON per run.


_FILE, _BEFORE = "queries.jsonl", "queries.1.jsonl"
LARGEST_BYTES = 1_000_000
"""The maximum size of a log in bytes. A larger log is renamed, replacing the previous one, and a new log begins."""
_HIGHEST_TIER = 4
_NAMES = {field.name for field in fields(LoggedQuery)}


class SessionLog:
    """The log of one context tree. No file is created before the first entry is written."""

    def __init__(self, tree: Path) -> None:
        """Does not open the log's file, which need not exist."""
        self.path = tree_folder(tree) / _FILE

    def add(self, entry: LoggedQuery) -> None:
        """Appends ``entry`` in one write. Raises OSError if the data folder is not writable."""
        filled = {name: value for name, value in asdict(entry).items() if name == "query" or value not in ("", None)}
        line = json.dumps({**filled, "paths": list(entry.paths)}, separators=(",", ":"))
        writing.make_folder(self.path.parent)
        with locked(self.path.parent):
            if writing.append_line(self.path, sealed_line(line)) > LARGEST_BYTES:
                writing.rename(self.path, self.path.with_name(_BEFORE))

    def read(self, most: int) -> list[LoggedQuery]:
        """Returns the newest ``most`` entries, newest first. Skips broken lines."""
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
        values = {name: value[name] for name in _NAMES & value.keys()}
        entry = LoggedQuery(**{**values, "paths": tuple(map(str, values.get("paths", ()))), "who": OURS})
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return entry if _is_right(entry) else None


def _is_right(entry: LoggedQuery) -> bool:
    """True if every value in ``entry`` has the right type and all numbers are finite."""
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


class EngineQueries(Protocol):
    """The engine's own log of answered queries. This program never writes it."""

    @property
    def place(self) -> Path:
        """The file or folder of the log, which may not exist."""

    def read(self, most: int) -> list[LoggedQuery]:
        """Returns the newest ``most`` queries, newest first."""

    def evidence(self, most: int) -> LogEvidence:
        """Returns the newest ``most`` queries that the engine itself logged."""

    def follow(self, answered: Callable[[list[LoggedQuery]], None]) -> Watching:
        """Calls ``answered``, from another thread, with the queries that the engine answers, oldest first."""

    def unfollow(self) -> None:
        """Stops following the log."""


class Logbook:
    """Both query logs of a project. Only the tool's own is written. Thread-safe."""

    def __init__(self, tree: Path, engine: EngineQueries) -> None:
        """Combines the tool's log for the context tree at ``tree`` with the log of ``engine``."""
        self.engine = engine
        self._own = SessionLog(tree)

    def read(self, most: int) -> list[LoggedQuery]:
        """Returns the newest ``most`` entries of both logs, newest first."""
        both = [*self._own.read(most), *self.engine.read(most)]
        both.sort(key=lambda entry: -entry.at_ms)
        return both[:most]

    def add(self, trace: Trace, at_ms: float, took_ms: float) -> None:
        """Logs a run with the outcome of its model. Raises OSError if the tool's data folder is not writable."""
        from brvtui.engines.registry import verdict_sentence  # imported here, because a session may never log

        done = trace.answer.completion
        self._own.add(
            LoggedQuery(
                at_ms=at_ms,
                query=trace.query,
                who=OURS,
                status="completed" if done is None else _STATUSES.get(done.ended, "completed"),
                tier=trace.tier,
                took_ms=round(took_ms, 3),
                top_score=trace.hits[0].score if trace.hits else None,
                total_found=trace.total_found,
                paths=tuple(hit.path for hit in trace.hits),
                not_covered=not trace.covered,
                fingerprint=_fingerprint(trace),
                scope=trace.scope_option,
                options=to_plain(trace.options),
                profile=trace.profile,
                engine=trace.engine,
                verdict_sentence=verdict_sentence(trace),
                problem=done.why if done is not None and done.ended is EndReason.FAILED else "",
            )
        )


class QueryLogFolder:
    """ByteRover 3's query log: one file per query, in ByteRover's data folder for a project."""

    def __init__(self, project_data: Path, copy: Path) -> None:
        """Creates a logbook for the log and a ``copy`` of a log in the project, which is not read through a link.

        Neither has to exist.
        """
        self._folders = [query_log_folder(project_data), *([copy] if is_in_place(copy) else [])]
        self._watcher: Watcher | None = None

    @property
    def place(self) -> Path:
        """The folder of the log: ByteRover's own folder, unless there is only a copy in the project."""
        return next(filter(Path.exists, self._folders), self._folders[0])

    def read(self, most: int) -> list[LoggedQuery]:
        """The newest ``most`` queries, newest first. Files that are not entries are left out."""
        return read_entries(logged_files(self._folders, most))

    def evidence(self, most: int) -> LogEvidence:
        """The newest ``most`` queries in ByteRover's own log or, if it has none, in the copy, with a message that says
        so.
        """
        own, *copies = self._folders
        evidence = read_own_log(own, most)
        if evidence.is_missing and (entries := read_entries(logged_files(copies, most))):
            return LogEvidence(
                entries, f"the engine's log is a copy in the project, which a change can forge: {copies[0]}"
            )
        return evidence

    def follow(self, answered: Callable[[list[LoggedQuery]], None]) -> Watching:
        """Calls ``answered``, from another thread, with the queries that are logged from now on, oldest first."""
        from brvtui.tree.watching.watch import Watcher

        self.unfollow()
        seen = {
            file.name
            for file in logged_files(self._folders, _MOST_AT_ONCE)
            if (entry := read_entry(file)) is None or entry.status != "processing"
        }

        def changed(places: frozenset[str] | None) -> None:
            names = None if places is None else {Path(place).name for place in places}
            files = [file for file in logged_files(self._folders, _MOST_AT_ONCE) if names is None or file.name in names]
            new = [file for file in reversed(files) if is_entry(file.name) and file.name not in seen]
            ended = [(file, entry) for file in new for entry in read_entries([file]) if entry.status != "processing"]
            seen.update(file.name for file, _ in ended)
            if ended:
                answered([entry for _, entry in ended])

        watcher = self._watcher = Watcher(self._folders, changed)
        return watcher.start()

    def unfollow(self) -> None:
        """Stops following the log."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()


_STATUSES = {EndReason.CANCELLED: "cancelled", EndReason.FAILED: "error"}
_MOST_AT_ONCE = 500
"""The maximum number of entries that are read from the engine's log after a change."""


def _fingerprint(trace: Trace) -> str:
    """Returns the fingerprint of the tree; empty if the engine computes none."""
    state = trace.find(FingerprintState)
    return state.value if state is not None else ""
