"""The trace section that is specific to hybrid searches (``docs/reference/jeffs-brain.md``, "The trace")."""

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
    """The legs of a search."""

    AUTO = "auto"
    BM25 = "bm25"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


class SkipReason(StrEnum):
    """The reasons for not running the reranker."""

    UNANIMITY = "unanimity"
    NO_RERANKER = "no_reranker"
    EMPTY_CANDIDATES = "empty_candidates"
    MODE_OFF = "mode_off"
    PREVIEW = "preview"
    """The user is still typing; a run calls the reranker. Only this project has this reason."""


@dataclass(frozen=True, slots=True)
class RankedNote:
    """A note in the complete ranking, with its rank (from 0) after each stage."""

    hit: Hit
    id: str
    summary: str
    fused_rank: int
    """The rank before reweighting."""
    reweighted_rank: int
    """The rank after reweighting and before reranking."""
    rerank_score: float | None = None
    sent: str = ""
    """The text for a reranker; empty for a note that is ranked too low to be sent."""


@dataclass(frozen=True, slots=True)
class StageError:
    """A stage of the search that failed, and the error. The other stages ran nevertheless."""

    stage: str
    """``bm25``, ``vector`` or ``rerank``."""
    detail: str


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The modes, limits, services and complete ranking of a hybrid search."""

    SECTION: ClassVar = "hybrid"

    compiled: str
    """The full-text query."""
    requested_mode: RetrievalMode
    mode: RetrievalMode
    fell_back: bool
    """True if an explicitly requested mode was replaced because it needs an embedder and there is none."""
    top_k: int
    candidate_k: int
    rerank_top_n: int
    rrf_k: float
    intent: str
    fused: int
    """The number of notes in the list before it is cut to ``top_k``."""
    embedder: str
    embedder_used: bool
    reranker: str
    reranked: bool
    rerank_skipped: SkipReason | None
    agreements: int | None
    """The number of ranks where the legs agree, if their agreement made reranking unnecessary; otherwise None."""
    errors: tuple[StageError, ...]
    ranking: tuple[RankedNote, ...]
    """The complete ranking in its final order. The first ``top_k`` notes are the answer."""
    idle_rules: tuple[str, ...] = ()
    """Intent rules that no note in this tree can match, each with the pattern that it needs."""

    def placed(self, file: str) -> RankedNote | None:
        """The entry for the note at ``file`` in the complete ranking; None if neither leg found the note."""
        return next((placed for placed in self.ranking if placed.hit.file == file), None)


def searched_words(hybrid: Hybrid) -> tuple[str, ...]:
    """The words and phrases in the full-text query, including excluded ones, but without operators."""
    return tuple(text for part in OPERATORS.split(hybrid.compiled) if (text := part.strip('"*')))
