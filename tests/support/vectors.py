"""Services without a model: an embedder that counts letters, vectors kept in memory, feedback kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np

from brvtui.services.legs import LegError, ServiceError
from brvtui.services.provided import NoServices
from brvtui.store.feedback import FeedbackFile


class MemoryVectors:
    """A store of vectors, keyed by the names of their texts."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}

    def read(self) -> dict[str, Any]:
        return dict(self.held)

    def write(self, vectors: Any) -> None:
        self.held = {name: np.asarray(vector) for name, vector in vectors.items()}


class Letters:
    """An embedder that counts letters, so that similar words have near vectors."""

    name = "letters"
    is_remote = False

    def __init__(self, least: float = 0.0, fails: bool = False) -> None:
        self.least, self.fails = least, fails
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self.fails:
            raise LegError("letters is away")
        self.texts += texts
        return [[self.least + text.lower().count(letter) for letter in ascii_lowercase] for text in texts]


class WithEmbedder(NoServices):
    """Services with an embedder."""

    def __init__(self, embedder: Letters) -> None:
        self.embedder = embedder
        self.kept: dict[str, MemoryVectors] = {}

    def vectors(self, model: str) -> MemoryVectors:
        return self.kept.setdefault(model, MemoryVectors())


class WronglySet(NoServices):
    """Services with wrong settings for the embedder."""

    @property
    def embedder(self) -> Any:
        raise ServiceError("services.embedder.url: localhost is not an address")


class WithFeedback(NoServices):
    """Services that keep feedback on a tree."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree

    def feedback(self, engine: str) -> FeedbackFile:
        return FeedbackFile(self._tree, engine)
