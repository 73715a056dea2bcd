"""The random walk with restart: how much of a walker's time, who starts at the seeds, each node takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from brvtui.engines.knowing.model import EXTERNAL, Graph, Node, Positions
from brvtui.engines.knowing.ranking_rules import WalkRules

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Matrix = Any
"""A sparse matrix of scipy, which has no types."""
Ended = Literal["settled", "order", "rounds", "no seeds"]
"""Why a walk ended: it changed no more; its leaders kept their order; it had its rounds; there was no start."""
_RESTART = 0.2
_DIGITS = 12
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class WalkRound:
    """One round: how much probability moved, how much is in the graph, and what has leaked."""

    change: float
    """The sum of the differences from the round before."""
    mass: float
    """With ``lost_to_modules`` and ``lost_as_negligible`` it sums to 1."""
    lost_to_modules: float
    lost_as_negligible: float


@dataclass(frozen=True, eq=False)
class Walk:
    """The outcome of a walk. Arrays are by position in the graph."""

    probability: Floats
    rounds: tuple[WalkRound, ...]
    ended: Ended
    levels: Positions
    """How many edges each node is from a seed, over loaded edges; -1 for one that the walk cannot reach."""
    seeds: Mapping[int, float]
    """The share of the walk's start that each seed has."""
    steps: Matrix
    """The share of a node's probability that goes to each other, before the restart; those of dead ends are 0."""
    dead: Flags
    """Whether a node has no way on, so that its probability goes back to the seeds."""
    restart: float
    negligible: float

    @cached_property
    def scores(self) -> Floats:
        """The probabilities, divided by the greatest."""
        most = float(self.probability.max(initial=0.0))
        return self.probability / most if most else self.probability

    @property
    def start(self) -> Floats:
        """The distribution in which each walker starts."""
        return _start(self.seeds, len(self.probability))


@dataclass(frozen=True, eq=False)
class Roads:
    """The edges of a graph as the walk uses them: in both directions, each with its weight.

    Entries are sorted by the node that they leave; every edge has two.
    """

    leaves: Positions
    enters: Positions
    edges: Positions
    """The edge of each entry, by position in the graph."""
    weights: Floats
    hinders: Flags
    """Whether the entry loses weight when it leads into another module."""
    starts: Positions
    modules: Positions
    """The module of each node as a number; -1 for none."""
    expands: Flags
    """Whether the walk reads the edges of a node: not of one outside of the corpus."""

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.modules)


def roads(graph: Graph, rules: WalkRules) -> Roads:
    """The edges of ``graph`` as the walk uses them under ``rules``."""
    weights = np.fromiter((edge_weight(edge.type, edge.provenance, rules) for edge in graph.edges), float)
    hinders = np.fromiter((edge.type not in rules.crossing_types for edge in graph.edges), bool)
    leaves = np.concatenate([graph.sources, graph.targets])
    enters = np.concatenate([graph.targets, graph.sources])
    order = np.argsort(leaves, kind="stable")
    starts = np.zeros(graph.size + 1, np.int64)
    np.cumsum(np.bincount(leaves, minlength=graph.size), out=starts[1:])
    edges = np.concatenate([np.arange(len(graph.edges))] * 2)[order]
    known: dict[str, int] = {}
    modules = np.full(graph.size, -1, np.int64)
    expands = np.ones(graph.size, bool)
    for place, node in enumerate(graph.nodes):
        expands[place] = not _is_outside(node)
        if node.module:
            modules[place] = known.setdefault(node.module, len(known))
    return Roads(leaves[order], enters[order], edges, weights[edges], hinders[edges], starts, modules, expands)


def _is_outside(node: Node) -> bool:
    name = node.qualified_name
    return name.startswith("external://") or (node.kind == EXTERNAL and "external" in name)


def edge_weight(type_: str, provenance: str, rules: WalkRules) -> float:
    """The walk's weight of an edge."""
    if rules.whole_neighbourhood:
        type_ = type_ if type_ in rules.kept_types else rules.lost_type
        return rules.edge_weights.get(type_, rules.other_edges)
    weight = rules.edge_weights.get(type_, rules.other_edges)
    return weight * rules.generated_edges if provenance == "lsp_resolved" else weight


