"""What the pipeline asks of others: an index, and two services that need not be there.

All of them raise :class:`brvtui.retrieve.failures.LegError`, and nothing else, when they cannot answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from brvtui.rank.fusion import Candidate
from brvtui.text.query_language import Parsed

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class RankedHit:
    """An entry of a leg with the number that ranked it: BM25, a likeness of names, or a cosine."""

    candidate: Candidate
    value: float


class Index(Protocol):
    """Ranked lists over one set of notes, best first, at most ``limit`` long."""

    def bm25(self, query: Parsed, limit: int) -> Sequence[RankedHit]:
        """The notes that a query with at least one token matches."""
        ...

    def like_names(self, tokens: Sequence[str], limit: int) -> Sequence[RankedHit]:
        """The notes whose file name is like one of ``tokens``."""
        ...

    def nearest(self, vector: Vector, limit: int) -> Sequence[RankedHit]:
        """The notes nearest to a vector that is not empty."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """What made the vectors: the model, and whatever else makes vectors of another kind."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether asking it goes over a network; then it is not asked while somebody types."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text, all of one length; none may be empty."""
        ...


@dataclass(frozen=True, slots=True)
class RerankDocument:
    """What a reranker is sent of one note."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """A reranker's judgement of the document at the position ``index``."""

    index: int
    score: float


class Reranker(Protocol):
    """Judges how well documents answer a query."""

    @property
    def name(self) -> str:
        """What judged."""
        ...

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Sequence[Reranked]:
        """The judgements, best first; documents may be missing."""
        ...
