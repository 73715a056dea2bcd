"""The sentence that explains an answer. If its clauses do not all fit, those with the lowest weight are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from brvtui.paint.line import Line, Span, badge, flowed
from brvtui.paint.text import cut, cut_hard, cut_left, keeps_whole, ms
from brvtui.text.analysis import UNSEEN, origin
from brvtui.text.visible import visible
from brvtui.trace import MatchedWord, MatchKind

# Shortens the titles in a list so that they can still be told apart.


_LEAST_SHARED = 4
"""The minimum number of letters of a beginning that two titles share and that can be left out."""
_LEAST_HEAD = 3
_END, _LONGEST_END, _WHOLE = 2, 3, 5
"""The share of the width for the end of a title whose middle is left out: 2/5, or up to 3/5 to keep a word whole."""


def told_apart(titles: Sequence[str], width: int) -> list[str]:
    """Returns ``titles`` cut to ``width`` cells: a shared beginning is left out, or else the middle."""
    shown = [visible(title) for title in titles]
    distinct = sorted(set(shown))
    return [text if cell_len(text) <= width else _shortened(text, _shared(text, distinct), width) for text in shown]


def _shared(text: str, distinct: Sequence[str]) -> int:
    """Returns the length of the prefix that ``text`` shares with another title, up to the end of a word."""
    place = distinct.index(text)  # in sorted order, the neighbours share the longest beginnings
    beside = [*distinct[max(0, place - 1) : place], *distinct[place + 1 : place + 2]]
    longest = max((_alike(text, other) for other in beside), default=0)
    while longest and longest < len(text) and text[longest].isalnum() and text[longest - 1].isalnum():
        longest -= 1
    return longest if longest >= _LEAST_SHARED else 0


def _alike(one: str, other: str) -> int:
    """Returns the number of equal letters at the beginning of both texts."""
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
        if shared > width // 2 or cell_len(rest) < width:
            return f"…{cut(rest, width - 1)}"
    end = (width - 1) * _END // _WHOLE
    last = text[text.rfind(" ") + 1 :]
    tail = last if end <= cell_len(last) * 2 and cell_len(last) <= (width - 1) * _LONGEST_END // _WHOLE else text
    tail = cut_left(text, end + 1) if tail is text else f"…{last}"
    return cut_hard(text, width - cell_len(tail)).rstrip() + tail


ALWAYS = 100
"""The weight of a clause that is never left out."""
_DECISIVE = 60
"""A clause with at least this weight is cut, not left out, if it does not fit."""
_LEAST_PART = 20
"""The minimum number of cells for a part of a clause."""
_LONGEST_TITLE = 80
"""The maximum number of cells for a title. A longer title would leave too little space for the reason."""
_MOST_NAMED = 4
"""The maximum number of words that a list names. The others are counted."""
_WITHIN = re.compile(rf"(?<=\w)(?:(?![\u200c\u200d]){UNSEEN.pattern})+(?=\w)")
"""Characters that are invisible within a word, except for the joiners that some scripts need."""
_LETTERS = ("no letters", "one letter", "two letters", "three letters", "four letters", "five letters", "six letters")
_SEMICOLON = "; "
_FIELDS = {"title": "title", "path": "path", "text": "text", "below": "note below it", "summary": "summary"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, with the punctuation before it."""

    spans: tuple[Span, ...]
    weight: int = ALWAYS


Sentence = tuple[Clause, ...]
"""The clauses of a sentence in order, without the full stop."""


def clause(*pieces: str | Sequence[Span], weight: int = ALWAYS) -> Clause:
    """Returns a clause that consists of plain texts and spans."""
    spans: list[Span] = []
    for piece in pieces:
        spans += [(piece, "text")] if isinstance(piece, str) else piece
    return Clause(tuple((visible(text), role) for text, role in spans if text), weight)


def split_at_semicolons(sentence: Sentence) -> list[Sentence]:
    """Returns the parts of the sentence, which are sentences too: a part ends before a clause with a semicolon."""
    parts: list[list[Clause]] = [[]]
    for one in sentence:
        if one.spans and one.spans[0][0].startswith(_SEMICOLON) and parts[-1]:
            (text, role), *others = one.spans
            parts.append([replace(one, spans=((text.removeprefix(_SEMICOLON), role), *others))])
        else:
            parts[-1].append(one)
    return list(map(tuple, parts))


def plain(sentence: Sentence) -> str:
    """Returns the sentence as plain text that ends with a full stop."""
    text = "".join(text for one in sentence for text, _ in one.spans)
    return text if not text or text.endswith((".", "!", "?", "…")) else f"{text}."


