"""Models that judge how well documents answer a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RerankRules:
    """How a language model is asked to rerank (``docs/jeffs_brain.md``, "Reranking"), whichever engine asks it."""

    batch: int = 5
    """Documents in one request."""
    parallel: int = 4
    """Requests at once."""
    temperature: float = 0.1
    max_tokens: int = 2048
    scale: int = 10
    """The best score that it may give; the worst is 0."""


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
