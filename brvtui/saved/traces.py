"""A trace in a file: JSON that stands alone, so that it opens again where the tree is not (``docs/export.md``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brvtui import __version__, faults
from brvtui.engines.jeffs_brain.trace import PIPELINE as JEFFS_BRAIN
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.saved.rebuilding import PlainError, from_plain
from brvtui.trace import SCHEMA, Detail, Hit, Search, Trace, to_plain
from brvtui.tree.reading.json_file import read_json

BYTEROVER = "byterover"
_KINDS: Mapping[str, type[Trace] | type[HybridTrace]] = {BYTEROVER: Trace, JEFFS_BRAIN: HybridTrace}
_MS = 1000.0
_TIERS = range(5)


class SavedError(ValueError):
    """A file that holds no trace that can be shown; the message names it, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A trace and what else its panes show. It is what ``query --format json`` writes, and who wrote it when."""

    trace: Trace | HybridTrace
    detail: Mapping[str, Detail] = field(default_factory=dict)
    """The term x field detail of hits and near misses, by their ``file``."""
    missed: Mapping[str, Hit] = field(default_factory=dict)
    """The scores that near misses would have had, by their ``file``."""
    search: Search | None = None
    """A plain search that was asked for beside the route."""
    saved_by: str = ""
    """Program and version; empty where the file does not say."""
    saved_at: str = ""
    """ISO 8601, UTC; empty where the file does not say."""


def saved_now(
    trace: Trace | HybridTrace,
    now_ms: float,
    detail: Mapping[str, Detail] | None = None,
    missed: Mapping[str, Hit] | None = None,
    search: Search | None = None,
) -> Saved:
    """``trace`` and the rest as this version saves them at ``now_ms``."""
    moment = datetime.fromtimestamp(now_ms / _MS, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Saved(trace, detail or {}, missed or {}, search, f"brv-tui {__version__}", moment)


def as_plain(saved: Saved) -> dict[str, Any]:
    """The content of the file, ready for JSON."""
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "pipeline": saved.trace.pipeline,
        "saved_by": saved.saved_by,
        "saved_at": saved.saved_at,
        "trace": to_plain(saved.trace),
        "detail": to_plain(saved.detail),
        "missed": to_plain(saved.missed),
    }
    if saved.search:
        made["search"] = to_plain(saved.search)
    return made


def as_json(saved: Saved) -> bytes:
    """The content of the file: one line of JSON in UTF-8."""
    # A file name that is not UTF-8 holds lone surrogates: they stay as JSON escapes.
    return json.dumps(as_plain(saved), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def read(path: Path) -> Saved:
    """The trace in the file at ``path``, also one that ``query --format json`` wrote. Raises :class:`SavedError`."""
    try:
        value = read_json(path)
    except OSError as error:
        raise SavedError(f"{path}: cannot be read ({faults.said(error)})") from error
    except ValueError as error:
        raise SavedError(f"{path}: not JSON, so no saved trace ({error})") from error
    if not isinstance(value, dict) or "trace" not in value or "schema" not in value:
        raise SavedError(f"{path}: not a saved trace; brv-tui query TEXT --save FILE.json makes one")
    _check_version(value["schema"], path)
    try:
        return _rebuilt(value)
    except PlainError as error:
        raise SavedError(f"{path}: not a trace of this version of brv-tui: {error}") from error


def _check_version(schema: Any, path: Path) -> None:
    if type(schema) is not int or schema < 1:
        raise SavedError(f"{path}: not a saved trace; its schema is {schema!r:.40}")
    if schema > SCHEMA:
        raise SavedError(f"{path}: saved by a later brv-tui (schema {schema}, this one reads {SCHEMA}): update brv-tui")


def _rebuilt(value: dict[str, Any]) -> Saved:
    pipeline = value.get("pipeline", _pipeline_of(value["trace"]))
    if not isinstance(pipeline, str) or pipeline not in _KINDS:
        raise PlainError(f"pipeline must be one of {', '.join(_KINDS)}, not {pipeline!r:.40}")
    made = Saved(
        from_plain(_KINDS[pipeline], value["trace"], "trace"),
        from_plain(dict[str, Detail], value.get("detail", {}), "detail"),
        from_plain(dict[str, Hit], value.get("missed", {}), "missed"),
        from_plain(Search, value["search"], "search") if value.get("search") is not None else None,
        from_plain(str, value.get("saved_by", ""), "saved_by"),
        from_plain(str, value.get("saved_at", ""), "saved_at"),
    )
    _check_tiers(made.trace)
    return made


def _check_tiers(trace: Trace | HybridTrace) -> None:
    """Panes paint every tier in a colour of its own, and lay out at least one step."""
    if isinstance(trace, HybridTrace):
        return
    if not trace.steps:
        raise PlainError("trace.steps must hold the steps of the route")
    tiers = [trace.tier, *(step.tier for step in trace.steps), *(entry.tier for entry in trace.cache.entries)]
    wrong = next((tier for tier in tiers if tier is not None and tier not in _TIERS), None)
    if wrong is not None:
        raise PlainError(f"tier {wrong:.0f} is none of 0 to {_TIERS[-1]}")


def _pipeline_of(trace: Any) -> Any:
    return trace.get("pipeline") if isinstance(trace, dict) else None