def sentence_lines(sentence: Sentence, widths: tuple[int, int], limit: int) -> list[Line]:
    """Returns the sentence in at most ``limit`` lines. If necessary, drops the clauses with the lowest weight.

    Clauses of the same weight are left out together. If the sentence is still too long, its end is cut. A heavy clause
    at the end is cut, instead of left out, if part of it fits. ``widths`` are the cells of the first line, and of each
    other line.
    """
    clauses = [one for one in sentence if one.spans]
    kept, dropped = clauses, list[Clause]()
    lines = flowed(_joined(kept), *widths)
    while len(lines) > limit and any(one.weight < ALWAYS for one in kept):
        lightest = min(one.weight for one in kept)
        dropped = [one for one in kept if one.weight == lightest]
        kept = [one for one in kept if one.weight > lightest]
        lines = flowed(_joined(kept), *widths)
    if len(lines) > limit:
        return _cut(lines, widths, limit)
    if dropped and dropped[0].weight >= _DECISIVE and clauses.index(dropped[0]) >= len(kept):
        longer = _cut(flowed(_joined([*kept, dropped[0]]), *widths), widths, limit)
        if _cells(longer) >= _cells(lines) + _LEAST_PART:
            return longer
    return lines


def _cut(lines: list[Line], widths: tuple[int, int], limit: int) -> list[Line]:
    if len(lines) <= limit:
        return lines
    width = widths[0] if limit == 1 else widths[1]
    return [*lines[: limit - 1], lines[limit - 1].add("…").cut(width)]


def _cells(lines: Sequence[Line]) -> int:
    return sum(one.width for one in lines)


def _joined(clauses: Iterable[Clause]) -> Line:
    result = Line()
    for one in clauses:
        result.extend(one.spans)
    return result.add("" if not result.spans or result.plain.endswith((".", "!", "?", "…")) else ".")


def title(text: str) -> list[Span]:
    """Returns the title of a document in quotes, in at most 80 cells."""
    return [("“", "text"), *((part, "bold strong") for part in told_apart([text], _LONGEST_TITLE)), ("”", "text")]


def word(text: str) -> list[Span]:
    """Returns a word of the query or of a document in quotes, with invisible characters in it escaped."""
    shown = _WITHIN.sub(lambda unseen: ascii(unseen[0])[1:-1].replace(r"\x", r"\u00"), text)
    return [("‘", "text"), (shown, "accent"), ("’", "text")]


def listed(items: Sequence[Sequence[Span]], joiner: str = "and") -> list[Span]:
    """Returns ``items``, joined by commas and ``joiner``. Names only the first few, and counts the others."""
    shown = list(items[:_MOST_NAMED])
    if len(items) > len(shown):
        shown.append([(f"{len(items) - len(shown)} more", "text")])
    spans: list[Span] = []
    for place, item in enumerate(shown):
        if place:
            spans.append((f" {joiner} " if place == len(shown) - 1 else ", ", "text"))
        spans += item
    return spans


def letters(count: int) -> str:
    """Returns a number of letters in words: ``two letters``."""
    return _LETTERS[count] if count < len(_LETTERS) else f"{count} letters"


def searched_word(text: str, query: str) -> list[Span]:
    """Returns a searched word in quotes. If it is not a word of ``query``, adds the word that it was made from."""
    made_from = origin(text, query)
    return [*word(text), (f" (made from {made_from})", "text")] if made_from else word(text)


def answered_words(words: Sequence[MatchedWord], query: str) -> list[Span]:
    """Returns matching words by field, each named once: ``its title contains ‘events’``; empty if there are none."""
    fields = list(dict.fromkeys(one.fields[0] for one in words if one.fields))
    order = [name for name in _FIELDS if name in fields] + [name for name in fields if name not in _FIELDS]
    spans: list[Span] = []
    for place, name in enumerate(order):
        own = [one for one in words if one.fields and one.fields[0] == name]
        its = f"its {_FIELDS.get(name, name)} "
        if not place:
            its += "contain " if name.endswith("s") else "contains "  # plural, because a topic has several keywords
        spans.append((its if not place else f", {its}" if place < len(order) - 1 else f" and {its}", "text"))
        exact_first = sorted(own, key=lambda one: one.kind is not MatchKind.EXACT)
        spans += listed(_distinct(_match_words(one, len(words) == 1, query) for one in exact_first))
    return spans


def _distinct(items: Iterable[list[Span]]) -> list[list[Span]]:
    """Returns ``items`` without duplicates, which occur if two words of a query match the same word."""
    return [list(item) for item in dict.fromkeys(map(tuple, items))]


