"""Models that turn texts into vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector = Sequence[float]


class Embedder(Protocol):
    """Turns texts into vectors. Raises :class:`brvtui.services.failures.LegError`, and nothing else, when it cannot."""

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


class VectorCache(Protocol):
    """Vectors of one model, kept from run to run by the digests of their texts."""

    def read(self) -> Mapping[str, NDArray[np.float32]]:
        """The kept vectors; empty when there are none, or the file is broken."""
        ...

    def write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Replaces the kept vectors. Raises OSError."""
        ...
