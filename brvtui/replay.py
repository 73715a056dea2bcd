"""Many queries over one session: each on a cache of its own, or in sequence on one (``docs/engine.md``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route.cache import CacheState
from brvtui.engines.byterover.route.router import Asked, route
from brvtui.engines.byterover.search.search import Options, search
from brvtui.snapshot import Snapshot
from brvtui.trace import Hit, Search, to_plain
from brvtui.tree.reading.json_file import read_json

MS = 1000.0
_LONGEST_WAIT = 1e9
"""Seconds; about 30 years."""


class ReplayError(ValueError):
    """A file that cannot be replayed; the message names it and what it should hold."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a list, with the id that its line will carry."""

    id: Any
    query: str


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a sequence: wait, rewrite a note's mtime in the fingerprint, ask."""

    query: str
    wait_seconds: float
    touch: str | None


def read_queries(path: Path) -> list[Query]:
    """The queries in a JSON list of strings or ``{"id", "query"}``. Raises :class:`ReplayError`."""
    made = []
    for number, item in enumerate(_read_list(path)):
        if isinstance(item, str):
            made.append(Query(number, item))
        elif isinstance(item, dict) and isinstance(item.get("query"), str):
            made.append(Query(item.get("id", number), item["query"]))
        else:
            raise ReplayError(f'{path}: entry {number} must be a string or {{"id", "query"}}')
    return made


def read_sequence(path: Path) -> list[Move]:
    """The steps in a JSON list of ``{"query", "wait", "touch"}``. Raises :class:`ReplayError`."""
    made = []
    for number, item in enumerate(_read_list(path)):
        wait = item.get("wait", 0) if isinstance(item, dict) else None
        touch = item.get("touch") if isinstance(item, dict) else None
        is_number = isinstance(wait, (int, float)) and not isinstance(wait, bool) and 0 <= wait <= _LONGEST_WAIT
        named = touch is None or isinstance(touch, str)
        if not isinstance(item, dict) or not isinstance(item.get("query"), str) or not is_number or not named:
            raise ReplayError(f'{path}: entry {number} must be {{"query", "wait" seconds, "touch" a note or null}}')
        assert wait is not None
        made.append(Move(item["query"], float(wait), touch))
    return made


def _read_list(path: Path) -> list[Any]:
    try:
        value = read_json(path)
    except (OSError, ValueError) as error:
        raise ReplayError(f"{path}: cannot be read as a list of queries ({error})") from error
    if not isinstance(value, list):
        raise ReplayError(f"{path}: must hold a JSON list")
    return value


def replay_queries(
    snapshot: Snapshot, profile: Profile, now_ms: float, queries: list[Query], limit: int, scope: str, with_trace: bool
) -> Iterator[dict[str, Any]]:
    """One line a query, in order: plain search at ``limit``, tier on an empty cache, tier when asked again."""
    for item in queries:
        found = search(snapshot, profile, now_ms, item.query, Options(limit, scope))
        trace, state = route(snapshot, profile, CacheState(), Asked(item.query, now_ms, scope, run=True))
        again = f"  {item.query.upper()} "
        repeat, _ = route(snapshot, profile, state, Asked(again, now_ms, scope, run=True))
        line = {
            "id": item.id,
            "query": item.query,
            "tier": trace.tier,
            "repeat_tier": repeat.tier,
            "search": plain_search(found),
        }
        if with_trace:
            line["trace"] = to_plain(trace)
        yield line


def replay_sequence(
    snapshot: Snapshot, profile: Profile, now_ms: float, moves: list[Move], scope: str
) -> Iterator[dict[str, Any]]:
    """One line a step, in order, on one cache. Touches reach the fingerprint only: ranking and recency do not move.

    Raises :class:`ReplayError` when a touched note is not in the tree.
    """
    state, clock = CacheState(), now_ms
    touched: dict[str, int] = {}
    for number, move in enumerate(moves):
        clock += move.wait_seconds * MS
        if move.touch:
            if move.touch not in snapshot.parsed:
                raise ReplayError(f"step {number}: no file {move.touch} in {snapshot.project.tree} to touch")
            touched[move.touch] = round(clock)
        trace, state = route(snapshot, profile, state, Asked(move.query, clock, scope, run=True, touched=dict(touched)))
        yield {"step": number, "query": move.query, "tier": trace.tier, "cached": len(state.entries)}


def plain_search(found: Search) -> dict[str, Any]:
    """A search as a replayed line holds it."""
    return {"total_found": found.total_found, "results": [_result(hit) for hit in found.hits]}


def _result(hit: Hit) -> dict[str, Any]:
    return {"path": hit.path, "score": hit.score, "kind": hit.kind.value, "title": hit.title}