def _match_words(one: MatchedWord, alone: bool, query: str) -> list[Span]:
    """The document's word and its relation to the query's word. The relation is in brackets unless ``alone``."""
    match one.kind:
        case MatchKind.PREFIX | MatchKind.INSIDE:
            which = "begins with" if one.kind is MatchKind.PREFIX else "contains"
            how = f"which {which} your " if alone else "for your "
        case MatchKind.FUZZY:
            how = f"{letters(one.distance)} from your "
        case MatchKind.STEM:
            return [("a form of your ", "text"), *word(one.query)]
        case _:
            return searched_word(one.word, query)
    opening, closing = (", ", "") if alone else (" (", ")")
    return [*word(one.word), (f"{opening}{how}", "text"), *word(one.query), (closing, "text")]


# The headline of an answer: its first lines in the app and in reports.


NO_ANSWER = "tier-none"
"""The role of an answer without results. Remarks beside it are not shown as a success."""
NEUTRAL = "tier-2"
"""The role of an answer whose engine has no tiers, or tiers without colours in themes."""
_COLOURED = range(5)


def tier_role(tier: int | None) -> str:
    """Returns the role of an answer at ``tier``: ``tier-0`` to ``tier-4``, or :data:`NEUTRAL`."""
    return f"tier-{tier}" if tier in _COLOURED else NEUTRAL


@dataclass(frozen=True, slots=True)
class Headline:
    """The beginning of an answer: a badge, then the sentence with the reason."""

    badge: str
    role: str
    """The role of the badge, such as ``tier-2``, or :data:`NO_ANSWER`."""
    sentence: Sentence
    warning: str = ""
    """A warning beside the headline; empty if there is none."""


def headline_lines(shown: Headline, total_ms: float, busy: str, width: int, limit: int) -> list[Line]:
    """Returns the badge and the sentence in at most ``limit`` lines of ``width`` cells. Leaves out clauses that do not
    fit.

    The last line, or an extra one, ends with a warning or the text ``busy``, and the milliseconds unless they would
    shorten the sentence.
    """
    head, right = _head(shown), _right(shown, total_ms, busy)
    bare = _right(shown, 0.0, busy)
    if _shown_text(shown, right, width, limit) != _shown_text(shown, bare, width, limit):
        right = bare
    rows = sentence_lines(_without_badge(shown), _widths(head, right, width, limit), limit)
    lines = [head.extend(rows[0].spans if rows else ()), *(Line().gap().extend(row.spans) for row in rows[1:])]
    if right.width and not keeps_whole() and lines[-1].width + 1 + right.width > width - 1:
        lines.append(Line())
    return [*lines[:-1], lines[-1].right(width - 1, right)]


def shortened_sentence(shown: Headline, busy: str, width: int, limit: int) -> str:
    """Returns the whole sentence if :func:`headline_lines` leaves out a part of it; otherwise an empty string."""
    shown_text = _shown_text(shown, _right(shown, 0.0, busy), width, limit)
    return "" if shown_text == plain(_without_badge(shown)).split() else plain(shown.sentence)


def _shown_text(shown: Headline, right: Line, width: int, limit: int) -> list[str]:
    """Returns the words of the sentence that fit with ``right`` at the end."""
    rows = sentence_lines(_without_badge(shown), _widths(_head(shown), right, width, limit), limit)
    return " ".join(row.plain for row in rows).split()


def headline_text(shown: Headline) -> str:
    """Returns the badge and the sentence as plain text on one line."""
    return f"{shown.badge}  {plain(_without_badge(shown))}"


def _head(shown: Headline) -> Line:
    return badge(shown.badge, shown.role).gap()


def _right(shown: Headline, total_ms: float, busy: str) -> Line:
    result = Line()
    if busy or shown.warning:
        result.add(f"{busy or shown.warning} ", "warn")
    return result.add(ms(total_ms) if total_ms else "", "muted")


def _widths(head: Line, right: Line, width: int, limit: int) -> tuple[int, int]:
    """Returns the cells for the sentence on its first line and on other lines. ``right`` fits on the last line."""
    aside = right.width + 1 if right.width else 0
    first = width - 1 - head.width - (aside if limit == 1 else 0)
    return max(1, first), max(1, width - 2 - aside)


def _without_badge(shown: Headline) -> Sentence:
    """Returns the sentence without its first clause if this clause only repeats the badge."""
    head, *rest = shown.sentence or (clause(),)
    first = "".join(text for text, _ in head.spans).rstrip(": ")
    return tuple(rest) if rest and first.upper() == shown.badge else shown.sentence
