"""What the walk reached, or what links to changed files, as candidates; and these ranked with hubs and authorities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from brvtui.engines.knowing.model import ASSUMED, Edge, Graph, Node
from brvtui.engines.knowing.profile import HitsRules, KnowingProfile, ScoreRules
from brvtui.engines.knowing.scoring import ScoredCandidate, ScoringInput, hubs_and_authorities, is_test_path, rank
from brvtui.engines.knowing.walk import Roads, Walk, walk


def is_test(node: Node) -> bool:
    """Whether a symbol lies in a test."""
    return is_test_path(node.qualified_name)


@dataclass(frozen=True)
class ScoringContext:
    """What is known beside the graph when candidates are made."""

    now: float
    """Seconds since 1970."""
    penalised: Callable[[Node], bool] = is_test
    """Which nodes are penalised: tests, or notes in an archive; none for a task that asks for them."""
    observes_change: bool = False
    """Whether a node was last seen when it last changed; else nothing is known of it."""
    caller_types: tuple[str, ...] = ("calls",)
    """The edges that say that a node is used by another."""
    feedback: Mapping[str, float] = field(default_factory=dict)
    """The share of useful votes, by id."""
    session: Mapping[str, float] = field(default_factory=dict)
    """The boost of what was given of late, by id."""
    committed: Callable[[Node], float | None] = lambda _: None
    """When a node was last committed, in seconds since 1970; None where that is not known, or long ago."""

    def candidate(
        self, node: Node, callers: int, confidence: float, distance: int, walked: float = 0.0, provenance: str = ""
    ) -> ScoringInput:
        """The candidate of ``node``."""
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
    """The nodes that the walk gives at least ``cutoff`` of the best one's probability, best first.

    Seeds, with their weights by position, have up to ``rules.seed_units`` callers more. Nodes outside of the corpus are
    left out unless ``with_outside``.
    """
    scores = walked.scores[: len(graph.nodes)]
    found = np.flatnonzero((scores >= cutoff) & (scores > 0))
    made = []
    for place in found[np.argsort(-scores[found], kind="stable")].tolist():
        node = graph.nodes[place]
        if not node.is_result or (node.is_external and not with_outside):
            continue
        share = float(scores[place])
        callers = int(rules.walk_units * share) + int(rules.seed_units * seeds.get(place, 0.0))
        confidence = max(rules.least_confidence, float(graph.confidences[place]))
        provenance = graph.provenance(node.id, rules.least_confidence)
        made.append(around.candidate(node, callers, confidence, 0 if place in seeds else 1, share, provenance))
    return made


def around_files(
    graph: Graph, files: Sequence[str], around: ScoringContext, profile: KnowingProfile
) -> list[ScoringInput]:
    """The nodes of ``files`` with how many others use each, and those users.

    Where the first mention counts, a node of the files that another one of them was seen to use before stays a user.
    """
    least = profile.scoring.least_confidence
    own: dict[str, ScoringInput] = {}
    users: dict[str, ScoringInput] = {}
    for path in files:
        for place in graph.by_path.get(path, ()):
            node = graph.nodes[place]
            if profile.review.first_mention_counts and node.id in users:
                continue
            uses = graph.edges_to(node.id, *around.caller_types)
            surest = max(uses, key=lambda edge: edge.confidence, default=Edge("", "", "", 0.0))
            origin = surest.provenance if surest.confidence >= least else ASSUMED
            own[node.id] = around.candidate(node, len(uses), max(least, surest.confidence), 0, provenance=origin)
            for edge in uses:
                user = graph.find(edge.source)
                if user is not None and user.id not in users and user.id not in own:
                    users[user.id] = around.candidate(user, 0, edge.confidence, 1, provenance=edge.provenance)
    return [*own.values(), *(user for id_, user in users.items() if id_ not in own)]


def around_changes(
    graph: Graph, ways: Roads, files: Sequence[str], around: ScoringContext, profile: KnowingProfile
) -> tuple[Walk, list[ScoringInput]]:
    """What a walk from every node of the changed ``files`` reaches; nodes outside of the corpus are kept.

    How near a node is does not count when it is packed.
    """
    seeds = {place: 1.0 for path in files for place in graph.by_path.get(path, ())}
    made = walk(ways, seeds, profile.walk)
    found = reached(
        graph, made, dict.fromkeys(seeds, 0.0), profile.review.cutoff, around, profile.scoring, with_outside=True
    )
    return made, [replace(one, walk=0.0) for one in found]


def ranked(
    graph: Graph, candidates: Sequence[ScoringInput], hits: HitsRules, rules: ScoreRules
) -> list[ScoredCandidate]:
    """The candidates by score; among more than a few, hubs and authorities count."""
    if len(candidates) <= hits.more_than:
        return rank(candidates, None, rules)
    most = sorted(candidates, key=lambda one: -one.callers)[: hits.nodes]
    places = [graph.positions[one.node.id] for one in most]
    links = hubs_and_authorities(graph, places, hits)
    return rank(candidates, {graph.ids[place]: one for place, one in links.items()}, rules)
