"""Titles of a list, cut so that they can be told apart."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from brvtui.paint.text import cut, cut_hard, cut_left
from brvtui.text.visible import visible

_LEAST_SHARED = 4
"""Letters that two titles must share at their beginning for it to be left out."""
_LEAST_HEAD = 3
_END, _LONGEST_END, _WHOLE = 2, 3, 5
"""The shares of the room that the end of a title gets where its middle is left out: usually, and for a whole word."""


def told_apart(titles: Sequence[str], width: int) -> list[str]:
    """Returns each of ``titles`` in at most ``width`` cells.

    One that is too long keeps what comes after the beginning that it shares with another; one that shares none keeps
    its beginning and its end.
    """
    shown = [visible(title) for title in titles]
    distinct = sorted(set(shown))
    return [text if cell_len(text) <= width else _shortened(text, _shared(text, distinct), width) for text in shown]


def _shared(text: str, distinct: Sequence[str]) -> int:
    """How many letters ``text`` shares with the beginning of another title, up to the end of a word."""
    place = distinct.index(text)  # of sorted texts, those beside it share most
    beside = [*distinct[max(0, place - 1) : place], *distinct[place + 1 : place + 2]]
    longest = max((_alike(text, other) for other in beside), default=0)
    while longest and longest < len(text) and text[longest].isalnum() and text[longest - 1].isalnum():
        longest -= 1
    return longest if longest >= _LEAST_SHARED else 0


def _alike(one: str, other: str) -> int:
    """How many letters at the beginning of both are the same."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _shortened(text: str, shared: int, width: int) -> str:
    if width < _LEAST_HEAD:
        return cut(text, width)
    rest = text[shared:]
    if shared and rest:
        head = width - cell_len(rest) - 1
        if head >= _LEAST_HEAD:
            return f"{cut_hard(text, head)}…{rest}"
        return f"…{cut(rest, width - 1)}"
    end = (width - 1) * _END // _WHOLE
    last = text[text.rfind(" ") + 1 :]
    tail = last if end <= cell_len(last) * 2 and cell_len(last) <= (width - 1) * _LONGEST_END // _WHOLE else text
    tail = cut_left(text, end + 1) if tail is text else f"…{last}"
    return cut_hard(text, width - cell_len(tail)).rstrip() + tail
