"""The index that the pipeline searches. Its methods raise only :class:`brvtui.services.requests.LegError`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from brvtui.ranking.fusion import Candidate
from brvtui.services.embedding import Vector
from brvtui.text.query_language import ParsedQuery


@dataclass(frozen=True, slots=True)
class RankedHit:
    """An entry of a leg with the number that ranked it: BM25, a likeness of names, or a cosine."""

    candidate: Candidate
    value: float


class Index(Protocol):
    """Ranked lists over one set of notes, best first, at most ``limit`` long."""

    def bm25(self, query: ParsedQuery, limit: int) -> Sequence[RankedHit]:
        """The notes that a query with at least one token matches."""
        ...

    def like_names(self, tokens: Sequence[str], limit: int) -> Sequence[RankedHit]:
        """The notes whose file name is like one of ``tokens``."""
        ...

    def nearest(self, vector: Vector, limit: int) -> Sequence[RankedHit]:
        """The notes nearest to a vector that is not empty."""
        ...
