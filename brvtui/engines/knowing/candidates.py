"""Chooses seeds from fused candidates: adds implementing types, removes noise, prefers the largest package, and applies
limits.

See ``docs/reference/knowing.md``, "Seeds".
"""

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

# Fusion of the channels' lists into one list of candidates (``docs/reference/knowing.md``, "Fusion").


class Channel(StrEnum):
    """The methods of finding nodes. If scores are equal in the fusion, earlier channels come first."""

    TIERED = "tiered"
    FULL_TEXT = "bm25"
    EQUIVALENCE = "equivalence"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class ChannelList:
    """The ids that a channel found, best first, and the channel's weight in the fusion."""

    name: str
    ids: Sequence[str]
    weight: float
    factors: Mapping[int, float] | None = None
    """Factors for the shares of some ranks, keyed by rank."""


class FusedNode(NamedTuple):
    """A candidate whose score is the sum of its shares. The ``leg`` of a share is a channel's number."""

    id: str
    score: float
    shares: tuple[Share, ...]


def fused(channels: Sequence[ChannelList], k: float, limit: int) -> list[FusedNode]:
    """The best ``limit`` nodes by reciprocal rank fusion. Each rank, counted from 0, adds ``weight / (k + rank + 1)``
    to the node's score.

    Nodes with equal scores keep the order of the channels. Channels with weight 0 are left out.
    """
    shares: dict[str, list[Share]] = {}
    for leg, channel in enumerate(channels):
        if channel.weight:
            for rank, id_ in enumerate(channel.ids):
                factor = (channel.factors or {}).get(rank, 1.0)
                shares.setdefault(id_, []).append(share(rank, k, leg, channel.weight * factor))
    nodes = [FusedNode(id_, sum(part.value for part in parts), tuple(parts)) for id_, parts in shares.items()]
    return sorted(nodes, key=lambda one: -one.score)[:limit]


class NoiseKind(StrEnum):
    """The kinds of noise, which are reasons not to use a candidate as a seed."""

    EXTERNAL = "outside the corpus"
    FRAGMENT = "path"
    OWNER = "stand-in for tests"
    SHORT = "short name"


class Noise(NamedTuple):
    """A candidate that is noise, and the text that makes it noise."""

    id: str
    kind: NoiseKind
    text: str


class SeedNode(NamedTuple):
    """A starting node of the walk, and its weight."""

    id: str
    weight: float
    by_path: bool = False
    """True if only the path channel found the node."""


def with_implementers(ids: Sequence[str], graph: Graph, rules: SeedRules) -> list[str]:
    """``ids``, followed by the ids of nodes that implement an interface or type among them."""
    result = dict.fromkeys(ids)
    for id_ in ids:
        node = graph.find(id_)
        if node is not None and node.kind in rules.implemented_kinds:
            result.update(dict.fromkeys(edge.source for edge in graph.edges_to(id_, rules.implements)))
    return list(result)


def noise(node: Node, rules: NoiseRules) -> Noise | None:
    """The reason not to use ``node`` as a seed; None if it can be one."""
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
    """The ``nodes`` that can be seeds, in their given order, and the ones that are noise."""
    kept, dropped = [], []
    for node in nodes:
        reason = noise(node, rules)
        if reason is None:
            kept.append(node)
        else:
            dropped.append(reason)
    return kept, dropped


def types_first(nodes: Sequence[Node], rules: SeedRules) -> list[Node]:
    """The ``nodes`` with types before members. Each group keeps its order."""
    return sorted(nodes, key=lambda node: node.kind not in rules.first_kinds)


def focused(nodes: Sequence[Node], rules: SeedRules) -> tuple[list[Node], str]:
    """The ``nodes``, starting with those in the largest package, and the name of that package.

    If several packages are equally large, the first one is used. If none is large enough, the order does not change,
    and the name is empty.
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
    """The most frequent package among ``nodes``; empty if it contains too few of them.

    If several packages are equally frequent, the one that reaches this count first wins.
    """
    counts: Counter[str] = Counter()
    package, highest = "", rules.focus_least - 1
    for node in nodes:
        counts[node.package] += 1
        if counts[node.package] > highest:
            package, highest = node.package, counts[node.package]
    return package


def seed_count(graph_size: int, rules: SeedRules) -> int:
    """The maximum number of seeds in a graph of ``graph_size`` nodes."""
    sizes = (rules.large, rules.medium)
    return next((size_.seeds for size_ in sizes if graph_size > size_.above), rules.small.seeds)


def seeds(candidates: Sequence[str], by_path: Sequence[str], graph_size: int, rules: SeedRules) -> list[SeedNode]:
    """The first candidates with decreasing weights, followed by nodes that only the path channel found."""
    count = min(seed_count(graph_size, rules), len(candidates))
    chosen = {id_: SeedNode(id_, 1 / (1 + rules.rank_step * rank)) for rank, id_ in enumerate(candidates[:count])}
    limit = count + rules.path_more
    for id_ in by_path:
        if id_ not in chosen:
            chosen[id_] = SeedNode(id_, rules.path_weight, by_path=True)
            if len(chosen) >= limit:
                break
    return list(chosen.values())
