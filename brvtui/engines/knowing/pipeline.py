"""The steps from a task to the context for an agent: seeds, walk, scores, and packing into a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from brvtui.engines.knowing.equivalence import LearnedWords
from brvtui.engines.knowing.gaps import NearSearch, NodeVectors
from brvtui.engines.knowing.keywords import KeywordSet
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.packing import PackedContext, Strategy, pack
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.reached import ScoringContext, around_changes, around_files, ranked, reached
from brvtui.engines.knowing.scoring import ScoredCandidate, ScoringInput, rank
from brvtui.engines.knowing.seeding import NOTHING_LEARNED, SeedIndex, SeedSearch, find_seeds
from brvtui.engines.knowing.walk import Walk, WalkEdges, roads, walk

INJECTED = "injected"
"""The component of a score that is added to move a result to the top because of a framework's class."""


@dataclass(frozen=True, eq=False)
class TaskIndex:
    """The data for answering tasks: a graph, the channels' indexes, and the edges for the walk."""

    seeds: SeedIndex
    ways: WalkEdges
    vectors: NodeVectors

    @property
    def graph(self) -> Graph:
        """The graph of the index."""
        return self.seeds.graph

    @property
    def profile(self) -> KnowingProfile:
        """The constants of the index."""
        return self.seeds.profile

    def warm(self) -> None:
        """Computes cached values in advance, so that the first answer does not have to."""
        _ = self.ways.steps, self.ways.totals, self.graph.confidences, self.graph.outgoing, self.graph.incoming
        _ = self.graph.by_path


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task, and the options for its answer."""

    task: str
    budget: int
    cost: Callable[[Node], int]
    """A function that returns the number of tokens of a node's text for an agent."""
    strategy: Strategy = "density"
    learned: LearnedWords = NOTHING_LEARNED
    is_in_scope: Callable[[Node], bool] | None = None
    """A function that returns True for the nodes that channels may find; None if there is no scope."""
    stands_for: Callable[[Node], str] = field(default=lambda node: node.id)
    """A function that returns the document of a node. Only the best node of each document is packed."""
    entry: str = "task"
    """The kind of the task: words (``task``), or names of files (``files`` or ``changes``)."""
    recent: tuple[str, ...] = ()
    """The paths of documents that are treated as just packed, in addition to the ones packed by runs."""
    near: NearSearch | None = None
    """A function that finds nodes near the task with an embedder; None if there is no embedder."""


@dataclass(frozen=True, eq=False)
class TaskContext:
    """The complete answer to a task."""

    search: SeedSearch
    seeds: Mapping[int, float]
    """The weights of the walk's seeds, by position."""
    walk: Walk | None
    """The walk; None if there are no seeds."""
    ranked: tuple[ScoredCandidate, ...]
    """Every possible result, best first. Results that are moved to the top come before all others."""
    beside: Mapping[str, tuple[ScoredCandidate, ...]]
    """The other nodes of each ranked node's document, best first, keyed by the ranked node's id."""
    packed: PackedContext
    reached: int = 0
    """The number of nodes whose share of the walk's probability is above the cutoff."""


def task_index(seeds: SeedIndex) -> TaskIndex:
    """The index for answering tasks, built on the graph of ``seeds``."""
    vectors = NodeVectors(seeds.graph, seeds.profile.noise, seeds.profile.seeds.gap_nearest)
    return TaskIndex(seeds, roads(seeds.graph, seeds.profile.walk), vectors)


def for_task(request: TaskRequest, index: TaskIndex, around: ScoringContext) -> TaskContext:
    """The answer to a task: the nodes that a walk from the task's seeds reaches, ranked and packed into the budget."""
    graph, profile = index.graph, index.profile
    search = find_seeds(request.task, index.seeds, request.learned, request.is_in_scope, request.near)
    seeds = {graph.positions[seed.id]: seed.weight for seed in search.seeds}
    walked = walk(index.ways, seeds, profile.walk) if seeds else None
    candidates: list[ScoringInput] = []
    if walked is not None:
        candidates = reached(graph, walked, seeds, profile.walk.cutoff, around, profile.scoring)
    scored = ranked(graph, candidates, profile.hits, profile.scoring)
    scored = _with_injected(scored, search, graph, around, profile)
    return _packed(request, index, search, seeds, walked, scored, len(candidates))


