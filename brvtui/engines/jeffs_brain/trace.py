"""One hybrid search as plain frozen data (``docs/jeffs_brain.md``, "The trace").

The parts of each :class:`HybridHit` sum to its score within :data:`brvtui.trace.SUM_TOLERANCE`. Times are in
:attr:`HybridTrace.timings` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from brvtui.ranking.fusion import Candidate
from brvtui.trace import Part, Rung, Stage, State, Step

SCHEMA = 1
PIPELINE = "jeffs_brain"


class Mode(StrEnum):
    """Which legs make the list."""

    AUTO = "auto"
    BM25 = "bm25"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


class SkipReason(StrEnum):
    """Why the reranker did not run."""

    UNANIMITY = "unanimity"
    NO_RERANKER = "no_reranker"
    EMPTY_CANDIDATES = "empty_candidates"
    MODE_OFF = "mode_off"
    PROBE = "probe"
    """Somebody still types: a run asks. This project's own."""


@dataclass(frozen=True, slots=True)
class LegHit:
    """One place of a leg. ``rank`` counts from 0; ``value`` is what ranked it, in the leg's own unit."""

    id: str
    rank: int
    value: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One ranked list before fusion. ``counts`` says whether it makes part of the fused list in this mode."""

    name: str
    """``bm25`` or ``vector``."""
    state: State
    unit: str
    """What ``value`` is: ``BM25``, ``likeness of names``, ``cosine``; empty for an empty list."""
    counts: bool
    why: str
    hits: tuple[LegHit, ...] = ()


@dataclass(frozen=True, slots=True)
class LegRank:
    """The place of a hit in one leg."""

    leg: str
    rank: int
    value: float


@dataclass(frozen=True, slots=True)
class HybridHit:
    """One note of the final list. Ranks count from 0."""

    id: str
    path: str
    title: str
    summary: str
    score: float
    parts: tuple[Part, ...]
    legs: tuple[LegRank, ...]
    fused_rank: int
    """Its place before reweighting."""
    reweighted_rank: int
    """Its place after reweighting, before reranking."""
    rerank_score: float | None = None
    sent: str = ""
    """What a reranker is, or would be, sent of it; empty behind the head."""


@dataclass(frozen=True, slots=True)
class StageError:
    """A part of the search that failed, and why; the rest went on."""

    stage: str
    """``bm25``, ``vector`` or ``rerank``."""
    detail: str


@dataclass(frozen=True, slots=True)
class HybridTrace:
    """One hybrid search's whole decision."""

    schema: int
    pipeline: str
    profile: str
    query: str
    probe: bool
    """Whether it was asked while somebody typed: services are asked by a run."""
    compiled: str
    requested_mode: Mode
    mode: Mode
    fell_back: bool
    """Whether a mode that was asked for by name needed an embedder and there is none."""
    top_k: int
    candidate_k: int
    rerank_top_n: int
    rrf_k: float
    verdict: str
    """What came of it, in one line."""
    steps: tuple[Step, ...]
    """Words, retry ladder, vectors, fusion, intent, reranking: how each ended."""
    stages: tuple[Stage, ...]
    """Fusion and the cut to the answer, with counts that are conserved."""
    legs: tuple[Leg, ...]
    rungs: tuple[Rung, ...]
    intent: str
    fused: int
    """Notes in the list before it is cut to ``top_k``."""
    embedder: str
    embedder_used: bool
    reranker: str
    reranked: bool
    rerank_skipped: SkipReason | None
    agreements: int | None
    """Places at which the legs agree, when that spared the reranker."""
    errors: tuple[StageError, ...]
    ranking: tuple[HybridHit, ...]
    """The whole list in its final order; the answer is its first ``top_k``."""
    notices: tuple[str, ...] = ()
    idle_rules: tuple[str, ...] = ()
    """Rules of intent that no note of this tree can meet, each with what they look for."""
    timings: dict[str, float] = field(default_factory=dict)
    """Milliseconds of every stage."""

    @property
    def hits(self) -> tuple[HybridHit, ...]:
        """The answer."""
        return self.ranking[: max(0, self.top_k)]

    @property
    def attempts(self) -> tuple[Rung, ...]:
        """The steps of the ladder that searched and were answered."""
        return tuple(rung for rung in self.rungs if rung.ran)

    @property
    def error_stage(self) -> str:
        """The first part that failed; empty when none did."""
        return self.errors[0].stage if self.errors else ""

    def leg(self, name: str) -> Leg:
        """The leg called ``name``. Raises KeyError when there is none."""
        for leg in self.legs:
            if leg.name == name:
                return leg
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The answer's notes with their texts, in the order of ``trace.hits``, and how they were found."""

    results: tuple[Candidate, ...]
    trace: HybridTrace
