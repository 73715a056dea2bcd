"""Reasons why a note is, or is not, in an answer.

See ``docs/reference/knowing.md``, "Why a note is not there".
"""

from __future__ import annotations

from typing import Any, NamedTuple

from brvtui.engines.advice import CHECK_PATH, Ask, explained, title_wordings, tried_remedy
from brvtui.engines.contract import Context
from brvtui.engines.knowing.candidates import Channel
from brvtui.engines.knowing.keywords import ascii_lower
from brvtui.engines.knowing.model import Graph, Node, name_order
from brvtui.engines.knowing.note_index import NoteIndex
from brvtui.engines.knowing.pipeline import TaskContext
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.scoring import ScoredCandidate
from brvtui.engines.knowing.sections import VECTORS, GraphRetrieval
from brvtui.engines.knowing.seeding import SeedSearch
from brvtui.engines.knowing.tracing_words import WITHOUT_KEYWORD, how_found
from brvtui.snapshot.naming import Named
from brvtui.trace import Explanation, LossStage, Remedy, Trace

# Reasons why a symbol is in an answer: channel, score and links (``docs/reference/knowing.md``, "Why a symbol is
# there").


WALK, BELOW, NONE = "walk", "loaded, below the cutoff", "none"
"""The values of ``channel`` for a node that no channel found."""


class SymbolExplanation(NamedTuple):
    """The rank of a symbol in an answer, and the reasons for it."""

    node: Node
    rank: int | None
    """The rank, counted from 1; None if the node is not ranked."""
    scored: ScoredCandidate | None
    channel: str
    """The first channel that found the node; if none did, WALK, BELOW or NONE."""
    tier: str
    """The name-matching pass that found the node; empty if none did."""
    is_seed: bool
    walk: float
    """The node's walk probability as a share of the highest one."""


def explain_symbol(text: str, result: TaskContext, graph: Graph) -> SymbolExplanation | None:
    """The explanation of the best-ranked node that is called ``text`` or whose qualified name contains ``text``.

    If no such node is ranked, the first one by qualified name is explained. Returns None if there is no such node.
    """
    lower = text.lower()
    named = (
        (rank, one)
        for rank, one in enumerate(result.ranked, start=1)
        if one.node.name.lower() == lower or lower in one.node.qualified_name.lower()
    )
    rank, scored = next(named, (None, None))
    folded = ascii_lower(text)
    holding = (node for node in graph.nodes if folded in ascii_lower(node.qualified_name))
    first = scored.node if scored is not None else None
    node = first or min(holding, key=lambda node: name_order(node.qualified_name), default=None)
    if node is None:
        return None
    place = graph.positions[node.id]
    if scored is not None:
        channel, tier = _found_by(node.id, result.search)
        channel = channel or WALK
    else:
        channel, tier = BELOW if result.walk is not None and result.walk.levels[place] >= 0 else NONE, ""
    walk = float(result.walk.scores[place]) if result.walk is not None else 0.0
    return SymbolExplanation(node, rank, scored, channel, tier, place in result.seeds, walk)


def _found_by(id_: str, search: SeedSearch) -> tuple[str, str]:
    """The first channel that found a node and, for the channel of names, the pass that found it. Both are empty if no
    channel found the node.
    """
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


class GraphLoss(LossStage):
    """The stages that can drop a note, earliest first."""

    NO_NODE = "not in the graph"
    NOT_NEAR = "it is not one of the files, and they do not lead to it"
    NO_KEYWORD = WITHOUT_KEYWORD
    NO_CHANNEL = "no channel found it, and the walk hardly reaches it"
    NOISE = "a channel found it, but it was dropped as noise"
    NOT_AMONG = "channels found it, but below the candidates that are kept"
    NOT_REACHED = "it is not a seed, and the walk hardly reaches it"
    BELOW = "others with a higher score per token used up the budget"
    BUDGET = "it needs more tokens than the whole budget"


def explain(
    context: Context[KnowingProfile], index: NoteIndex, trace: Trace, result: TaskContext, document: Named, ask: Ask
) -> Explanation:
    """The reason why ``document`` is, or is not, among the hits of ``trace``, which is the trace of ``result``."""
    section, path = trace.section(GraphRetrieval), document.path
    placed = section.placed(path)
    words = how_found(placed) if placed is not None else ""
    return explained(
        context.snapshot,
        trace,
        document,
        placed.hit if placed is not None else None,
        lambda rank: f"given to an agent, {rank} of {len(trace.hits)}: {words}",
        lambda: _loss(index, section, result, path),
        lambda loss, title: _remedy(trace, section, loss, path, title, ask),
    )


def _loss(index: NoteIndex, section: GraphRetrieval, result: TaskContext, path: str) -> tuple[GraphLoss, str]:
    known = index.notes.known.get(path)
    if known is None:
        return GraphLoss.NO_NODE, "summaries of folders and archived stubs are not in the graph"
    placed = section.placed(path)
    if placed is not None:
        if placed.tokens > section.budget:
            return GraphLoss.BUDGET, f"{placed.tokens:,} tokens, but the budget is {section.budget:,}"
        turn = f"number {placed.turn} by density, {placed.density:.5f} per token"
        return GraphLoss.BELOW, f"{turn}; it needs {placed.tokens:,} tokens, and {placed.left:,} were left"
    if section.entry != "task":
        return GraphLoss.NOT_NEAR, "only its links and theirs count"
    if not result.search.keywords:
        return GraphLoss.NO_KEYWORD, "the query's words are stop words or too short"
    ids = {node.id for node in known.piece.nodes}
    walked = _walked(index, result, ids)
    channels = [channel for channel in result.search.channels if channel.weight and not ids.isdisjoint(channel.ids)]
    if not channels and ids.isdisjoint((*(hit.id for hit in result.search.paths), *result.search.near)):
        return GraphLoss.NO_CHANNEL, walked
    dropped = next((one for one in result.search.noise if one.id in ids), None)
    if dropped is not None:
        return GraphLoss.NOISE, f"{dropped.kind}: {dropped.text}"
    if channels and ids.isdisjoint(one.id for one in result.search.fused):
        places = [f"{one.name} {1 + min(one.ids.index(id_) for id_ in ids if id_ in one.ids)}" for one in channels]
        return GraphLoss.NOT_AMONG, f"{', '.join(places)}; {len(result.search.fused)} candidates are kept"
    return GraphLoss.NOT_REACHED, walked


def _walked(index: NoteIndex, result: TaskContext, ids: set[str]) -> str:
    cutoff = index.task.profile.walk.cutoff
    if result.walk is None:
        return "there is no seed to walk from"
    share = max(float(result.walk.scores[index.task.graph.positions[id_]]) for id_ in ids)
    return f"the walk gives it {share:.2%} of the best note's probability, but {cutoff:.0%} is needed"


def _remedy(trace: Trace, section: GraphRetrieval, loss: GraphLoss, path: str, title: str, ask: Ask) -> Remedy:
    if loss is GraphLoss.NO_NODE:
        return Remedy(CHECK_PATH, False)
    if loss is GraphLoss.NOT_NEAR:
        return Remedy("link it to one of the files", False)
    tries: list[tuple[str, str, dict[str, Any]]] = []
    if loss in (GraphLoss.BELOW, GraphLoss.BUDGET):
        more = section.budget * 2
        tries.append((f"use a budget of {more:,} tokens", trace.query, {"budget": more}))
    tries += [(*wording, {}) for wording in title_wordings(trace.query, title)]
    return tried_remedy(path, tries, ask, 3)
