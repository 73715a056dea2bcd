"""Replays ByteRover queries: single ones on an empty cache, each repeated once, or a sequence that shares one cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.byterover.sections import Search
from brvtui.engines.contract import Query, ReplayStep
from brvtui.trace import State, Trace
from brvtui.trace.routing import CacheLook

_MS = 1000.0


def replay_query(context: Context, query: Query, limit: int | None) -> tuple[Trace, dict[str, Any]]:
    """The trace of ``query`` on an empty cache, and the data for one line of output: the tier, the tier of the query
    repeated in capitals, and a search with ``limit`` results.
    """
    found = search(context, query.text, SearchOptions(limit or context.constants.search.limit, query.scope))
    trace, state = route(context, CacheContents(), RouteRequest(query.text, query.scope, run=True))
    repeat, _ = route(context, state, RouteRequest(f"  {query.text.upper()} ", query.scope, run=True))
    return trace, {"tier": trace.tier, "repeat_tier": repeat.tier, "search": plain_search(found)}


def replay_sequence(context: Context, steps: Sequence[ReplayStep], scope: str) -> Iterator[dict[str, Any]]:
    """For each step, yields the tier, the results of both cache look-ups, and the number of cached answers after the
    step.

    ``similarity`` is the similarity to the most similar valid entry; None if no entry was compared. Touching a file
    changes only the fingerprint, not the ranking or recency.
    """
    state, clock = CacheContents(), context.now_ms
    touched: dict[str, int] = {}
    for step in steps:
        clock += step.wait_seconds * _MS
        if step.touch:
            touched[step.touch] = round(clock)
        request = RouteRequest(step.query, scope, run=True, touched=dict(touched))
        trace, state = route(replace(context, now_ms=clock), state, request)
        look = trace.section(CacheLook)
        check = look.fuzzy_check
        needed = f", {check.threshold:g} needed" if check and check.threshold and look.fuzzy is State.MISSED else ""
        similarity = check.value if check else None
        seen = {"exact": look.exact_why, "fuzzy": f"{look.fuzzy_why}{needed}", "similarity": similarity}
        yield {"tier": trace.tier, "cached": len(state.entries), **seen}


def plain_search(found: Search) -> dict[str, Any]:
    """A search in the format of replays."""
    results = [{"path": hit.path, "score": hit.score, "kind": hit.kind.value, "title": hit.title} for hit in found.hits]
    return {"total_found": found.total_found, "results": results}
