"""Weights that follow feedback (``docs/soleri.md``, "Adaptive weights")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brvtui.engines.soleri.profile import SoleriProfile, Weights
from brvtui.trace.feedback import Usefulness


@dataclass(frozen=True, slots=True)
class FeedbackCounts:
    """How often results were used, used with changes, and dismissed; ``failed`` are faults of the system."""

    accepted: int = 0
    modified: int = 0
    dismissed: int = 0
    failed: int = 0

    @property
    def rows(self) -> int:
        """How many count: all that are no fault."""
        return self.accepted + self.modified + self.dismissed


def feedback_counts(said: Mapping[Usefulness, int]) -> FeedbackCounts:
    """The feedback that a log holds."""
    return FeedbackCounts(
        said.get(Usefulness.ACCEPTED, 0),
        said.get(Usefulness.MODIFIED, 0),
        said.get(Usefulness.DISMISSED, 0),
        said.get(Usefulness.FAILED, 0),
    )


def expected_weights(counts: FeedbackCounts, hybrid: bool, profile: SoleriProfile) -> Weights:
    """The weights that feedback of this rate gives once there is enough of it; the fixed ones without any."""
    enough = profile.learning.rows
    if not counts.rows or counts.rows >= enough:
        return adapted_weights(counts, hybrid, profile)
    return adapted_weights(
        FeedbackCounts(counts.accepted * enough, counts.modified * enough, counts.dismissed * enough), hybrid, profile
    )


def accept_rate(counts: FeedbackCounts, profile: SoleriProfile) -> float | None:
    """The share of results that were of use, from 0 to 1; None without feedback."""
    used = counts.accepted + profile.learning.modified * counts.modified
    return used / counts.rows if counts.rows else None


def adapted_weights(counts: FeedbackCounts, hybrid: bool, profile: SoleriProfile) -> Weights:
    """The weights after feedback: the fixed ones until there are enough rows; then they sum to 1.

    ``hybrid`` is whether there is an embedding provider.
    """
    fixed = profile.hybrid_weights if hybrid else profile.weights
    rules, rate = profile.learning, accept_rate(counts, profile)
    if rate is None or counts.rows < rules.rows:
        return fixed

    def bounded(value: float) -> float:
        return min(max(value, rules.lowest), rules.highest)

    base = profile.weights
    vector = fixed.vector
    semantic = bounded(base.semantic + (rate - 0.5) * rules.span)
    if hybrid:
        semantic = bounded(semantic - vector)
    others = (base.severity, base.temporal_decay, base.tag_overlap, base.domain_match, base.graph_proximity)
    share = (1 - semantic - vector) / sum(others)
    severity, decay, tags, domain, graph = (share * weight for weight in others)
    return Weights(semantic, vector, severity, decay, tags, domain, graph)
