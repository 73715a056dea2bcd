"""How a symbol came into an answer: channel, score and links (``docs/knowing.md``, "Why a symbol is there")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brvtui.engines.knowing.fusion import Channel
from brvtui.engines.knowing.hits import LinkRank
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.pipeline import TaskContext
from brvtui.engines.knowing.scoring import ScoredCandidate
from brvtui.engines.knowing.sections import VECTORS
from brvtui.engines.knowing.seeding import SeedSearch

WALK, BELOW, NONE = "walk", "loaded, below the cutoff", "none"
"""How a node was reached that no channel found."""


@dataclass(frozen=True, slots=True)
class SymbolExplanation:
    """Where a symbol stands in an answer, and what put it there."""

    node: Node
    rank: int | None
    """From 1; None for a node that is not ranked."""
    ranked: int
    """How many nodes are ranked."""
    channel: str
    """The first channel that found it; how the walk did when none found it."""
    tier: str
    """The pass over names that found it; empty where names did not."""
    is_seed: bool
    walk: float
    """The walk's probability as a share of the greatest."""
    scored: ScoredCandidate | None
    most_callers: int
    """The greatest number of callers among the ranked."""
    concepts: tuple[str, ...]
    """The classes that match the task, whether or not they stand for it."""
    keywords: tuple[str, ...]

    @property
    def components(self) -> Mapping[str, float]:
        """The addends of its score; none for a node that is not ranked."""
        return self.scored.components if self.scored is not None else {}

    @property
    def links(self) -> LinkRank | None:
        """Its hub and authority; None where these were not counted."""
        return self.scored.links if self.scored is not None else None


def explain_symbol(text: str, made: TaskContext, graph: Graph) -> SymbolExplanation | None:
    """The explanation of the best ranked node called ``text``, or with it in its qualified name.

    When none is ranked it is that of the first such node in the graph, by qualified name; None without one.
    """
    lower, search = text.lower(), made.search
    for rank, scored in enumerate(made.ranked, start=1):
        if scored.node.name.lower() == lower or lower in scored.node.qualified_name.lower():
            channel, tier = _found_by(scored.node.id, search)
            return _explained(scored.node, made, graph, rank, scored, channel or WALK, tier)
    node = next(iter(graph.containing(text)), None)
    if node is None:
        return None
    reached = made.walk is not None and made.walk.levels[graph.positions[node.id]] >= 0
    return _explained(node, made, graph, None, None, BELOW if reached else NONE, "")


def _explained(
    node: Node,
    made: TaskContext,
    graph: Graph,
    rank: int | None,
    scored: ScoredCandidate | None,
    channel: str,
    tier: str,
) -> SymbolExplanation:
    place = graph.positions[node.id]
    return SymbolExplanation(
        node,
        rank,
        len(made.ranked),
        channel,
        tier,
        place in made.seeds,
        float(made.walk.scores[place]) if made.walk is not None else 0.0,
        scored,
        max((one.candidate.callers for one in made.ranked), default=0),
        tuple(match.matched.concept for match in made.search.matches),
        made.search.keywords.all,
    )


def _found_by(id_: str, search: SeedSearch) -> tuple[str, str]:
    """The first channel that found a node, and the pass over names that did; both empty when none did."""
    tier = next((hit.tier.value for hit in search.names if hit.id == id_), "")
    if tier:
        return Channel.TIERED, tier
    if any(hit.id == id_ for hit in search.texts.hits):
        return Channel.FULL_TEXT, ""
    if any(hit.id == id_ for hit in search.equivalents):
        return Channel.EQUIVALENCE, ""
    if any(hit.id == id_ for hit in search.paths):
        return Channel.PATH, ""
    return (VECTORS, "") if id_ in search.near else ("", "")
