"""Models that judge how well documents answer a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from brvtui.typed_tables import Count, Positive


@dataclass(frozen=True, slots=True)
class RerankRules:
    """What a reranker is sent, and how a language model is asked to be one."""

    snippet_chars: int
    batch: Count
    parallel: Count
    temperature: float
    max_tokens: int
    scale: Positive


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
    """Judges documents. Raises :class:`brvtui.services.failures.LegError`, and nothing else, when it cannot."""

    @property
    def name(self) -> str:
        """What judged."""
        ...

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Sequence[Reranked]:
        """The judgements, best first; documents may be missing."""
        ...
