"""Answers recorded from the real engine, and our engine's answers to the same queries."""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.search.matching import match_terms
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.byterover.sections import Search
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import terms
from brvtui.trace import Hit
from tests.support.trees import BRV3

REPOSITORY = Path(__file__).parents[2]
SHARED = REPOSITORY.parent / "shared"


def read(file: Path) -> dict[str, Any]:
    """The recorded answers in ``file``."""
    return json.loads(file.read_text(encoding="utf-8"))


def unpack(recorded: Mapping[str, Any], project: Path) -> None:
    """Writes the tree of ``recorded`` (``benchmarks/record_tree_parity.py``) with its times to the folder ``project``,
    and the input of the engine's driver beside it.
    """
    tree = project / ".brv" / "context-tree"
    for path, held in recorded["files"].items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(held["base64"]) if "base64" in held else held["text"].encode("utf-8"))
        os.utime(file, ns=(held["mtime_ns"], held["mtime_ns"]))
    (project / ".brv" / "config.json").write_text("{}\n", encoding="utf-8")
    (project / "now.txt").write_text(recorded["now"], encoding="utf-8")
    given = {
        "queries": [{name: case[name] for name in ("id", "kind", "query")} for case in recorded["cases"]],
        "sequence": [{name: step[name] for name in ("query", "wait", "touch")} for step in recorded["sequence"]],
        "signals": recorded["signals"],
    }
    for name, value in given.items():
        (project / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")


def milliseconds(moment: str) -> float:
    """An ISO time as milliseconds since 1970."""
    return datetime.fromisoformat(moment.strip().replace("Z", "+00:00")).timestamp() * 1000


def same_hits(hits: tuple[Hit, ...], recorded: list[dict[str, Any]]) -> bool:
    """True if the hits have the recorded paths, in the same order, and the other recorded values."""
    return len(hits) == len(recorded) and all(
        hit.path == entry["path"]
        and hit.score == entry["score"]
        and hit.kind.value == entry.get("kind", hit.kind.value)
        and hit.title == entry.get("title", hit.title)
        for hit, entry in zip(hits, recorded, strict=True)
    )


def shown(found: Search) -> dict[str, Any]:
    """A search in the format of the recordings."""
    return {
        "totalFound": found.total_found,
        "results": [{"path": h.path, "score": h.score, "kind": h.kind.value, "title": h.title} for h in found.hits],
    }


def search_differences(snapshot: Snapshot, now_ms: float, recorded: Mapping[str, Any]) -> list[str]:
    """A line for each case whose plain search differs from the recorded one."""
    found = []
    for case in recorded["cases"]:
        made = search(Context(snapshot, BRV3, now_ms), case["query"], SearchOptions(recorded["limit"]))
        expected = case["search"]
        if made.total_found != expected["totalFound"] or not same_hits(made.hits, expected["results"]):
            found.append(f"{case['id']} {case['query']!r}: {shown(made)} is not {expected}")
    return found


def raw_differences(snapshot: Snapshot, recorded: Mapping[str, Any]) -> list[str]:
    """The recorded raw scores (OR form, stop words kept) that differ from ours by more than a relative 1e-9."""
    found = []
    for case in recorded["cases"]:
        table = match_terms(snapshot, terms(case["query"]), BRV3.text)
        for entry in case["raw"]:
            position = snapshot.by_path[entry["path"]]
            got = float(table.raw[position])
            if not math.isclose(got, entry["score"], rel_tol=1e-9):
                found.append(f"{case['id']} {case['query']!r} {entry['path']}: {got!r} is not {entry['score']!r}")
            if int(table.matched_terms[position]) != entry["queryTerms"]:
                found.append(f"{case['id']} {entry['path']}: {table.matched_terms[position]} query terms matched")
    return found


def route_differences(snapshot: Snapshot, now_ms: float, recorded: Mapping[str, Any]) -> list[str]:
    """The cases whose tier, tier of the repeated query, results or metadata differ from the recorded ones."""
    found = []
    for case in recorded["cases"]:
        expected, query = case["query_run"], case["query"]
        first, state = route(Context(snapshot, BRV3, now_ms), CacheContents(), RouteRequest(query, run=True))
        again, _ = route(Context(snapshot, BRV3, now_ms), state, RouteRequest(f"  {query.upper()} ", run=True))
        tiers = (first.tier, again.tier)
        if tiers != (expected["tier"], expected["repeat_tier"]) or not same_hits(first.hits, expected["matched"]):
            hits = [(hit.path, hit.score) for hit in first.hits]
            found.append(f"{case['id']} {query!r}: {tiers} {hits} is not {expected}")
        meta, prompt = expected["meta"], first.answer.prompt
        if prompt:
            names = ("resultCount", "topScore", "totalFound")
            if any(prompt.variables[name] != meta[name] for name in names):
                found.append(f"{case['id']} {query!r}: {prompt.variables} is not {meta}")
    return found


def sequence_differences(snapshot: Snapshot, now_ms: float, recorded: Mapping[str, Any]) -> list[str]:
    """The steps on one cache whose tier or number of cached answers differs from the recorded one."""
    found = []
    state, clock = CacheContents(), now_ms
    touched: dict[str, int] = {}
    for step in recorded["sequence"]:
        clock += step["wait"] * 1000
        if step["touch"]:
            touched[step["touch"]] = int(clock)
        made, state = route(
            Context(snapshot, BRV3, clock), state, RouteRequest(step["query"], run=True, touched=dict(touched))
        )
        if (made.tier, len(state.entries)) != (step["tier"], step["cached"]):
            found.append(f"{step['step']} {step['query']!r}: tier {made.tier}, {len(state.entries)} cached, not {step}")
    return found
