"""Reads query logs, including the engine's own, which has one JSON file per query in a folder for each project."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from brvtui import faults
from brvtui.tree.reading.json_file import moment_of, number_of, read_json_or_none
from brvtui.tree.reading.kinds import TREE
from brvtui.wording import counted

ENGINE = "engine"
OURS = "brv-tui"
AGENT = "agent"
UNLOGGED = "not logged"
"""The status of a query that only a transcript contains."""
CACHED = (0, 1)
"""The tiers that answer from the cache."""
_PREFIX, _SUFFIX = "qry-", ".json"
LONGEST_RESPONSE = 20_000
_MOST_FILES = 100_000
_LARGEST = 1_048_576
_STATUSES = ("completed", "error", "cancelled", "processing")


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """A logged query and its outcome. Values that the log does not contain are None or empty."""

    at_ms: float
    """The time when the query started, in ms since 1970."""
    query: str
    who: str
    """The writer of the entry: :data:`ENGINE`, :data:`OURS` or, if only a transcript has it, :data:`AGENT`."""
    status: str
    """The state of the query: ``completed``, ``error``, ``cancelled``, ``processing`` or :data:`UNLOGGED`."""
    tier: int | None = None
    took_ms: float | None = None
    top_score: float | None = None
    total_found: int | None = None
    paths: tuple[str, ...] = ()
    """The matching notes, best first."""
    not_covered: bool = False
    fingerprint: str = ""
    scope: str = ""
    profile: str = ""
    engine: str = TREE.native
    """The name of the engine that answered."""
    problem: str = ""
    """The reason why the query failed; empty if it did not fail."""
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    """The query's options, keyed by name, as in :attr:`brvtui.trace.Trace.options`."""
    response: str = ""
    """The logged answer, cut to :data:`LONGEST_RESPONSE` characters."""
    waited_ms: float | None = None
    """The client's waiting time, in ms. It is longer than ``took_ms`` if a model answered, because the
    engine then asks the model for memories of the session before it replies to the client."""
    verdict_sentence: str = ""
    """The reason for the answer in one sentence, as shown when the query ran; empty in the engine's own log."""

    @property
    def from_cache(self) -> bool:
        """True if the answer came from the cache."""
        return self.tier in CACHED


class LogEvidence(NamedTuple):
    """The newest entries of the engine's log, newest first, and the reason why some may be missing, else empty."""

    entries: list[LoggedQuery]
    problem: str = ""
    is_missing: bool = False
    """True if the only problem is that there is no log."""


def query_log_folder(project_data: Path) -> Path:
    """Returns the folder of the engine's query log, given the engine's data folder for the project."""
    return project_data / "query-log"


def logged_files(folders: Iterable[Path], most: int) -> list[Path]:
    """The newest ``most`` entries in ``folders``, newest first. Folders that do not exist are left out.

    Of entries with the same name, only the one in the first folder counts.
    """
    files: dict[str, Path] = {}
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as found:
            for entry in islice(found, _MOST_FILES):
                if is_entry(entry.name):
                    files.setdefault(entry.name, folder / entry.name)
    return sorted(files.values(), key=lambda file: _moment(file.name), reverse=True)[:most]


def is_entry(name: str) -> bool:
    """True if a file called ``name`` is an entry of the log."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def read_own_log(folder: Path, most: int) -> LogEvidence:
    """The newest ``most`` entries of the engine's log in ``folder``, and the reason if not all of it can be read."""
    try:
        next(folder.iterdir(), None)
    except FileNotFoundError:
        if folder.is_symlink():
            return LogEvidence([], f"{folder}: the engine's log is a link that leads nowhere")
    except OSError as error:
        return LogEvidence([], f"{folder}: the engine's log cannot be read: {faults.reason(error)}")
    files = logged_files([folder], most)
    entries = read_entries(files)
    problem = "" if files else "the engine has no log for this project, so it is unknown which answers came too late"
    if len(entries) < len(files):
        problem = f"{counted(len(files) - len(entries), 'entry', 'entries')} of the engine's log cannot be read"
    return LogEvidence(entries, problem, is_missing=not files)


def read_entries(files: Iterable[Path]) -> list[LoggedQuery]:
    """Reads the entries in ``files``, in order. Skips files that cannot be read or are not entries."""
    return [entry for file in files if (entry := read_entry(file)) is not None]


def read_entry(file: Path) -> LoggedQuery | None:
    """The entry in ``file``; None if the file cannot be read or is not an entry."""
    value = read_json_or_none(file, _LARGEST)
    if not isinstance(value, dict) or not isinstance(value.get("query"), str):
        return None
    began = moment_of(value.get("startedAt"))
    metadata = value.get("searchMetadata")
    search = metadata if isinstance(metadata, dict) else {}
    took = _took(value, began)
    tier = value.get("tier")
    valid_tier = tier if isinstance(tier, int) and not isinstance(tier, bool) and 0 <= tier <= 4 else None
    status = value.get("status")
    count = number_of(search.get("resultCount"))
    total = number_of(search.get("totalFound"))
    return LoggedQuery(
        at_ms=began if began is not None else moment_of(_moment(file.name)) or 0.0,
        query=value["query"],
        who=ENGINE,
        status=status if status in _STATUSES else "",
        tier=valid_tier,
        took_ms=took,
        top_score=None if count == 0 else number_of(search.get("topScore")),  # the engine writes 0 for no result
        total_found=None if total is None else int(total),
        paths=_paths(value.get("matchedDocs")),
        not_covered=status == "completed" and valid_tier not in (0, 1, None) and count == 0,
        fingerprint=str(search.get("cacheFingerprint") or ""),
        problem=str(value.get("error") or ""),
        response=str(value.get("response") or "")[:LONGEST_RESPONSE],
        waited_ms=took if (whole := _whole(value, began)) is None else max(took or 0.0, whole),
    )


def _took(value: dict[str, Any], began: float | None) -> float | None:
    timing = value.get("timing")
    took = number_of(timing.get("durationMs")) if isinstance(timing, dict) else None
    return took if took is not None else _whole(value, began)


def _whole(value: dict[str, Any], began: float | None) -> float | None:
    """The time between the start and the end of the task, in ms; None if either is missing."""
    ended = moment_of(value.get("completedAt"))
    return None if began is None or ended is None else max(0.0, ended - began)


def _paths(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(doc["path"] for doc in value if isinstance(doc, dict) and isinstance(doc.get("path"), str))


def _moment(name: str) -> int:
    digits = name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    return int(digits) if digits.isascii() and digits.isdigit() else 0
