"""Estimated tokens (``docs/engine.md``, "The manifest")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def estimated_tokens_of(chars: NDArray[np.int64], chars_per_token: float) -> NDArray[np.int64]:
    """:func:`estimated_tokens` of many lengths."""
    return (chars / chars_per_token + 0.5).astype(np.int64)


def estimated_tokens(chars: int, chars_per_token: float) -> int:
    """UTF-16 units divided by units per token, rounded half up."""
    return int(chars / chars_per_token + 0.5)
