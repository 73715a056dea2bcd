"""Words for counts, and for names that are unknown."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, one: str, more: str) -> str:
    """``number`` with its noun: ``1 note``, ``2 notes``."""
    return f"{number} {one if number == 1 else more}"


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about the unknown ``name``: the nearest of ``known``, or all of them."""
    import difflib

    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {near[0]}?" if near else f"; known: {', '.join(names)}"
