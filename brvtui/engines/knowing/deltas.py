"""What changed between two packed contexts, and whether sending that is cheaper than sending the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from brvtui.engines.knowing.model import Edge, Graph, Node
from brvtui.engines.knowing.ranking_rules import PackingRules

Link = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ContextDelta:
    """The difference of two packed contexts. Nodes are named by id."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    added_edges: int
    removed_edges: int
    whole_tokens: int
    delta_tokens: int
    is_worth_it: bool

    @property
    def overlap(self) -> float:
        """The per cent of the new context that was in the old one."""
        count = len(self.added) + len(self.unchanged)
        return 100 * len(self.unchanged) / count if count else 0.0

    @property
    def savings(self) -> float:
        """The per cent of tokens that the delta saves; below 0 when it costs more."""
        return 100 * (1 - self.delta_tokens / self.whole_tokens) if self.whole_tokens else 0.0


def pack_delta(
    before: Sequence[str], now: Sequence[Node], graph: Graph, tokens: Callable[[Node], int], rules: PackingRules
) -> ContextDelta:
    """The difference between a pack of the nodes with the ids ``before`` and one of the nodes ``now``.

    What is not in ``graph`` any more counts as removed; edges are those among the nodes of a pack.
    """
    nodes = [graph.find(id_) or Node(id_, "", id_, id_) for id_ in before]
    held = (_edges_among(before, graph), _edges_among([node.id for node in now], graph))
    return delta(nodes, now, *held, tokens, rules)


def _edges_among(ids: Sequence[str], graph: Graph) -> list[Edge]:
    inside = set(ids)
    return [edge for id_ in ids for edge in graph.edges_from(id_) if edge.target in inside]


def delta(
    before: Sequence[Node],
    now: Sequence[Node],
    edges_before: Sequence[Edge],
    edges_now: Sequence[Edge],
    tokens: Callable[[Node], int],
    rules: PackingRules,
) -> ContextDelta:
    """The difference between the context ``before`` and ``now``; ``tokens`` is what a node costs."""
    old, new = {node.id for node in before}, {node.id for node in now}
    added = [node for node in now if node.id not in old]
    removed = [node.id for node in before if node.id not in new]
    links_before, links_now = {edge[:3] for edge in edges_before}, {edge[:3] for edge in edges_now}
    changed = len(links_before ^ links_now)
    whole = rules.whole_tokens + sum(map(tokens, now)) + rules.edge_tokens * len(edges_now)
    cost = rules.delta_tokens + sum(map(tokens, added))
    cost += rules.removed_node_tokens * len(removed) + rules.changed_edge_tokens * changed
    return ContextDelta(
        tuple(node.id for node in added),
        tuple(removed),
        tuple(node.id for node in now if node.id in old),
        len(links_now - links_before),
        len(links_before - links_now),
        whole,
        cost,
        cost < rules.delta_worth * whole,
    )
