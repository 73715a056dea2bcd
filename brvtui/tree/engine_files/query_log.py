"""The engine's own log of queries: one JSON file each, below its project folder. Read only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from brvtui.tree.engine_files.logged_query import ENGINE, LoggedQuery
from brvtui.tree.reading.json_file import number_of, read_json

_PREFIX, _SUFFIX = "qry-", ".json"
_STATUSES = ("completed", "error", "cancelled", "processing")


def query_log_folder(project_data: Path) -> Path:
    """Where the engine logs the queries of a project, given its folder for it."""
    return project_data / "query-log"


def logged_files(folder: Path, most: int) -> list[Path]:
    """The newest ``most`` entries in ``folder``, newest first; none when there is no such folder."""
    try:
        with os.scandir(folder) as found:
            names = [entry.name for entry in found if is_entry(entry.name)]
    except OSError:
        return []
    names.sort(key=_moment, reverse=True)
    return [folder / name for name in names[:most]]


def is_entry(name: str) -> bool:
    """Whether a file of that name is an entry of the log."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def read_entries(files: Iterable[Path]) -> list[LoggedQuery]:
    """What the entries in ``files`` say, in their order; files that cannot be read or are no entries are left out."""
    return [entry for file in files if (entry := read_entry(file)) is not None]


def read_entry(file: Path) -> LoggedQuery | None:
    """What one entry says; None when it cannot be read or is none."""
    try:
        value = read_json(file)
    except (OSError, ValueError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("query"), str):
        return None
    began = number_of(value.get("startedAt"))
    found = value.get("searchMetadata") if isinstance(value.get("searchMetadata"), dict) else {}
    assert isinstance(found, dict)
    tier = value.get("tier")
    known = tier if isinstance(tier, int) and not isinstance(tier, bool) and 0 <= tier <= 4 else None
    status = value.get("status")
    count = number_of(found.get("resultCount"))
    total = number_of(found.get("totalFound"))
    return LoggedQuery(
        at_ms=began if began is not None else float(_moment(file.name)),
        query=value["query"],
        who=ENGINE,
        status=status if status in _STATUSES else "",
        tier=known,
        took_ms=_took(value, began),
        top_score=number_of(found.get("topScore")),
        total_found=None if total is None else int(total),
        paths=_paths(value.get("matchedDocs")),
        not_covered=status == "completed" and known not in (0, 1, None) and count == 0,
        fingerprint=str(found.get("cacheFingerprint") or ""),
        problem=str(value.get("error") or ""),
    )


def _took(value: dict[str, Any], began: float | None) -> float | None:
    timing = value.get("timing")
    took = number_of(timing.get("durationMs")) if isinstance(timing, dict) else None
    ended = number_of(value.get("completedAt"))
    return took if took is not None or began is None or ended is None else max(0.0, ended - began)


def _paths(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(doc["path"] for doc in value if isinstance(doc, dict) and isinstance(doc.get("path"), str))


def _moment(name: str) -> int:
    digits = name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    return int(digits) if digits.isascii() and digits.isdigit() else 0
