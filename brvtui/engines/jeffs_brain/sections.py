"""The section of a trace that only a hybrid search has (``docs/jeffs_brain.md``, "The trace")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from brvtui.trace import Hit

ENGINE = "jeffs_brain"
OPERATORS = re.compile(r" (?:OR|AND NOT|AND) ")
MODES = ("auto", "bm25", "semantic", "hybrid")


class RetrievalMode(StrEnum):
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
    PREVIEW = "preview"
    """Somebody still types: a run asks. This project's own."""


@dataclass(frozen=True, slots=True)
class RankedNote:
    """One note of the whole list, and its places on the way there. Ranks count from 0."""

    hit: Hit
    id: str
    summary: str
    fused_rank: int
    """Its place before reweighting."""
    reweighted_rank: int
    """Its place after reweighting, before reranking."""
    rerank_score: float | None = None
    sent: str = ""
    """The text that a reranker is, or would be, sent of it; empty behind the head."""


@dataclass(frozen=True, slots=True)
class StageError:
    """A part of the search that failed, and why; the rest went on."""

    stage: str
    """``bm25``, ``vector`` or ``rerank``."""
    detail: str


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Modes, limits, services and the whole list of a hybrid search."""

    SECTION: ClassVar = "hybrid"

    compiled: str
    """The full-text query."""
    requested_mode: RetrievalMode
    mode: RetrievalMode
    fell_back: bool
    """Whether a mode that was asked for by name needed an embedder and there is none."""
    top_k: int
    candidate_k: int
    rerank_top_n: int
    rrf_k: float
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
    ranking: tuple[RankedNote, ...]
    """The whole list in its final order; the answer is its first ``top_k``."""
    idle_rules: tuple[str, ...] = ()
    """Rules of intent that no note of this tree can meet, each with what they look for."""

    def placed(self, file: str) -> RankedNote | None:
        """The note at ``file`` in the whole list; None when neither leg has it."""
        return next((placed for placed in self.ranking if placed.hit.file == file), None)


def searched_words(hybrid: Hybrid) -> tuple[str, ...]:
    """The words and phrases of the full-text query, without its operators; what it excludes is one of them too."""
    return tuple(text for part in OPERATORS.split(hybrid.compiled) if (text := part.strip('"*')))
