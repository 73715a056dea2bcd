"""Estimated tokens (``docs/engine.md``, "The manifest")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def estimated_tokens(chars: NDArray[np.int64] | int, chars_per_token: float) -> NDArray[np.int64]:
    """UTF-16 units divided by units per token, rounded half up."""
    return np.asarray(chars / chars_per_token + 0.5).astype(np.int64)
