"""How text becomes terms (``docs/byterover_v4.md``, "Text relevance")."""

from __future__ import annotations

import re
from collections import Counter

from brvtui.text.analysis import raw_tokens, utf16

_CJK = "\u4e00-\u9fff\u3040-\u309f\u30a0-\u30ff\uac00-\ud7af"
_RUNS = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_ANY_CJK = re.compile(f"[{_CJK}]")


def tokens(text: str) -> list[str]:
    """The tokens of ``text`` in order, case kept: words, and the pairs of neighbours of each CJK run."""
    pieces = [piece for piece in raw_tokens(text) if piece]
    if not _ANY_CJK.search(text):
        return pieces
    made: list[str] = []
    for piece in pieces:
        for run in _RUNS.findall(piece):
            if len(run) > 1 and _ANY_CJK.match(run):
                made += [run[place : place + 2] for place in range(len(run) - 1)]
            else:
                made.append(run)
    return made


def term(token: str) -> str:
    """The term of ``token``: in lower case, characters outside the BMP as their two surrogates."""
    return utf16(token.lower())


def field_terms(text: str) -> tuple[int, dict[str, int]]:
    """The length of a field with this text (its distinct tokens), and how often each term occurs, first ones first."""
    found = tokens(text)
    return len(set(found)), Counter(map(term, found))
