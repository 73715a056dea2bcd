"""Models that turn texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

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
