"""The candidates that the walk reaches or that are in given files, and their ranking with hubs and authorities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from brvtui.engines.knowing.model import ASSUMED, Edge, Graph, Node
from brvtui.engines.knowing.profile import HitsRules, KnowingProfile, ScoreRules
from brvtui.engines.knowing.scoring import ScoredCandidate, ScoringInput, hubs_and_authorities, is_test_path, rank
from brvtui.engines.knowing.walk import Walk, WalkEdges, walk


def is_test(node: Node) -> bool:
    """True if a symbol is in a test."""
    return is_test_path(node.qualified_name)


@dataclass(frozen=True)
class ScoringContext:
    """Facts outside the graph that are needed for scoring candidates."""

    now: float
    """The time in seconds since 1970."""
    penalised: Callable[[Node], bool] = is_test
    """A function that returns True for nodes whose score is reduced, such as tests or archived notes."""
    observes_change: bool = False
    """True if the recency of a node depends on its last observation, which is then its last change; false if it depends
    on its last commit.
    """
    caller_types: tuple[str, ...] = ("calls",)
    """The types of edges from a node that uses another to the used node."""
    feedback: Mapping[str, float] = field(default_factory=dict)
    """The share of useful votes for each node, keyed by id."""
    session: Mapping[str, float] = field(default_factory=dict)
    """The boost of each node for recent use, keyed by id."""
    committed: Callable[[Node], float | None] = lambda _: None
    """Returns the time of a node's last commit, in seconds since 1970; None if it is unknown or long ago."""

    def candidate(
        self, node: Node, callers: int, confidence: float, distance: int, walked: float = 0.0, provenance: str = ""
    ) -> ScoringInput:
        """The scoring input for ``node``."""
        changed = self.committed(node) if node.modified is None else node.modified
        age = None if changed is None else self.now - changed
        return ScoringInput(
            node,
            callers,
            confidence,
            distance,
            walked,
            age if self.observes_change else None,
            None if self.observes_change else age,
            self.feedback.get(node.id),
            self.session.get(node.id, 0.0),
            self.penalised(node),
            provenance,
        )


def reached(
    graph: Graph,
    walked: Walk,
    seeds: Mapping[int, float],
    cutoff: float,
    around: ScoringContext,
    rules: ScoreRules,
    with_outside: bool = False,
) -> list[ScoringInput]:
    """The nodes whose walk probability is at least the share ``cutoff`` of the best node's, best first.

    ``seeds`` maps positions to weights. A seed gets up to ``rules.seed_units`` additional callers, in proportion to its
    weight. Nodes outside the corpus are left out unless ``with_outside`` is set.
    """
    scores = walked.scores[: len(graph.nodes)]
    positions = np.flatnonzero((scores >= cutoff) & (scores > 0))
    candidates = []
    for place in positions[np.argsort(-scores[positions], kind="stable")].tolist():
        node = graph.nodes[place]
        if not node.is_result or (node.is_external and not with_outside):
            continue
        share = float(scores[place])
        callers = int(rules.walk_units * share) + int(rules.seed_units * seeds.get(place, 0.0))
        confidence = max(rules.least_confidence, float(graph.confidences[place]))
        provenance = graph.provenance(node.id, rules.least_confidence)
        candidates.append(around.candidate(node, callers, confidence, 0 if place in seeds else 1, share, provenance))
    return candidates


def around_files(
    graph: Graph, files: Sequence[str], around: ScoringContext, profile: KnowingProfile
) -> list[ScoringInput]:
    """The nodes in ``files``, each with the number of nodes that use it, followed by these users.

    If ``profile.review.first_mention_counts`` is set, a node in ``files`` that was first listed as a user of another
    node remains a user.
    """
    minimum = profile.scoring.least_confidence
    own: dict[str, ScoringInput] = {}
    users: dict[str, ScoringInput] = {}
    for path in files:
        for place in graph.by_path.get(path, ()):
            node = graph.nodes[place]
            if profile.review.first_mention_counts and node.id in users:
                continue
            uses = graph.edges_to(node.id, *around.caller_types)
            surest = max(uses, key=lambda edge: edge.confidence, default=Edge("", "", "", 0.0))
            origin = surest.provenance if surest.confidence >= minimum else ASSUMED
            own[node.id] = around.candidate(node, len(uses), max(minimum, surest.confidence), 0, provenance=origin)
            for edge in uses:
                user = graph.find(edge.source)
                if user is not None and user.id not in users and user.id not in own:
                    users[user.id] = around.candidate(user, 0, edge.confidence, 1, provenance=edge.provenance)
    return [*own.values(), *(user for id_, user in users.items() if id_ not in own)]


def around_changes(
    graph: Graph, ways: WalkEdges, files: Sequence[str], around: ScoringContext, profile: KnowingProfile
) -> tuple[Walk, list[ScoringInput]]:
    """The walk from every node in the changed ``files``, and the candidates that it reaches.

    Nodes outside the corpus are included. The nearness of these candidates does not affect packing.
    """
    seeds = {place: 1.0 for path in files for place in graph.by_path.get(path, ())}
    walked = walk(ways, seeds, profile.walk)
    candidates = reached(
        graph, walked, dict.fromkeys(seeds, 0.0), profile.review.cutoff, around, profile.scoring, with_outside=True
    )
    return walked, [replace(one, walk=0.0) for one in candidates]


def ranked(
    graph: Graph, candidates: Sequence[ScoringInput], hits: HitsRules, rules: ScoreRules
) -> list[ScoredCandidate]:
    """The candidates, best first. Hubs and authorities need more than ``hits.more_than`` candidates."""
    if len(candidates) <= hits.more_than:
        return rank(candidates, None, rules)
    top = sorted(candidates, key=lambda one: -one.callers)[: hits.nodes]
    places = [graph.positions[one.node.id] for one in top]
    links = hubs_and_authorities(graph, places, hits)
    return rank(candidates, {graph.ids[place]: one for place, one in links.items()}, rules)
