"""The services that the legs of a search use: embedders and rerankers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol

from brvtui.typed_tables import LIMIT, CountLimit, PositiveLimit, Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Requests to services on a network, and their errors.


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Time-outs, retries and size limits for requests. All engines share them. Times are in seconds."""

    timeout_seconds: PositiveLimit
    tries: CountLimit
    wait_seconds: float
    longest_wait_seconds: Annotated[float, Range(), LIMIT]
    max_bytes: CountLimit


class LegError(RuntimeError):
    """Raised if a ranked list, or the service that it needs, is not available.

    The message is the reason on one line.
    """


class ServiceError(ValueError):
    """Raised if a service is configured wrongly. The message names the setting and the remedy."""


# Models that score how well documents answer a query.


@dataclass(frozen=True, slots=True)
class RerankRules:
    """Constants for reranking by a model. All engines share them (``docs/reference/jeffs-brain.md``, "Reranking")."""

    batch: int = 5
    """The number of documents per request."""
    parallel: int = 4
    """The number of requests that are sent at the same time."""
    temperature: float = 0.1
    max_tokens: int = 2048
    scale: int = 10
    """The highest score that the model may give; the lowest is 0."""


@dataclass(frozen=True, slots=True)
class RerankDocument:
    """A note's text, for a reranker."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """A reranker's score for the document at the position ``index``."""

    index: int
    score: float


class Reranker(Protocol):
    """A model that scores documents. It raises only :class:`brvtui.services.legs.LegError`."""

    @property
    def name(self) -> str:
        """The model's name, with the host if it has one."""
        ...

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Sequence[Reranked]:
        """Returns the scores of ``documents``, best first. Some documents may be missing."""
        ...


Vector = Sequence[float]


# Models that compute the vectors of texts.


class Embedder(Protocol):
    """A model that computes vectors of texts. It raises only :class:`brvtui.services.legs.LegError`."""

    @property
    def name(self) -> str:
        """The model's name, with the host if it has one. Vectors can be compared only if they have the same name."""
        ...

    @property
    def is_remote(self) -> bool:
        """True if the embedder is called over a network. Previews during typing do not call it."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Returns one non-empty vector per text. All vectors have the same length."""
        ...


class VectorCache(Protocol):
    """One model's vectors on disk, keyed by the digests of the embedded texts."""

    def read(self) -> Mapping[str, NDArray[np.float32]]:
        """Returns the stored vectors; empty if the file is missing or damaged."""
        ...

    def write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Replaces the stored vectors. Raises OSError."""
        ...
