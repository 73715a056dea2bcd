"""Compares our code graph of Flask 3.1.0 with the one that the program knowing built.

    python -m benchmarks.knowing_extractor flask-3.1.0/ [--tasks]

The folder is the unpacked source (`pip download flask==3.1.0 --no-binary flask --no-deps`). Prints the shares of nodes
and of resolvable edges (both ends are nodes) that were found, by kind and type, and the missing ones with their
reasons, if known. With ``--tasks``, also measures the engine's answers to knowing's 18 Flask tasks on both graphs.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import knowing_flask
from brvtui.corpus.code.documents import SymbolPages
from brvtui.corpus.code.index import build_index
from brvtui.corpus.code.records import CodeGraph
from brvtui.engines.knowing.code_tasks import graph_of_code
from brvtui.engines.knowing.profile import PROFILES, load_profile

LISTED = 12
UNMATCHED_KINDS = ("workflow", "job", "action", "class_selector", "var")


@dataclass(frozen=True)
class Recorded:
    nodes: list[list[str]]
    edges: list[tuple[str, str, str, float]]
    """The source, target, type and confidence of resolvable edges."""


def recorded(data: dict[str, Any]) -> Recorded:
    nodes, count = data["nodes"], data["node_count"]
    names = [node[0] for node in nodes]
    edges = [
        (names[edge[0]], names[edge[1]], edge[2], edge[4])
        for edge in data["edges"]
        if edge[0] < count and edge[1] < count
    ]
    return Recorded(nodes, edges)


def keys(edges: Iterable[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """The edges as keys; edges of undirected types have no direction."""
    return {
        (min(source, target), max(source, target), kind) if kind == "similar_to" else (source, target, kind)
        for source, target, kind in edges
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--tasks", action="store_true")
    options = parser.parse_args()
    data = json.loads(gzip.decompress(knowing_flask.RECORDED.read_bytes()))
    repository = data["repo_url"]
    graph = build_index(options.source, f"{repository}://{repository.rpartition('/')[2]}").graph()
    compare(graph, recorded(data), options.source)
    if options.tasks:
        answer_tasks(graph)


def answer_tasks(graph: CodeGraph) -> None:
    """Prints the quality of the answers to the 18 tasks on the recorded graph and on ``graph``."""
    print("tasks: P@10, R@10, MRR")
    for profile in map(load_profile, PROFILES):
        for with_classes in (True, False):
            for label, made in (("recorded", None), ("own", graph_of_code(SymbolPages(graph)))):
                index = knowing_flask.index(profile, with_classes, made)
                means = "  ".join(f"{mean:.3f}" for mean in knowing_flask.means(knowing_flask.measured(index)))
                print(f"  {profile.name:13} {'with' if with_classes else 'without'} classes, {label:9} {means}")


def compare(graph: CodeGraph, wanted: Recorded, source: Path) -> None:
    own = {(graph.qualified_name(node.id), node.kind) for node in graph.nodes}
    missing = [node for node in wanted.nodes if (node[0], node[1]) not in own]
    print(f"nodes: {share(len(wanted.nodes) - len(missing), len(wanted.nodes))}; {len(graph.nodes)} are found")
    present = [node for node in missing if (source / node[4]).exists() and node[1] not in UNMATCHED_KINDS]
    absent = sum(not (source / node[4]).exists() for node in missing)
    print(f"  {absent} missing: their files are not in {source.name}")
    print(f"  {len(missing) - absent - len(present)} missing: of YAML, CSS, make and .env files, which are not read")
    show("missing otherwise", (f"{node[1]} {node[0]}" for node in present))
    theirs = {node[0] for node in wanted.nodes}
    known = {name for name, _ in own}
    show("found beyond the recording", sorted(known - theirs))

    named = [(graph.qualified_name(edge.source), graph.qualified_name(edge.target), edge.type) for edge in graph.edges]
    found, similar = keys(named), similar_groups(graph)
    print(f"resolvable edges, by type; {sum(one[0] in known and one[1] in known for one in named)} are found")
    total: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    unexplained: list[str] = []
    for first, second, kind, sure in wanted.edges:
        total[kind] += 1
        if keys([(first, second, kind)]) <= found:
            hit[kind] += 1
            continue
        reason = why_missing(first, second, kind, sure, known, similar)
        reasons[reason or f"other {kind}"] += 1
        if not reason:
            unexplained.append(f"{kind} {first} -> {second}")
    for kind in total:
        print(f"  {kind:15} {share(hit[kind], total[kind])}")
    print(f"  {'all':15} {share(hit.total(), total.total())}")
    absent = reasons["its files are not in the source, or not read"]
    loops = reasons["a function with itself: what is inside of functions is read twice"]
    ties = reasons["left by the cap on pairs: another pair is as similar"]
    comparable = total.total() - absent - loops
    print(f"  without loops and files that are not there: {share(hit.total(), comparable)}")
    print(f"  and where equally similar pairs count alike: {share(hit.total() + ties, comparable)}")
    for reason, count in reasons.most_common():
        print(f"  {count:5} missing: {reason}")
    show("missing otherwise", unexplained)


def similar_groups(graph: CodeGraph) -> dict[str, list[float]]:
    """The similarities of the pairs of each function, by its qualified name."""
    found: dict[str, list[float]] = {}
    for edge in graph.edges:
        if edge.type == "similar_to":
            for end in (edge.source, edge.target):
                found.setdefault(graph.qualified_name(end), []).append(edge.confidence)
    return found


def why_missing(
    first: str, second: str, kind: str, sure: float, known: set[str], similar: dict[str, list[float]]
) -> str:
    """The reason why an edge was not found, if known."""
    if first == second and kind == "similar_to":
        return "a function with itself: what is inside of functions is read twice"
    if first not in known or second not in known:
        return "its files are not in the source, or not read"
    if kind == "similar_to":
        full = [min(pairs) for pairs in (similar.get(first, []), similar.get(second, [])) if len(pairs) >= 5]
        if full and max(full) >= sure - 1e-9:
            return "left by the cap on pairs: another pair is as similar"
    if kind in ("contains", "member_of") and first.rpartition(".")[0] != second and second.rpartition(".")[0] != first:
        return "a field that was taken for that of another class of this name"
    return ""


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "none"


def show(title: str, lines: Iterable[str]) -> None:
    shown = list(lines)
    print(f"  {title}: {len(shown)}")
    for line in shown[:LISTED]:
        print(f"    {line}")
    if len(shown) > LISTED:
        print(f"    … and {len(shown) - LISTED} more")


if __name__ == "__main__":
    main()