def for_files(request: TaskRequest, files: Sequence[str], index: TaskIndex, around: ScoringContext) -> TaskContext:
    """The nodes in ``files`` and the nodes that use them, ranked without a walk and packed into the budget."""
    candidates = [one for one in around_files(index.graph, files, around, index.profile) if one.node.is_result]
    scored = ranked(index.graph, candidates, index.profile.hits, index.profile.scoring)
    return _packed(request, index, _no_search(request), {}, None, scored, 0)


def for_changes(request: TaskRequest, files: Sequence[str], index: TaskIndex, around: ScoringContext) -> TaskContext:
    """The nodes that a walk from the changed ``files`` reaches, ranked and packed into the budget."""
    graph, profile = index.graph, index.profile
    walked, candidates = around_changes(graph, index.ways, files, around, profile)
    seeds = dict.fromkeys(np.flatnonzero(walked.start).tolist(), 1.0)
    scored = ranked(graph, candidates, profile.hits, profile.scoring)
    return _packed(request, index, _no_search(request), seeds, walked if seeds else None, scored, len(candidates))


def _no_search(request: TaskRequest) -> SeedSearch:
    return SeedSearch(request.task, KeywordSet())


def _packed(
    request: TaskRequest,
    index: TaskIndex,
    search: SeedSearch,
    seeds: Mapping[int, float],
    walked: Walk | None,
    scored: Sequence[ScoredCandidate],
    count: int,
) -> TaskContext:
    kept, beside = _best_per_document(scored, request.stands_for)
    costs = [request.cost(one.node) for one in kept]
    packed = pack(kept, costs, request.budget, index.profile.packing, request.strategy)
    return TaskContext(search, seeds, walked, tuple(kept), beside, packed, count)


def _with_injected(
    scored: Sequence[ScoredCandidate], search: SeedSearch, graph: Graph, around: ScoringContext, profile: KnowingProfile
) -> list[ScoredCandidate]:
    """The ranked nodes, preceded by the nodes that are moved to the top because of a framework's class."""
    ids = [hit.id for hit in search.injected if (node := graph.find(hit.id)) is not None and node.is_result]
    if not ids:
        return list(scored)
    score = max((one.score for one in scored), default=0.0) + profile.scoring.injected_lead
    nodes = [graph.nodes[graph.positions[id_]] for id_ in ids]
    minimum = profile.scoring.least_confidence
    candidates = [
        around.candidate(
            node,
            0,
            max(minimum, float(graph.confidences[graph.positions[node.id]])),
            0,
            0.0,
            graph.provenance(node.id, minimum),
        )
        for node in nodes
    ]
    own = rank(candidates, None if len(scored) <= profile.hits.more_than else {}, profile.scoring)
    front = [replace(one, score=score, components={**one.components, INJECTED: score - one.score}) for one in own]
    place = {id_: number for number, id_ in enumerate(ids)}
    front.sort(key=lambda one: place[one.node.id])
    return [*front, *(one for one in scored if one.node.id not in ids)]


def _best_per_document(
    scored: Sequence[ScoredCandidate], stands_for: Callable[[Node], str]
) -> tuple[list[ScoredCandidate], dict[str, tuple[ScoredCandidate, ...]]]:
    groups: dict[str, list[ScoredCandidate]] = {}
    for one in scored:
        groups.setdefault(stands_for(one.node), []).append(one)
    kept = [group[0] for group in groups.values()]
    return kept, {group[0].node.id: tuple(group[1:]) for group in groups.values() if len(group) > 1}
