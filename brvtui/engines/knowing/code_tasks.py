"""Tasks over the symbols of a repository (``docs/code.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from brvtui.corpus.code.records import CodeGraph
from brvtui.engines.knowing.equivalence import built_in_classes, language_of
from brvtui.engines.knowing.formats import ContextBlock, formatted
from brvtui.engines.knowing.model import Edge, Graph, symbol
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.pipeline import TaskContext, TaskIndex, TaskRequest, for_task, task_index
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.ranking_rules import WalkRules
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.scoring import ScoredCandidate, lifts_penalty
from brvtui.engines.knowing.seeding import seed_index
from brvtui.engines.knowing.strongest import StrongestWays

_LONGEST_WAY = 6
_CHANNELS = {"tiered": "name", "bm25": "text", "equivalence": "concept", "path": "path"}


@dataclass(frozen=True, slots=True)
class CodeResult:
    """A symbol of an answer, and why it is there."""

    scored: ScoredCandidate
    found_by: tuple[tuple[str, int], ...]
    """The channels that found it, with its rank in each, from 1."""
    way: tuple[str, ...]
    """The strongest way of the walk to it, from a seed: ids of symbols with the types of edges between them."""


class CodeTasks:
    """A repository that is asked for what a task needs."""

    def __init__(self, code: CodeGraph, profile: KnowingProfile) -> None:
        """The symbols of ``code``, ranked by the constants of ``profile``."""
        self._profile = profile
        self._graph = graph_of_code(code)

    @cached_property
    def _index(self) -> TaskIndex:
        rules = self._profile.equivalence
        classes = built_in_classes(rules.verbs)
        return task_index(seed_index(self._graph, self._profile, classes, language_of(self._graph, rules)))

    def answer(self, task: str, budget: int) -> CodeAnswer:
        """What ``task`` needs, packed into ``budget`` tokens."""
        profile = self._profile
        lifted = lifts_penalty(task, profile.scoring)
        around = ScoringContext(0.0, penalised=(lambda _: False) if lifted else is_test)
        request = TaskRequest(task, budget, lambda node: node_tokens(node, profile.packing))
        return CodeAnswer(self._graph, for_task(request, self._index, around), budget, profile.walk)


class CodeAnswer:
    """The answer to one task over code."""

    def __init__(self, graph: Graph, made: TaskContext, budget: int, rules: WalkRules) -> None:
        """``made`` over ``graph``, walked by ``rules``, within ``budget`` tokens."""
        self.made, self._rules = made, rules
        self._graph, self._budget = graph, budget
        self._ways = StrongestWays(made.walk, _LONGEST_WAY) if made.walk is not None else None

    @property
    def packed(self) -> list[ScoredCandidate]:
        """What fits into the budget, best first."""
        return self.made.packed.packed

    def as_text(self, form: str) -> str:
        """The packed symbols as an agent is given them: ``xml``, ``markdown`` or ``json``."""
        return formatted(ContextBlock(self.packed, self.made.packed.used, self._budget), form)

    def explained(self, scored: ScoredCandidate) -> CodeResult:
        """Why a symbol is in the answer."""
        id_, search = scored.node.id, self.made.search
        lists = {_CHANNELS.get(channel.name, channel.name): channel.ids for channel in search.channels}
        lists.setdefault("path", [hit.id for hit in search.paths])  # it may make seeds without being fused
        found = tuple((name, list(ids).index(id_) + 1) for name, ids in lists.items() if id_ in ids)
        return CodeResult(scored, found, self._way(id_))

    def _way(self, id_: str) -> tuple[str, ...]:
        if self._ways is None:
            return ()
        ids = self._graph.ids
        ways = self._ways.to(self._graph.positions[id_], 1).ways
        places = [ids[place] for place in ways[0].places] if ways else []
        between = (self._between(one, other) for one, other in pairwise(places))
        return (*places[:1], *(part for step in zip(between, places[1:], strict=True) for part in step))

    def _between(self, one: str, other: str) -> str:
        """The type of the heaviest edge between two neighbours, with the direction in which it points."""
        there = [(edge, f"{edge.type} →") for edge in self._graph.edges_from(one) if edge.target == other]
        back = [(edge, f"← {edge.type}") for edge in self._graph.edges_from(other) if edge.target == one]
        weights = self._rules.edge_weights
        heaviest = max(there + back, key=lambda found: weights.get(found[0].type, self._rules.other_edges))
        return heaviest[1]


def graph_of_code(code: CodeGraph) -> Graph:
    """The symbols of a repository as the engine ranks them."""
    nodes = (
        symbol(
            code.qualified_name(node.id),
            node.kind,
            id_=node.id,
            signature=node.signature,
            doc=node.doc,
            path=node.path,
        )
        for node in code.nodes
    )
    return Graph(tuple(nodes), tuple(Edge(*edge) for edge in code.edges))
