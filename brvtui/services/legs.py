"""Services that engines may ask for a leg of a search: embedders and re-rankers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol

from brvtui.typed_tables import LIMIT, CountLimit, PositiveLimit, Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# How a service is asked over a network, and how it fails.


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Time-outs, retries and sizes of requests, whichever engine asks. Times are in seconds."""

    timeout_seconds: PositiveLimit
    tries: CountLimit
    wait_seconds: float
    longest_wait_seconds: Annotated[float, Range(), LIMIT]
    max_bytes: CountLimit


class LegError(RuntimeError):
    """A ranked list, or a service behind one, is not available; the message says why in one line."""


class ServiceError(ValueError):
    """A service is not configured correctly; the message names the setting and says what to do."""


# Models that judge how well documents answer a query.


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
    """Judges documents. Raises :class:`brvtui.services.legs.LegError`, and nothing else, when it cannot."""

    @property
    def name(self) -> str:
        """The model, and its host if it has one."""
        ...

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Sequence[Reranked]:
        """The scores, best first; documents may be missing."""
        ...


Vector = Sequence[float]


# Models that turn texts into vectors.


class Embedder(Protocol):
    """Turns texts into vectors. Raises :class:`brvtui.services.legs.LegError`, and nothing else, when it cannot."""

    @property
    def name(self) -> str:
        """Identifies vectors that can be compared with each other: the model, and its host if it has one."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether it is asked over a network; if so, previews while typing do not ask it."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text, all of the same length and none empty."""
        ...


class VectorCache(Protocol):
    """Vectors of one model on disk, by the digests of their texts."""

    def read(self) -> Mapping[str, NDArray[np.float32]]:
        """The stored vectors; empty if there is no file or it is damaged."""
        ...

    def write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Replaces the stored vectors. Raises OSError."""
        ...
