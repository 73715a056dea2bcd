"""Saves a trace to a JSON file, which can be opened without the tree (``docs/how-to/save-and-share.md``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brvtui import __version__, faults
from brvtui.engines import registry
from brvtui.engines.registry import verdict_sentence
from brvtui.ranking.constants import NOT_ROUNDED
from brvtui.saved.rebuilding import PlainError, from_plain
from brvtui.text.visible import json_line
from brvtui.timing import FIRST_MS, LAST_MS
from brvtui.trace import SCHEMA, Detail, Trace, UnreadSection, to_plain
from brvtui.tree.reading.json_file import read_json

_MS = 1000.0


class SavedError(ValueError):
    """Raised if a file contains no trace that can be shown. The message names the file, the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class SavedTrace:
    """A trace and the other data that its panes show, as in ``query --format json``, with its author and time."""

    trace: Trace
    detail: Mapping[str, Detail] = field(default_factory=dict)
    """The score of each term in each field, for results and near misses. The keys are their ``file``."""
    saved_by: str = ""
    """The program and version that saved the trace; empty if the file does not name them."""
    saved_at: str = ""
    """The time of saving (ISO 8601, UTC); empty if the file does not contain it."""


def saved_now(trace: Trace, now_ms: float, detail: Mapping[str, Detail] | None = None) -> SavedTrace:
    """Returns ``trace`` and its details as a trace saved by this version at ``now_ms``."""
    moment = datetime.fromtimestamp(now_ms / _MS, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return SavedTrace(trace, detail or {}, f"brv-tui {__version__}", moment)


def as_plain(saved: SavedTrace) -> dict[str, Any]:
    """Returns the content of the file as data for JSON."""
    return {
        "schema": SCHEMA,
        "engine": saved.trace.engine,
        "saved_by": saved.saved_by,
        "saved_at": saved.saved_at,
        "verdict_sentence": verdict_sentence(saved.trace),
        "trace": to_plain(saved.trace),
        "detail": to_plain(saved.detail),
    }


def as_json(saved: SavedTrace) -> bytes:
    """Returns the content of the file: one line of JSON in UTF-8."""
    return json_line(as_plain(saved))


def read(path: Path) -> SavedTrace:
    """Reads a trace from the file at ``path``, which ``query --format json`` may have written.

    Raises :class:`SavedError`.
    """
    try:
        value = read_json(path, follow_links=True)
    except OSError as error:
        raise SavedError(f"{path}: cannot be read ({faults.reading_reason(error)})") from error
    except ValueError as error:
        raise SavedError(f"{path}: not JSON, so not a saved trace ({error})") from error
    if not isinstance(value, dict) or "trace" not in value or "schema" not in value:
        raise SavedError(f"{path}: not a saved trace; create one with brv-tui query TEXT --save FILE.json")
    _check_version(value["schema"], path)
    try:
        return _rebuilt(value)
    except PlainError as error:
        raise SavedError(
            f"{path}: not a trace from this version of brv-tui: {error}; run the query and save it again"
        ) from error


def _check_version(schema: Any, path: Path) -> None:
    if type(schema) is not int or schema < 1:
        raise SavedError(f"{path}: not a saved trace; its schema is {schema!r:.40}")
    if schema < SCHEMA:
        message = (
            f"saved by an earlier brv-tui (schema {schema}, this one reads {SCHEMA}): run the query and save it again"
        )
        raise SavedError(f"{path}: {message}")
    if schema > SCHEMA:
        raise SavedError(
            f"{path}: saved by a later brv-tui (schema {schema!r:.40}, this one reads {SCHEMA}): update brv-tui"
        )


def _rebuilt(value: dict[str, Any]) -> SavedTrace:
    saved = SavedTrace(
        trace_from_plain(value["trace"]),
        from_plain(dict[str, Detail], value.get("detail", {}), "detail"),
        from_plain(str, value.get("saved_by", ""), "saved_by"),
        from_plain(str, value.get("saved_at", ""), "saved_at"),
    )
    if not saved.trace.steps:
        raise PlainError("trace.steps must contain the steps of the decision")
    if not 0 <= saved.trace.scale.decimals <= NOT_ROUNDED:
        raise PlainError(f"trace.scale.decimals must be from 0 to {NOT_ROUNDED}")
    try:
        moment_ms = datetime.fromisoformat(saved.trace.snapshot.clock).timestamp() * 1000
    except (ValueError, OverflowError):
        moment_ms = LAST_MS
    if not FIRST_MS <= moment_ms < LAST_MS:
        raise PlainError("trace.snapshot.clock must be an ISO 8601 time between the years 1000 and 8999")
    if why := registry.presentation(saved.trace.engine).why_broken(saved.trace):
        raise PlainError(why)
    return saved


def trace_from_plain(value: Any) -> Trace:
    """Converts ``value``, the result of :func:`brvtui.trace.to_plain`, back to a trace.

    The trace has the sections that its engine declares. Other sections are kept unchanged, so that saving the trace
    again loses nothing. If the engine is not installed, the trace contains a notice. Raises
    :class:`brvtui.saved.rebuilding.PlainError`.
    """
    if not isinstance(value, dict):
        raise PlainError("trace must be an object")
    section_data = from_plain(dict[str, Any], value.get("sections", {}), "trace.sections")
    common = from_plain(Trace, {**value, "sections": []}, "trace")
    engine = registry.declaration(common.engine)
    kinds = {kind.SECTION: kind for kind in engine.sections} if engine is not None else {}
    notice = f"the engine {common.engine} is not installed: only the parts that all engines have are shown"
    if engine is None and notice not in common.notices:
        common = replace(common, notices=(*common.notices, notice))
    sections = tuple(
        from_plain(kinds[name], section, f"trace.sections.{name}") if name in kinds else UnreadSection(name, section)
        for name, section in section_data.items()
    )
    return replace(common, sections=sections)
