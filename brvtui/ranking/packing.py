"""Packing texts into a token budget (``docs/reference/byterover.md``, "The manifest")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def estimated_tokens(chars: NDArray[np.int64] | int, chars_per_token: float) -> NDArray[np.int64]:
    """Estimated token counts: ``chars`` UTF-16 units divided by ``chars_per_token``, rounded half up."""
    return np.asarray(chars / chars_per_token + 0.5).astype(np.int64)


def fitting(tokens: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """The positions of the entries that fit into ``budget``. Entries are tried in order, and one that exceeds the
    remaining budget is skipped.
    """
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
