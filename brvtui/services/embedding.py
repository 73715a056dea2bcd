"""Models that turn texts into vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector = Sequence[float]


class Embedder(Protocol):
    """Turns texts into vectors. Raises :class:`brvtui.services.requests.LegError`, and nothing else, when it cannot."""

    @property
    def name(self) -> str:
        """Identifies vectors that can be compared with each other: the model, and its host if it has one."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether it is asked over a network; if so, probes while typing do not ask it."""
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
