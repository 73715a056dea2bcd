"""The services used in the legs of a search: embedders and rerankers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol

from brvtui.typed_tables import LIMIT, CountLimit, PositiveLimit, Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Requests to services over a network, and their errors.


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Time-outs, retries and size limits for requests, shared by all engines. Times are in seconds."""

    timeout_seconds: PositiveLimit
    tries: CountLimit
    wait_seconds: float
    longest_wait_seconds: Annotated[float, Range(), LIMIT]
    max_bytes: CountLimit


class LegError(RuntimeError):
    """A ranked list, or the service that it needs, is not available. The message is the one-line reason."""


class ServiceError(ValueError):
    """A service is misconfigured. The message names the setting and the remedy."""


# Models that score documents for a query.


@dataclass(frozen=True, slots=True)
class RerankRules:
    """Constants for reranking by a model, shared by all engines (``docs/reference/jeffs-brain.md``, "Reranking")."""

    batch: int = 5
    """The number of documents per request."""
    parallel: int = 4
    """The number of parallel requests."""
    temperature: float = 0.1
    max_tokens: int = 2048
    scale: int = 10
    """The highest score that the model may give; the lowest is 0."""


@dataclass(frozen=True, slots=True)
class RerankDocument:
    """One note's text for a reranker."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """The score of the document at position ``index``."""

    index: int
    score: float


class Reranker(Protocol):
    """Scores documents. Raises only :class:`brvtui.services.legs.LegError`."""

    @property
    def name(self) -> str:
        """The model's name, with the host if it has one."""
        ...

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Sequence[Reranked]:
        """The documents' scores, best first. Some documents may be missing."""
        ...


Vector = Sequence[float]


# Models that compute vectors of texts.


class Embedder(Protocol):
    """Computes vectors for texts. Raises only :class:`brvtui.services.legs.LegError`."""

    @property
    def name(self) -> str:
        """The id shared by comparable vectors: the model's name, with the host if it has one."""
        ...

    @property
    def is_remote(self) -> bool:
        """True if the embedder is called over a network, so that previews during typing do not call it."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One non-empty vector per text, all of the same length."""
        ...


class VectorCache(Protocol):
    """One model's vectors on disk, keyed by the digests of the embedded texts."""

    def read(self) -> Mapping[str, NDArray[np.float32]]:
        """The stored vectors; empty if the file is missing or damaged."""
        ...

    def write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Replaces the stored vectors. Raises OSError."""
        ...
