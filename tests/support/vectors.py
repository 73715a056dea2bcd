"""Vectors that are kept in memory."""

from __future__ import annotations

from typing import Any

import numpy as np


class MemoryVectors:
    """A store of vectors by the names of their texts."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}

    def read(self) -> dict[str, Any]:
        return dict(self.held)

    def write(self, vectors: Any) -> None:
        self.held = {name: np.asarray(vector) for name, vector in vectors.items()}
