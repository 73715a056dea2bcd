"""The random walk with restart, which computes the share of time that a walker from the seeds spends at each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from brvtui.engines.knowing.model import EXTERNAL, Edge, Graph, Node, Positions
from brvtui.engines.knowing.profile import WalkRules
from brvtui.engines.knowing.sections import ToldRound

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Matrix = Any
"""A sparse matrix; scipy has no type annotations."""
Ended = Literal["settled", "order", "rounds", "no seeds"]
"""The reasons why a walk ends: hardly any change, stable best nodes, the limit on rounds, or no seeds."""
_RESTART, _ROUNDS = 0.2, 20
"""The restart share and the number of rounds that are used if those in the rules are out of range."""
_DIGITS = 12
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Steps:
    """One step of a walk, without the restart: the share of each node's probability that goes to each other node."""

    arrivals: Matrix
    """The shares, with sources as columns and targets as rows. Parallel edges are merged."""
    leaks: Floats
    """The share of each node's probability that is lost in a step."""


@dataclass(frozen=True, eq=False)
class WalkEdges:
    """The edges of a graph in the form that the walk uses: in both directions, each with a weight.

    Each edge has two entries, one per direction. Entries are sorted by the node that they leave.
    """

    leaves: Positions
    enters: Positions
    edges: Positions
    """The index, in the graph, of each entry's edge."""
    weights: Floats
    hinders: Flags
    """True for entries that lose probability if they lead into a different module."""
    opens: Flags
    """True for entries that make the walk load the edges of their target node."""
    starts: Positions
    modules: Positions
    """The module number of each node; -1 for a node without a module."""
    expands: Flags
    """True for nodes whose edges the walk may load, that is, for nodes inside the corpus."""
    other_module: float
    is_whole: bool
    """True if edges are read as they are in the original program's cache. The cache is not used for a graph with only
    one edge.
    """

    @property
    def size(self) -> int:
        """The number of positions in the graph."""
        return len(self.modules)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the weights of the edges at each node."""
        return np.bincount(self.leaves, self.weights, self.size).astype(float)

    @cached_property
    def steps(self) -> Steps:
        """The steps if no probability is lost between modules."""
        return self.steps_among(np.full(self.size, -1, np.int64))

    @cached_property
    def hindered_steps(self) -> Steps:
        """The steps if probability is lost between the modules of all nodes."""
        return self.steps_among(self.modules)

    def steps_among(self, modules: Positions) -> Steps:
        """The steps if probability is lost between ``modules``, an array with the module number of each node, or -1."""
        shares = self.weights / np.where(self.totals, self.totals, 1.0)[self.leaves]
        here, there = modules[self.leaves], modules[self.enters]
        hindered = self.hinders & (here >= 0) & (there >= 0) & (here != there)
        passed = np.where(hindered, shares * self.other_module, shares)
        leaks = np.bincount(self.leaves, shares - passed, self.size).astype(float)
        matrix = csr_array((passed, self.enters, self.starts), shape=(self.size, self.size), copy=True)
        matrix.sum_duplicates()
        return Steps(matrix.T.tocsr(), leaks)


@dataclass(frozen=True, eq=False)
class Walk:
    """The outcome of a walk. Arrays are indexed by position in the graph."""

    probability: Floats
    rounds: tuple[ToldRound, ...]
    ended: Ended
    start: Floats
    """The distribution of the probability at the start."""
    ways: WalkEdges
    steps: Steps
    expanded: Flags
    """True for nodes whose edges were loaded. Other nodes that the walk reaches are dead ends."""
    restart: float
    negligible: float
    most_levels: int
    """The maximum number of edges from a seed that :attr:`levels` counts."""

    @cached_property
    def scores(self) -> Floats:
        """The probabilities divided by the highest one."""
        highest = float(self.probability.max(initial=0.0))
        return self.probability / highest if highest else self.probability

    @property
    def dead(self) -> Flags:
        """True for nodes where the walk cannot continue. Their probability returns to the seeds."""
        dead: Flags = ~self.expanded | (self.ways.totals == 0)
        return dead

    @cached_property
    def levels(self) -> Positions:
        """The smallest number of loaded edges from a seed to each node; -1 for nodes that cannot be reached."""
        hops = np.full(self.ways.size, -1, np.int64)
        frontier = np.flatnonzero(self.start)
        level = 0
        while len(frontier) and level <= self.most_levels:
            hops[frontier] = level
            loaded = frontier[self.expanded[frontier]]
            entries = _entries(self.ways.starts, loaded)
            beside = np.zeros(self.ways.size, bool)
            beside[self.ways.enters[entries[self.ways.opens[entries]] if self.ways.is_whole else entries]] = True
            frontier = np.flatnonzero(beside & (hops < 0))
            level += 1
        return hops


def roads(graph: Graph, rules: WalkRules) -> WalkEdges:
    """The edges of ``graph`` in the form that a walk with ``rules`` uses."""
    is_whole = rules.whole_neighbourhood and len(graph.edges) > 1
    weigh = cache(partial(edge_weight, rules=replace(rules, whole_neighbourhood=is_whole)))
    weights = np.fromiter((weigh(edge.type, edge.provenance) for edge in graph.edges), float, len(graph.edges))
    hinders = np.fromiter((edge.type not in rules.crossing_types for edge in graph.edges), bool)
    opens = np.fromiter((read_type(edge.type, rules, is_whole) not in rules.closed_types for edge in graph.edges), bool)
    weights = np.where(opens | (not is_whole), weights, 0.0)
    opens &= (weights > 0) | is_whole
    leaves = np.concatenate([graph.sources, graph.targets])
    enters = np.concatenate([graph.targets, graph.sources])
    order = np.argsort(leaves, kind="stable")
    starts = np.zeros(graph.size + 1, np.int64)
    np.cumsum(np.bincount(leaves, minlength=graph.size), out=starts[1:])
    edges = np.concatenate([np.arange(len(graph.edges))] * 2)[order]
    numbers: dict[str, int] = {}
    modules = np.full(graph.size, -1, np.int64)
    expands = np.ones(graph.size, bool)
    for place, node in enumerate(graph.nodes):
        expands[place] = not _is_outside(node)
        if node.module:
            modules[place] = numbers.setdefault(node.module, len(numbers))
    return WalkEdges(
        leaves[order],
        enters[order],
        edges,
        weights[edges],
        hinders[edges],
        opens[edges],
        starts,
        modules,
        expands,
        rules.other_module,
        is_whole,
    )


def _is_outside(node: Node) -> bool:
    name = node.qualified_name
    return name.startswith("external://") or (node.kind == EXTERNAL and "external" in name.lower())


def read_type(type_: str, rules: WalkRules, is_whole: bool) -> str:
    """The type that the walk uses for an edge. With ``is_whole``, it is the type in the original program's cache, which
    preserves few types.
    """
    return rules.lost_type if is_whole and type_ not in rules.kept_types else type_


def edge_weight(type_: str, provenance: str, rules: WalkRules) -> float:
    """The weight that the walk gives to an edge with the given type and provenance."""
    weight = rules.edge_weights.get(read_type(type_, rules, rules.whole_neighbourhood), rules.other_edges)
    is_generated = provenance == "lsp_resolved" and not rules.whole_neighbourhood
    return weight * rules.generated_edges if is_generated else weight


def heaviest_edge(walk: Walk, graph: Graph, one: int, other: int) -> tuple[Edge, bool]:
    """The heaviest edge that ``walk`` takes from the node at ``one`` to its neighbour at ``other``.

    If several edges are equally heavy, the first one is returned. The second value is True if the edge points from
    ``one`` to ``other``.
    """
    ways = walk.ways
    row = slice(ways.starts[one], ways.starts[one + 1])
    entry = np.argmax(np.where(ways.enters[row] == other, ways.weights[row], -1.0))
    edge = graph.edges[ways.edges[row][entry]]
    return edge, edge.source == graph.ids[one]


def walk(ways: WalkEdges, seeds: Mapping[int, float], rules: WalkRules) -> Walk:
    """Walks from ``seeds``, which maps positions to weights. A weight of 0 or less is replaced by 1."""
    start = _start(seeds, ways.size)
    restart = rules.restart if 0 < rules.restart < 1 else _RESTART
    expanded = _expanded(ways, list(seeds), rules)
    steps = _steps(ways, expanded, rules)
    result = Walk(start, (), "rounds", start, ways, steps, expanded, restart, rules.negligible, rules.levels)
    alive, leaks = (~result.dead).astype(float), bool(steps.leaks.any())
    rounds: list[ToldRound] = []
    current, unchanged = start, 0
    leaders: list[int] = []
    to_modules = as_negligible = 0.0
    ended: Ended = "rounds"
    for _ in range((rules.rounds if rules.rounds > 0 else _ROUNDS) if seeds else 0):
        moving = np.where(current >= rules.negligible, current, 0.0) if rules.negligible > 0 else current
        going = moving * alive
        back = float(moving.sum() - going.sum())
        after = restart * start + (1 - restart) * (steps.arrivals @ going + back * start)
        to_modules = (1 - restart) * (to_modules + (float((going * steps.leaks).sum()) if leaks else 0.0))
        lost = float((current - moving).sum()) if moving is not current else 0.0
        as_negligible = (1 - restart) * (as_negligible + lost)
        change = float(np.abs(after - current).sum())
        rounds.append(ToldRound(change, float(after.sum()), to_modules, as_negligible))
        now, equal = _leaders(after, rules.leaders, leaders)
        is_ordered = len(rounds) > 1 and not 0 < rules.leaders_equal < equal
        unchanged = unchanged + 1 if is_ordered and now == leaders else 0
        current, leaders = after, now
        if change < rules.settled or unchanged >= rules.leaders_rounds:
            ended = "settled" if change < rules.settled else "order"
            break
    return replace(result, probability=current, rounds=tuple(rounds), ended=ended)


def _start(seeds: Mapping[int, float], size: int) -> Floats:
    total = sum(seeds.values())
    total = total if total > 0 else float(len(seeds))
    start = np.zeros(size)
    for place, weight in seeds.items():
        start[place] = (weight if weight > 0 else 1.0) / total
    return start


def _expanded(ways: WalkEdges, seeds: list[int], rules: WalkRules) -> Flags:
    """True for each node that is close enough to a seed for its edges to be loaded."""
    expanded = np.zeros(ways.size, bool)
    frontier = np.asarray(sorted(seeds), np.int64)
    for _ in range(rules.levels + ways.is_whole):
        if not len(frontier):
            break
        expanded[frontier] = True
        entries = _entries(ways.starts, frontier)
        entries = entries[ways.opens[entries]]
        beside = np.zeros(ways.size, bool)
        beside[ways.enters[entries]] = True
        frontier = np.flatnonzero(beside & ways.expands & ~expanded)
    return expanded


def _entries(starts: Positions, nodes: Positions) -> Positions:
    """The indices of the entries that leave ``nodes``."""
    counts = starts[nodes + 1] - starts[nodes]
    before = np.cumsum(counts) - counts
    places: Positions = np.arange(int(counts.sum()), dtype=np.int64)
    places += np.repeat(starts[nodes] - before, counts)
    return places


def _steps(ways: WalkEdges, expanded: Flags, rules: WalkRules) -> Steps:
    """The steps of a walk. Probability is lost between modules only if the checked nodes are in several."""
    if rules.other_module >= 1:
        return ways.steps
    if not rules.module_sample:
        known = ways.modules[expanded]
        return ways.hindered_steps if len(np.unique(known[known >= 0])) > 1 else ways.steps
    looked_at = np.flatnonzero(expanded)[: rules.module_sample]
    modules = np.full(ways.size, -1, np.int64)
    modules[looked_at] = ways.modules[looked_at]
    return ways.steps_among(modules) if len(np.unique(modules[modules >= 0])) > 1 else ways.steps


def _leaders(probability: Floats, count: int, before: Sequence[int]) -> tuple[list[int], int]:
    """The best nodes in order, and the size of the largest group of equal nodes.

    Probabilities are rounded, so that equal nodes keep the graph's order. ``before`` contains the best nodes of the
    previous round. It only saves time, because it gives a lower bound for the probability of a best node.
    """
    minimum = float(probability[before].min()) - _ROUNDING if len(before) >= count else 0.0
    candidates = np.flatnonzero(probability >= max(minimum, _ROUNDING))
    if len(candidates) > count:
        values = probability[candidates]
        minimum = float(np.partition(values, len(values) - count)[len(values) - count]) - _ROUNDING
        candidates = candidates[values >= max(minimum, _ROUNDING)]
    rounded = -np.round(probability[candidates], _DIGITS)
    equal = np.unique(rounded, return_counts=True)[1].max(initial=0)
    return [int(place) for place in candidates[np.argsort(rounded, kind="stable")][:count]], int(equal)


# The strongest paths along which a walk's probability reaches a node.


_FEW = 5


@dataclass(frozen=True, slots=True)
class WalkWay:
    """A path from a seed, as positions in the graph, and its contribution to the probability of the last node."""

    places: tuple[int, ...]
    amount: float


class StrongestWays:
    """The strongest paths of one walk. Values that several paths share are computed only once."""

    def __init__(self, walk: Walk, longest: int) -> None:
        """Prepares to search the paths of ``walk``. ``longest`` is the maximum number of edges in a path."""
        self._walk = walk
        keeps = ~walk.dead & (walk.probability >= walk.negligible)
        arrivals = walk.steps.arrivals
        self._starts, self._sources = arrivals.indptr, arrivals.indices
        self._shares: Floats = np.where(keeps[self._sources], arrivals.data, 0.0)
        self._best = [walk.start]
        filled = np.flatnonzero(np.diff(self._starts))
        for _ in range(min(longest, len(walk.rounds)) - 1):
            offers = self._best[-1][self._sources] * self._shares
            best = np.zeros(len(walk.start))
            best[filled] = np.maximum.reduceat(offers, self._starts[filled]) if len(filled) else 0.0
            self._best.append(best)

    def to(self, place: int, limit: int) -> list[WalkWay]:
        """Up to ``limit`` paths to the node at ``place``, strongest first, with their exact probabilities."""
        ways = [WalkWay((place,), self._amount(0, float(self._walk.start[place])))]
        row = slice(self._starts[place], self._starts[place + 1])
        sources, shares = self._sources[row], self._shares[row]
        for length, best in enumerate(self._best, start=1):
            offers = best[sources] * shares
            for at in np.argsort(-offers, kind="stable")[:limit].tolist():
                if offers[at] > 0:
                    before = self._way(int(sources[at]), length - 1)
                    ways.append(WalkWay((*before, place), self._amount(length, float(offers[at]))))
        ordered = sorted((way for way in ways if way.amount > 0), key=lambda way: (-way.amount, way.places))
        return ordered[:limit]

    def straight(self, place: int) -> WalkWay | None:
        """The strongest path to the node at ``place`` that visits no node twice, chosen from the few strongest paths.

        If none of them is such a path, returns the strongest path; None if no path leads to the node.
        """
        ways = self.to(place, _FEW)
        return next((way for way in ways if len(set(way.places)) == len(way.places)), ways[0] if ways else None)

    def _amount(self, length: int, product: float) -> float:
        """The probability that arrives by a path of ``length`` edges whose shares have this ``product``."""
        rounds, restart = len(self._walk.rounds), self._walk.restart
        stays = restart if length < rounds else 1.0
        return stays * (1 - restart) ** length * product

    def _way(self, place: int, length: int) -> tuple[int, ...]:
        places = [place]
        for step in range(length, 0, -1):
            row = slice(self._starts[place], self._starts[place + 1])
            offers = self._best[step - 1][self._sources[row]] * self._shares[row]
            place = int(self._sources[row][int(np.argmax(offers))])
            places.append(place)
        return tuple(reversed(places))
