"""The words of a query that a result answers, as marked words behind the names of their fields."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.paint.line import Line
from brvtui.trace import MatchedWord, MatchKind

SIGNS = {MatchKind.EXACT: "=", MatchKind.PREFIX: "^", MatchKind.FUZZY: "~", MatchKind.STEM: "/"}
"""The mark before a word: the same, longer than the query's, misspelt, or of another ending."""
_ROLES = {MatchKind.EXACT: "ok", MatchKind.PREFIX: "accent", MatchKind.FUZZY: "warn", MatchKind.STEM: "accent"}
_BELOW = "below"
"""The field of words that a note in a folder holds: the folder's remark says so."""
_MORE = 4
"""Cells for the number of words that find no room."""


def chips(words: Sequence[MatchedWord], width: int) -> Line:
    """Returns the words by field, each with its mark: ``title =carrier text ~resend``, and how many found no room."""
    made, field, left = Line(), "", len(words)
    for one in _by_field(words):
        name = one.fields[0] if one.fields else ""
        piece = Line()
        piece.gap(1 if made.spans else 0)
        if name != field and name != _BELOW:
            piece.add(f"{name} ", "muted")
        piece.add(f"{SIGNS[one.kind]}{one.word}", _ROLES[one.kind])
        if made.width + piece.width + (_MORE if left > 1 else 0) > width:
            break
        made.extend(piece.spans)
        field, left = name, left - 1
    if not made.spans and words:
        made.add(f"{SIGNS[words[0].kind]}{words[0].word}", _ROLES[words[0].kind])
        made.cut(width - _MORE if left > 1 else width)
        left -= 1
    return made.add(f" +{left}", "muted") if left else made


def _by_field(words: Sequence[MatchedWord]) -> list[MatchedWord]:
    """The words with those of one field together, fields in the order of the first word of each."""
    order = {name: place for place, name in enumerate(("title", "path", "text", "below"))}
    return sorted(words, key=lambda one: order.get(one.fields[0] if one.fields else "", len(order)))
