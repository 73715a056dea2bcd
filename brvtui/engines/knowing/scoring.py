"""The score of a candidate as a sum of components: reach, links, age and feedback."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array

from brvtui.engines.knowing.keywords import lower
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.profile import AgeSteps, FeedbackWeights, HitsRules, ScoreRules

# A hub links to many important nodes. An authority is linked from many important nodes.


_ROUNDS = 10
"""The default number of rounds for computing hubs and authorities."""


class LinkRank(NamedTuple):
    """A node's authority and hub values, from 0 to 1. The squares of all nodes' values of a kind add up to 1."""

    authority: float
    hub: float


def hubs_and_authorities(graph: Graph, places: Sequence[int], rules: HitsRules) -> dict[int, LinkRank]:
    """The hub and authority values of the nodes at ``places``, computed from the edges between these nodes (Kleinberg's
    HITS).

    The number of rounds is fixed. Weights of edges are ignored, but parallel edges are counted separately.
    """
    if not places:
        return {}
    index = np.full(graph.size, -1, np.int64)
    index[list(places)] = np.arange(len(places))
    sources, targets = index[graph.sources], index[graph.targets]
    inside = np.flatnonzero((sources >= 0) & (targets >= 0))
    if rules.types:
        inside = inside[[graph.edges[edge].type in rules.types for edge in inside.tolist()]]
    ones = np.ones(len(inside))
    links = coo_array((ones, (sources[inside], targets[inside])), shape=(len(places), len(places))).tocsr()
    back = links.T.tocsr()
    authority = hub = np.ones(len(places))
    for _ in range(rules.rounds if rules.rounds > 0 else _ROUNDS):
        authority = _unit(back @ hub)
        hub = _unit(links @ authority)
    return {place: LinkRank(float(authority[at]), float(hub[at])) for at, place in enumerate(places)}


def _unit(vector: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


_DAY = 86_400.0
_FLAT_RANK, _FLAT_LOW, _FLAT_HIGH = 10, 1.2, 3.0
_TEST_PATHS = (
    "_test.go",
    "/tests/",
    ".test.",
    ".spec.",
    "/__tests__/",
    "/test/",
    "/src/test/",
    "unittests/",
    "acceptancetests/",
    "integrationtests/",
    ".tests/",
)


@dataclass(frozen=True, slots=True)
class ScoringInput:
    """The properties of a node that affect its score. Ages are in seconds."""

    node: Node
    callers: int
    """The walk probability as a number of callers or, without a walk, the number of uses of this node."""
    confidence: float
    distance: int
    """The distance from the seeds: 0 for a seed, 1 for any other node."""
    walk: float = 0.0
    """The walk probability as a share of the highest one; 0 if there is no walk."""
    observed_age: float | None = None
    changed_age: float | None = None
    feedback: float | None = None
    """The share of useful votes; None if there are no votes."""
    session: float = 0.0
    is_penalised: bool = False
    """True for a test or an archived note, unless the task asks for such results."""
    provenance: str = ""


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate with its score, which is the sum of its components."""

    candidate: ScoringInput
    score: float
    components: Mapping[str, float]
    links: LinkRank | None = None

    @property
    def node(self) -> Node:
        """The scored node."""
        return self.candidate.node

    def component(self, name: str) -> float:
        """The value of the component ``name``; 0 if the candidate has no such component."""
        return self.components.get(name, 0.0)


def rank(
    candidates: Sequence[ScoringInput], links: Mapping[str, LinkRank] | None, rules: ScoreRules
) -> list[ScoredCandidate]:
    """The candidates sorted by score, best first. Candidates with equal scores keep their order.

    ``links`` contains hub and authority values, keyed by id. If ``links`` is None, these values are not used, and
    different weights apply.
    """
    most_callers = max((candidate.callers for candidate in candidates), default=0)
    scored = [_scored(candidate, max(1, most_callers), links, rules) for candidate in candidates]
    return sorted(scored, key=lambda one: -one.score)


def _scored(
    candidate: ScoringInput, most_callers: int, links: Mapping[str, LinkRank] | None, rules: ScoreRules
) -> ScoredCandidate:
    weights = rules.plain if links is None else rules.linked
    linked = links.get(candidate.node.id) if links is not None else None
    components = {
        "blast_radius": candidate.callers / most_callers * weights.blast_radius,
        "confidence": candidate.confidence * weights.confidence,
        "recency": age_value(candidate.observed_age, rules.recency) * weights.recency,
        "distance": weights.distance / (1 + candidate.distance),
        "authority": authority_adjustment(linked, candidate.distance == 0, rules) if linked is not None else 0.0,
        "feedback": feedback_value(candidate.feedback, rules.feedback),
        "session": rules.session * candidate.session / rules.session_most if candidate.session > 0 else 0.0,
        "change": age_value(candidate.changed_age, rules.change),
    }
    if candidate.is_penalised:
        components["penalty"] = (rules.penalty - 1) * sum(components.values())
    return ScoredCandidate(candidate, sum(components.values()), components, linked)


def age_value(age: float | None, steps: AgeSteps) -> float:
    """The value for an age in seconds. A negative age is treated as less than a day."""
    if age is None:
        return steps.unknown
    for days, value in ((1, steps.day), (7, steps.week), (30, steps.month)):
        if age <= days * _DAY:
            return value
    return steps.older


def authority_adjustment(links: LinkRank, is_seed: bool, rules: ScoreRules) -> float:
    """The contribution of links to a score, which is positive for a seed with high values and negative for another node
    with high authority.
    """
    limits = rules.authority
    if not is_seed:
        return -limits.other_factor * links.authority if links.authority > limits.other_above else 0.0
    adjustment = limits.seed_factor * links.authority if links.authority > limits.seed_above else 0.0
    return adjustment + (limits.hub_factor * links.hub if links.hub > limits.hub_above else 0.0)


def feedback_value(share: float | None, weights: FeedbackWeights) -> float:
    """The contribution of feedback to a score, which may be negative. ``share`` is the share of useful votes."""
    if share is None or (share <= 0 and not weights.zero_counts):
        return 0.0
    if share > weights.neutral:
        return weights.useful * (share - weights.neutral) / (1 - weights.neutral)
    return -weights.useless * (weights.neutral - share) / weights.neutral


def is_test_path(qualified_name: str) -> bool:
    """True if the path of ``qualified_name`` shows that the symbol is in a test."""
    name = lower(qualified_name)
    return any(part in name for part in _TEST_PATHS) or ("/test_" in name and ".py" in name)


def lifts_penalty(task: str, rules: ScoreRules) -> bool:
    """True if ``task`` contains a word, such as ``test``, that cancels the penalty."""
    text = lower(task)
    if rules.penalty_words_inside:
        return any(word in text for word in rules.penalty_words)
    return not set(re.findall(r"\w+", text)).isdisjoint(rules.penalty_words)


def result_confidence(scores: Sequence[float]) -> float:
    """The confidence in the results, from 0 to 1, based on the ratio of the best score to the tenth-best; 1 if there
    are fewer than ten scores.
    """
    if len(scores) < _FLAT_RANK:
        return 1.0
    if scores[0] <= 0:
        return 0.0
    tenth = scores[_FLAT_RANK - 1]
    ratio = scores[0] / tenth if tenth else math.copysign(math.inf, tenth)
    return min(1.0, max(0.0, (ratio - _FLAT_LOW) / (_FLAT_HIGH - _FLAT_LOW)))