def walk(ways: Roads, seeds: Mapping[int, float], rules: WalkRules) -> Walk:
    """Walks from ``seeds``, positions with their weights. A weight of 0 or less counts as 1."""
    shares = _shares(seeds)
    start = _start(shares, ways.size)
    restart = rules.restart if 0 < rules.restart < 1 else _RESTART
    levels, loaded = _load(ways, list(shares), rules)
    steps, leaks, dead = _steps(ways, levels, loaded, rules)
    arrivals = steps.T.tocsr()
    rounds: list[WalkRound] = []
    current, unchanged = start, 0
    leaders: list[int] = []
    to_modules = as_negligible = 0.0
    ended: Ended = "rounds"
    for _ in range(rules.rounds if shares else 0):
        moving = np.where(current >= rules.negligible, current, 0.0)
        after = restart * start + (1 - restart) * (arrivals @ moving + float(moving[dead].sum()) * start)
        to_modules = (1 - restart) * (to_modules + float(moving @ leaks))
        as_negligible = (1 - restart) * (as_negligible + float((current - moving).sum()))
        change = float(np.abs(after - current).sum())
        rounds.append(WalkRound(change, float(after.sum()), to_modules, as_negligible))
        now = _leaders(after, rules.leaders)
        unchanged = unchanged + 1 if len(rounds) > 1 and now == leaders else 0
        current, leaders = after, now
        if change < rules.settled or unchanged >= rules.leaders_rounds:
            ended = "settled" if change < rules.settled else "order"
            break
    return Walk(current, tuple(rounds), ended, levels, shares, steps, dead, restart, rules.negligible)


def _shares(seeds: Mapping[int, float]) -> dict[int, float]:
    total = sum(seeds.values())
    total = total if total > 0 else float(len(seeds))
    return {place: (weight if weight > 0 else 1.0) / total for place, weight in seeds.items()}


def _start(shares: Mapping[int, float], size: int) -> Floats:
    made = np.zeros(size)
    for place, share in shares.items():
        made[place] = share
    return made


def _load(ways: Roads, seeds: list[int], rules: WalkRules) -> tuple[Positions, Flags]:
    """How many loaded edges each node is from a seed, -1 for those out of reach; and which entries are loaded.

    A node of the last level is a dead end, as its own edges are not loaded.
    """
    usable = np.ones(len(ways.weights), bool) if rules.whole_neighbourhood else ways.weights > 0
    expanded = np.zeros(ways.size, bool)
    frontier = np.zeros(ways.size, bool)
    frontier[seeds] = True
    for _ in range(rules.levels + rules.whole_neighbourhood):
        expanded |= frontier
        frontier = _beside(ways, frontier, usable) & ways.expands & ~expanded
    loaded = expanded[ways.leaves]
    return _hops(ways, seeds, loaded), loaded


def _hops(ways: Roads, seeds: list[int], loaded: Flags) -> Positions:
    hops = np.full(ways.size, -1, np.int64)
    frontier = np.zeros(ways.size, bool)
    frontier[seeds] = True
    level = 0
    while frontier.any():
        hops[frontier] = level
        frontier = _beside(ways, frontier, loaded) & (hops < 0)
        level += 1
    return hops


def _beside(ways: Roads, frontier: Flags, usable: Flags) -> Flags:
    """Which nodes a usable entry joins with the frontier."""
    found = np.zeros(ways.size, bool)
    found[ways.enters[frontier[ways.leaves] & usable]] = True
    return found


def _steps(ways: Roads, levels: Positions, loaded: Flags, rules: WalkRules) -> tuple[Matrix, Floats, Flags]:
    """The share of each node's probability that goes to each other, the share that leaks, and which are dead ends."""
    weights = np.where(loaded, ways.weights, 0.0)
    totals = np.bincount(ways.leaves, weights, ways.size)
    dead = totals == 0
    shares = weights / np.where(dead, 1.0, totals)[ways.leaves]
    modules = _known_modules(ways, levels, rules)
    leaks = np.zeros(ways.size)
    if rules.other_module < 1 and len(np.unique(modules[modules >= 0])) > 1:
        here, there = modules[ways.leaves], modules[ways.enters]
        hindered = ways.hinders & (here >= 0) & (there >= 0) & (here != there)
        kept = np.where(hindered, shares * rules.other_module, shares)
        leaks += np.bincount(ways.leaves, shares - kept, ways.size)
        shares = kept
    return csr_array((shares, ways.enters, ways.starts), shape=(ways.size, ways.size)), leaks, dead


def _known_modules(ways: Roads, levels: Positions, rules: WalkRules) -> Positions:
    """The module of each reached node, as far as they are looked at; nearest nodes first."""
    reached = np.flatnonzero(levels >= 0)
    if rules.module_sample:
        reached = reached[np.argsort(levels[reached], kind="stable")][: rules.module_sample]
    modules = np.full(ways.size, -1, np.int64)
    modules[reached] = ways.modules[reached]
    return modules


def _leaders(probability: Floats, count: int) -> list[int]:
    """The best nodes in their order. Rounding keeps equal nodes in the order of the graph."""
    found = np.flatnonzero(probability)
    if len(found) > count:
        least = np.partition(probability[found], len(found) - count)[len(found) - count]
        found = found[probability[found] >= least - _ROUNDING]
    order = np.argsort(-np.round(probability[found], _DIGITS), kind="stable")
    return [int(place) for place in found[order][:count]]
