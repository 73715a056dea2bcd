"""The excerpt of a note that goes into a prompt (``docs/engine.md``, "Excerpts")."""

from __future__ import annotations

import re

from brvtui import faults
from brvtui.engines.byterover.profile import SearchRules

_RELATIONS = re.compile(r"^## Relations[^\n]*\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"^# [^\n]*\n?", re.MULTILINE)
_BREAKS = ("\n\n", ". ", "\n")


def excerpt(text: str, query_words: list[str], search: SearchRules) -> str:
    """The chunk of ``text`` that holds most of ``query_words`` (lower case), at most ``excerpt_chars`` long.

    ``...`` follows when text comes after the chunk.
    """
    body = _TITLE.sub("", _RELATIONS.sub("", text), count=1).strip()
    made = chunks(body, search)
    if not made:
        return ""
    place = max(range(len(made)), key=lambda number: _words_in(made[number], query_words))
    shown = made[place][: search.excerpt_chars].strip()
    return shown if place == len(made) - 1 else f"{shown}..."


def chunks(text: str, search: SearchRules) -> list[str]:
    """``text`` in overlapping chunks that end, where they can, at a paragraph, a sentence or a line."""
    size, found, start = search.excerpt_chars, [], 0
    while start < len(text):
        end = min(len(text), start + size)
        if end < len(text):
            end = _break(text, start, end, search.excerpt_break)
        found.append(text[start:end])
        if end >= len(text):
            break
        start = max(end - search.excerpt_overlap, start + 1)
    return found


def _break(text: str, start: int, end: int, share: float) -> int:
    earliest = end - int((end - start) * share)
    for mark in _BREAKS:
        place = text.rfind(mark, earliest, end)
        if place >= 0:
            return place + len(mark)
    return end


def _words_in(chunk: str, words: list[str]) -> int:
    lower = chunk.lower()
    return sum(word in lower for word in words)


def unreadable(error: OSError) -> str:
    """What stands in the place of an excerpt of a note that cannot be read."""
    return f"(cannot be read: {faults.reason(error)})"
