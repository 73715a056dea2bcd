"""Words for counts."""

from __future__ import annotations


def counted(number: int, one: str, more: str) -> str:
    """``number`` with its noun: ``1 note``, ``2 notes``."""
    return f"{number} {one if number == 1 else more}"
