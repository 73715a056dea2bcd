"""The words of a query that a result answers, as marked words behind the names of their fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brvtui.paint.line import Line
from brvtui.trace import MatchedWord, MatchKind

SIGNS = {MatchKind.EXACT: "=", MatchKind.PREFIX: "^", MatchKind.FUZZY: "~", MatchKind.STEM: "/"}
"""The mark before a word: the same, longer than the query's, misspelt, or of another ending."""
_ROLES = {MatchKind.EXACT: "ok", MatchKind.PREFIX: "accent", MatchKind.FUZZY: "warn", MatchKind.STEM: "accent"}
_MEANT = {MatchKind.EXACT: "same", MatchKind.PREFIX: "longer", MatchKind.FUZZY: "like it", MatchKind.STEM: "other form"}
_TEXT, _BELOW = "text", "below"
"""Fields by name; what lies below a folder is not named, since the folder's remark says so."""
_MORE = 4
"""Cells for the number of words that find no room."""


def marks_explained(kinds: Iterable[MatchKind], places: str, width: int) -> str:
    """Returns the marks of ``kinds`` with what they mean, in at most ``width`` cells: ``= same  ~ like it``.

    Behind them stands ``places``, the meaning of other letters, where there is room.
    """
    present = frozenset(kinds)
    each = [f"{SIGNS[kind]} {meant}" for kind, meant in _MEANT.items() if kind in present]
    texts = (gap.join(shown) for shown in ([*each, places] if places else each, each) for gap in ("  ", " "))
    return next((text for text in texts if len(text) <= width), "")


def chips(words: Sequence[MatchedWord], width: int) -> Line:
    """Returns the words by field, each with its mark: ``title =carrier text ~resend``.

    Where there is no room for that, those in the text stand behind a dot alone; at last only the first words are
    shown, and how many there are more.
    """
    ordered = _by_field(words)
    for text in ("text", "·"):
        made = Line().extend(span for place, _ in enumerate(ordered) for span in _chip(ordered, place, text).spans)
        if made.width <= width:
            return made
    made = _chip(ordered, 0, "·") if ordered else Line()
    shown = 1
    while shown < len(ordered):
        piece = _chip(ordered, shown, "·")
        if made.width + piece.width + _MORE > width:
            break
        made.extend(piece.spans)
        shown += 1
    left = len(ordered) - shown
    made.cut(width - _MORE if left else width)
    if not left:
        return made
    told = f" +{left} more" if made.width + len(f" +{left} more") <= width else f" +{left}"
    return made.add(told, "muted")


def _chip(words: Sequence[MatchedWord], place: int, text: str) -> Line:
    """The word at ``place``, behind its field if it is the first of it; words in the text stand behind ``text``."""
    one, before = words[place], words[place - 1] if place else None
    made, field = Line().gap(1 if place else 0), _field(one)
    if field != _BELOW and (before is None or _field(before) != field):
        made.add(f"{text if field == _TEXT else field} " if place or field != _TEXT or text == _TEXT else "", "muted")
    return made.add(f"{SIGNS[one.kind]}{one.word}", _ROLES[one.kind])


def _field(one: MatchedWord) -> str:
    return one.fields[0] if one.fields else _BELOW


def _by_field(words: Sequence[MatchedWord]) -> list[MatchedWord]:
    """The words with those of one field together, fields in the order of the first word of each."""
    order = {name: place for place, name in enumerate(("title", "path", _TEXT, _BELOW))}
    return sorted(words, key=lambda one: order.get(_field(one), len(order)))
