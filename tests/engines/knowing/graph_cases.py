"""The real program's recorded answers, and its graphs in our format."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from brvtui.engines.knowing.model import Edge, Graph, Node, symbol

DATA = Path(__file__).parents[2] / "data" / "knowing"
FOLDERS = (DATA, DATA / "more", DATA / "sampled")
"""The original cases, cases that were added later, and random samples (``benchmarks/knowing_oracle.py``)."""
Case = dict[str, Any]
BROKEN = "\ufffd"


def cases(family: str) -> list[Case]:
    """The recorded cases of ``family``."""
    files = (folder / f"{family}.json" for folder in FOLDERS)
    held = [case for file in files if file.exists() for case in json.loads(file.read_text(encoding="utf-8"))["cases"]]
    assert held
    return held


def node(record: dict[str, Any], now: float = 0.0) -> Node:
    """A recorded node in our format. Its id is its qualified name unless it has an id."""
    age = record.get("last_commit_age_seconds")
    return symbol(
        record.get("qualified_name", record.get("id", "")),
        record.get("kind", "function"),
        id_=record.get("id", ""),
        signature=record.get("signature", ""),
        doc=record.get("doc", ""),
        path=record.get("file_path", record.get("file", "")),
        modified=None if age is None else now - age,
    )


def edges(records: Iterable[dict[str, Any]]) -> tuple[Edge, ...]:
    """Recorded edges in our format."""
    return tuple(
        Edge(
            record["source"],
            record["target"],
            record.get("type", "calls"),
            record.get("confidence", 0.7),
            record.get("provenance", "ast_inferred"),
        )
        for record in records
    )


def graph(record: dict[str, Any]) -> Graph:
    """A recorded graph in our form, in the recorded order, followed by the seeds and edge ends without a recorded node,
    sorted by id.
    """
    nodes = {one.id: one for one in map(node, record.get("nodes", ()))}
    links = edges(record.get("edges", ()))
    named = {seed["id"] for seed in record.get("seeds", ())}
    named |= set() if nodes else {end for edge in links for end in edge[:2]}
    for id_ in sorted(named - nodes.keys()):
        nodes[id_] = symbol(id_, "function")
    return Graph(tuple(nodes.values()), links)


def close(ours: Any, wanted: Any, tolerance: float = 1e-9) -> bool:
    """True if two JSON values are equal, with numbers within ``tolerance``."""
    if isinstance(wanted, dict):
        return ours.keys() == wanted.keys() and all(close(ours[key], wanted[key], tolerance) for key in wanted)
    if isinstance(wanted, list):
        return len(ours) == len(wanted) and all(close(*pair, tolerance) for pair in zip(ours, wanted, strict=True))
    if isinstance(wanted, float) or isinstance(ours, float):
        return abs(ours - wanted) <= tolerance
    return bool(ours == wanted)
