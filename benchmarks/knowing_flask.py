"""Runs the 18 tasks of knowing's own benchmark on its graph of Flask 3.1.0, and measures what each channel contributes.

    python -m benchmarks.knowing_flask

The tasks and the graph are knowing's (MIT, (c) 2026 Dayna Blackwell / Blackwell Systems). The original program has a
P@10 of 0.361 on these tasks, and 0.311 without hand-made classes; differences below about 0.02 are noise.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.knowing_judging import SymbolMetrics, judge
from brvtui.engines.knowing.equivalence import PhraseTable, built_in_classes, language_of
from brvtui.engines.knowing.model import Edge, Graph, Node, symbol, terminal_name
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.pipeline import TaskIndex, TaskRequest, for_task, task_index
from brvtui.engines.knowing.profile import KnowingProfile, load_profile
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.scoring import ScoredCandidate, lifts_penalty
from brvtui.engines.knowing.seeding import seed_index

_ROOT = Path(__file__).resolve().parents[1]
_TASKS = _ROOT / "benchmarks/data/knowing_flask_tasks.json"
RECORDED = _ROOT / "tests/data/knowing/flask_graph.json.gz"
_BUDGET = 5000
NO_CLASSES = PhraseTable(())
Change = Callable[[KnowingProfile], KnowingProfile]


@dataclass(frozen=True, slots=True)
class FlaskTask:
    """A task and the symbols that it needs."""

    id: str
    text: str
    needed: tuple[str, ...]


@cache
def flask() -> Graph:
    """The graph of Flask 3.1.0 from knowing's own indexer."""
    held = json.loads(gzip.decompress(RECORDED.read_bytes()))
    nodes = [dict(zip(held["node_columns"], row, strict=True)) for row in held["nodes"]]
    ids = [f"{place:04d}" for place in range(len(nodes))]
    dangling = {end for row in held["edges"] for end in row[:2]} - set(range(len(nodes)))
    ids += [f"unresolved {place}" for place in range(len(nodes), max(dangling, default=0) + 1)]
    edges = [dict(zip(held["edge_columns"], row, strict=True)) for row in held["edges"]]
    return Graph(
        tuple(_node(ids[place], node) for place, node in enumerate(nodes)),
        tuple(
            Edge(ids[edge["source"]], ids[edge["target"]], edge["type"], edge["confidence"], edge["provenance"])
            for edge in edges
        ),
    )


def _node(id_: str, row: dict[str, Any]) -> Node:
    return symbol(
        row["qualified_name"],
        row["kind"],
        id_=id_,
        signature=row["signature"],
        doc=row["doc"],
        path=row["file_path"],
    )


@cache
def tasks() -> tuple[FlaskTask, ...]:
    """The tasks, without needed symbols that the graph lacks, as in knowing's own benchmark."""
    names = {terminal_name(node.qualified_name).lower() for node in flask().nodes}
    held = json.loads(_TASKS.read_text(encoding="utf-8"))["tasks"]
    return tuple(
        FlaskTask(
            task["id"],
            task["task"],
            tuple(one for one in task["ground_truth"] if terminal_name(one).lower() in names),
        )
        for task in held
    )


def index(profile: KnowingProfile, with_classes: bool = True, graph: Graph | None = None) -> TaskIndex:
    """The index of Flask under ``profile``, with or without knowing's hand-made classes. ``graph`` replaces the
    recorded graph.
    """
    over = graph or flask()
    classes = built_in_classes(profile.equivalence.verbs) if with_classes else NO_CLASSES
    return task_index(seed_index(over, profile, classes, language_of(over, profile.equivalence)))


def answer(task: str, made: TaskIndex) -> list[ScoredCandidate]:
    """The packed context of ``task``, by score."""
    rules = made.profile
    lifted = lifts_penalty(task, rules.scoring)
    around = ScoringContext(0.0, penalised=(lambda _: False) if lifted else is_test)
    request = TaskRequest(task, _BUDGET, lambda node: node_tokens(node, rules.packing))
    return for_task(request, made, around).packed.packed


def measured(made: TaskIndex) -> dict[str, SymbolMetrics]:
    """The symbols from ``made`` for each task, keyed by the task's id."""
    return {
        task.id: judge([one.node.qualified_name for one in answer(task.text, made)], task.needed) for task in tasks()
    }


def means(metrics: Mapping[str, SymbolMetrics]) -> tuple[float, float, float]:
    """The means of precision@10, recall@10 and reciprocal rank."""
    held = list(metrics.values())
    return (
        sum(one.precision[10] for one in held) / len(held),
        sum(one.recall[10] for one in held) / len(held),
        sum(one.reciprocal_rank for one in held) / len(held),
    )


def _without(channel: str) -> Change:
    return lambda profile: replace(profile, fusion=replace(profile.fusion, **{channel: 0.0}))


def _walk(**changes: Any) -> Change:
    return lambda profile: replace(profile, walk=replace(profile.walk, **changes))


def _same(profile: KnowingProfile) -> KnowingProfile:
    return profile


ABLATIONS: Sequence[tuple[str, Change]] = (
    ("as it is", _same),
    ("without names (tiered)", _without("tiered")),
    ("without full text", _without("full_text")),
    ("without equivalence classes' channel", _without("equivalence")),
    ("without paths", lambda one: replace(one, paths=replace(one.paths, limit=0))),
    ("without the walk: seeds alone", _walk(rounds=1)),
    ("without hubs and authorities", lambda one: replace(one, hits=replace(one.hits, more_than=10**9))),
    ("full text with quoted terms", lambda one: replace(one, full_text=replace(one.full_text, quoted=True))),
    ("every edge in any module", _walk(other_module=1.0)),
)


def main() -> None:
    """Prints a table of each profile, with and without hand-made classes, complete and without each of its parts."""
    print(f"{len(tasks())} tasks, {len(flask().nodes)} nodes, {len(flask().edges)} edges, {_BUDGET} tokens")
    for name in ("knowing-code", "knowing"):
        for with_classes in (True, False):
            print(f"\n{name}, {'with' if with_classes else 'without'} hand-made classes")
            print(f"{'':<40}  P@10   R@10   MRR")
            for label, change in ABLATIONS:
                row = means(measured(index(change(load_profile(name)), with_classes)))
                print(f"{label:<40}  " + "  ".join(f"{value:.3f}" for value in row))


if __name__ == "__main__":
    main()
