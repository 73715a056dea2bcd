"""Models that judge how well documents answer a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from brvtui.typed_tables import Count, Positive


@dataclass(frozen=True, slots=True)
class RerankRules:
    """Limits of what a reranker is sent, and settings of a language model that reranks."""

    snippet_chars: int
    batch: Count
    parallel: Count
    temperature: float
    max_tokens: int
    scale: Positive


@dataclass(frozen=True, slots=True)
class RerankDocument:
    """The part of one note that a reranker judges."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """The score that a reranker gives the document at the position ``index``."""

    index: int
    score: float


class Reranker(Protocol):
    """Judges documents. Raises :class:`brvtui.services.requests.LegError`, and nothing else, when it cannot."""

    @property
    def name(self) -> str:
        """The model, and its host if it has one."""
        ...

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Sequence[Reranked]:
        """The scores, best first; documents may be missing."""
        ...
