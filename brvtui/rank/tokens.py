"""Estimated tokens (``docs/engine.md``, "The manifest")."""

from __future__ import annotations


def estimated_tokens(chars: int, chars_per_token: float) -> int:
    """UTF-16 units divided by units per token, rounded half up."""
    return int(chars / chars_per_token + 0.5)
