"""Reasons why a note is, or is not, in an answer.

See ``docs/reference/jeffs-brain.md``, "Why a note is not there".
"""

from __future__ import annotations

from brvtui.engines.advice import CHECK_PATH, Ask, explained, title_wordings, tried_remedy
from brvtui.engines.contract import Context
from brvtui.engines.jeffs_brain.profile import HybridProfile
from brvtui.engines.jeffs_brain.sections import Hybrid
from brvtui.snapshot.naming import Named
from brvtui.trace import Explanation, LossStage, Remedy, State, Trace


class HybridLoss(LossStage):
    """The stages that can drop a note, earliest first."""

    NOT_IN_TREE = "not a searchable note in the tree"
    NOTHING_ASKED = "the query has no word to search for, and no vectors were searched"
    NO_LEG = "neither words nor vectors find it"
    CANDIDATES = "beyond the candidates that a leg keeps"
    BEHIND = "below the last result in the answer"


def explain(context: Context[HybridProfile], trace: Trace, document: Named, ask: Ask) -> Explanation:
    """The reason why ``document`` is, or is not, among the hits of ``trace``."""
    hybrid, path = trace.section(Hybrid), document.path
    placed = hybrid.placed(path)
    return explained(
        context.snapshot,
        trace,
        document,
        placed.hit if placed is not None else None,
        lambda rank: f"listed at {rank} of {hybrid.fused}",
        lambda: _loss(context, trace, document, ask),
        lambda loss, title: _remedy(trace, loss, path, title, ask),
    )


def _loss(context: Context[HybridProfile], trace: Trace, document: Named, ask: Ask) -> tuple[HybridLoss, str]:
    hybrid = trace.section(Hybrid)
    if document.position is None:
        return HybridLoss.NOT_IN_TREE, "only notes are searched"
    placed = hybrid.placed(document.path)
    if placed is not None and trace.hits:
        place = hybrid.ranking.index(placed) + 1
        last = trace.hits[-1].score
        return (
            HybridLoss.BEHIND,
            f"number {place} of {hybrid.fused} with {placed.hit.score:.4f}; the last result has {last:.4f}",
        )
    searched = [leg for leg in trace.legs if leg.counts and leg.state in (State.HIT, State.MISSED, State.FAILED)]
    if not hybrid.compiled and not any(leg.hits for leg in searched):
        return HybridLoss.NOTHING_ASKED, f"searched: {hybrid.compiled or 'nothing'}"
    everything = len(context.snapshot.notes)
    wider = ask(trace.query, candidate_k=everything, top_k=everything)
    if hybrid.candidate_k < everything and any(hit.file == document.path for hit in wider.hits):
        return HybridLoss.CANDIDATES, f"each leg keeps only {hybrid.candidate_k}"
    legs = ", ".join(f"{leg.name} {len(leg.hits)}" for leg in searched) or "no leg was searched"
    return HybridLoss.NO_LEG, f"notes by leg: {legs}"


def _remedy(trace: Trace, loss: HybridLoss, path: str, title: str, ask: Ask) -> Remedy:
    if loss is HybridLoss.NOT_IN_TREE:
        return Remedy(CHECK_PATH, False)
    return tried_remedy(path, ((*wording, {}) for wording in title_wordings(trace.query, title)), ask, 4)
