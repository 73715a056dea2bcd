"""From fused candidates to seeds: implementing types, noise, packages, numbers (``docs/knowing.md``, "Seeds")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from brvtui.engines.knowing.keywords import lower, size
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.seed_rules import NoiseRules, SeedRules


class NoiseKind(StrEnum):
    """Why a candidate is no seed."""

    EXTERNAL = "outside the corpus"
    FRAGMENT = "path"
    OWNER = "stand-in for tests"
    SHORT = "short name"


class Noise(NamedTuple):
    """Why a candidate is no seed, and the text that says so."""

    id: str
    kind: NoiseKind
    text: str


class SeedNode(NamedTuple):
    """Where the walk starts, and its weight."""

    id: str
    weight: float
    by_path: bool = False
    """Whether only the channel of paths named it."""


def with_implementers(ids: Sequence[str], graph: Graph, rules: SeedRules) -> list[str]:
    """``ids``, and then what implements the interfaces and types among them."""
    made = dict.fromkeys(ids)
    for id_ in ids:
        node = graph.find(id_)
        if node is not None and node.kind in rules.implemented_kinds:
            made.update(dict.fromkeys(edge.source for edge in graph.edges_to(id_, rules.implements)))
    return list(made)


def noise(node: Node, rules: NoiseRules) -> Noise | None:
    """Why ``node`` is no seed; None for a good one."""
    if node.is_external:
        return Noise(node.id, NoiseKind.EXTERNAL, node.kind)
    name = lower(node.qualified_name)
    for text in rules.fragments:
        if text in name:
            return Noise(node.id, NoiseKind.FRAGMENT, text)
    segments = name.split(".")
    for text in rules.owners if len(segments) > 2 else ():
        if text in segments[-2]:
            return Noise(node.id, NoiseKind.OWNER, text)
    if len(segments) > 1 and size(node.name) <= rules.short_most and node.name not in rules.short_names:
        return Noise(node.id, NoiseKind.SHORT, node.name)
    return None


def noise_filtered(nodes: Iterable[Node], rules: NoiseRules) -> tuple[list[Node], list[Noise]]:
    """The nodes that may be seeds, in their order, and why the others may not."""
    kept, dropped = [], []
    for node in nodes:
        found = noise(node, rules)
        if found is None:
            kept.append(node)
        else:
            dropped.append(found)
    return kept, dropped


def types_first(nodes: Sequence[Node], rules: SeedRules) -> list[Node]:
    """Types before their members, each in its order."""
    return sorted(nodes, key=lambda node: node.kind not in rules.first_kinds)


def focused(nodes: Sequence[Node], rules: SeedRules) -> tuple[list[Node], str]:
    """The largest package first, and its name; of equal ones that which is seen first.

    Nothing moves, and the name is empty, when no package is large enough.
    """
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(node.package, []).append(node)
    largest = max(groups.values(), key=len, default=[])
    if len(largest) < rules.focus_least:
        return list(nodes), ""
    package = largest[0].package
    return [*largest, *(node for node in nodes if node.package != package)], package


def dominant_package(nodes: Sequence[Node], rules: SeedRules) -> str:
    """The package of most of ``nodes``, of equal ones that which is complete first; empty when it is too small."""
    counts: Counter[str] = Counter()
    package, most = "", rules.focus_least - 1
    for node in nodes:
        counts[node.package] += 1
        if counts[node.package] > most:
            package, most = node.package, counts[node.package]
    return package


def seed_count(graph_size: int, rules: SeedRules) -> int:
    """How many candidates are seeds in a graph of ``graph_size`` nodes."""
    sizes = (rules.large, rules.medium)
    return next((size_.seeds for size_ in sizes if graph_size > size_.above), rules.small.seeds)


def seeds(candidates: Sequence[str], by_path: Sequence[str], graph_size: int, rules: SeedRules) -> list[SeedNode]:
    """The first candidates, each weighing less than the one before, and then what only paths named."""
    count = min(seed_count(graph_size, rules), len(candidates))
    made = {id_: SeedNode(id_, 1 / (1 + rules.rank_step * rank)) for rank, id_ in enumerate(candidates[:count])}
    most = count + rules.path_more
    for id_ in by_path:
        if id_ not in made:
            made[id_] = SeedNode(id_, rules.path_weight, by_path=True)
            if len(made) >= most:
                break
    return list(made.values())
