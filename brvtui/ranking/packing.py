"""Packing texts into a budget of tokens (``docs/reference/byterover.md``, "The manifest")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def estimated_tokens(chars: NDArray[np.int64] | int, chars_per_token: float) -> NDArray[np.int64]:
    """UTF-16 units divided by units per token, rounded half up."""
    return np.asarray(chars / chars_per_token + 0.5).astype(np.int64)


def fitting(tokens: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """The positions of the entries that fit, if each entry in order is taken whenever it still fits."""
    taken: list[int] = []
    left, place = budget, 0
    while place < len(tokens):
        found = int(np.argmax(tokens[place:] <= left)) + place
        if tokens[found] > left:
            break
        taken.append(found)
        left -= int(tokens[found])
        place = found + 1
    return np.asarray(taken, dtype=np.int64)
