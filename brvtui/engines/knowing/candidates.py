"""From fused candidates to seeds: implementing types, noise, packages, numbers (``docs/knowing.md``, "Seeds")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from brvtui.engines.knowing.keywords import lower, size
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.seed_rules import NoiseRules, SeedRules
from brvtui.ranking.fusion import Share, share

# The channels merged into one list of candidates (``docs/knowing.md``, "Fusion").


class Channel(StrEnum):
    """A way to find nodes, in the order in which equal scores keep it."""

    TIERED = "tiered"
    FULL_TEXT = "bm25"
    EQUIVALENCE = "equivalence"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class ChannelList:
    """The ids that a channel found, best first, and its weight in the fusion."""

    name: str
    ids: Sequence[str]
    weight: float
    factors: Mapping[int, float] | None = None
    """What the share of some ranks is multiplied with."""


class FusedNode(NamedTuple):
    """A candidate: the sum of its shares, and the share of each place that it has; ``leg`` counts the channels."""

    id: str
    score: float
    shares: tuple[Share, ...]


def fused(channels: Sequence[ChannelList], k: float, limit: int) -> list[FusedNode]:
    """The best ``limit`` nodes by reciprocal rank fusion: a place adds ``weight / (k + rank + 1)``, rank from 0.

    Equal scores keep the order of the channels, and of each channel. A channel without weight is left out.
    """
    shares: dict[str, list[Share]] = {}
    for leg, channel in enumerate(channels):
        if channel.weight:
            for rank, id_ in enumerate(channel.ids):
                factor = (channel.factors or {}).get(rank, 1.0)
                shares.setdefault(id_, []).append(share(rank, k, leg, channel.weight * factor))
    made = [FusedNode(id_, sum(part.value for part in parts), tuple(parts)) for id_, parts in shares.items()]
    return sorted(made, key=lambda one: -one.score)[:limit]


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
