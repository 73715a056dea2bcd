"""The headline of an answer: its first line in the app and in reports."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.paint.line import Line, badge
from brvtui.paint.sentence import Sentence, clause, plain, sentence_lines
from brvtui.paint.text import keeps_whole, ms

NO_ANSWER = "tier-none"
"""The role of what found nothing; what is said beside it is no success."""
NEUTRAL = "tier-2"
"""The role of an answer whose engine has no tiers, or other tiers than themes have colours for."""
_COLOURED = range(5)


def tier_role(tier: int | None) -> str:
    """The role of an answer at ``tier``: ``tier-0`` to ``tier-4``, or :data:`NEUTRAL`."""
    return f"tier-{tier}" if tier in _COLOURED else NEUTRAL


@dataclass(frozen=True, slots=True)
class Headline:
    """What stands first of an answer: a badge, and the sentence that says why."""

    badge: str
    role: str
    """The role of the badge: ``tier-2`` and the like, :data:`NO_ANSWER`."""
    sentence: Sentence
    warning: str = ""
    """A warning beside the headline; empty for none."""


def headline_lines(shown: Headline, total_ms: float, busy: str, width: int, most: int) -> list[Line]:
    """Returns badge and sentence in at most ``most`` lines of ``width`` cells, without clauses that find no room there.

    At the right of the last line, where they part no sentence, stand a warning, or what is ``busy``, and milliseconds.
    """
    head, right = _head(shown), _right(shown, total_ms, busy)
    rows = sentence_lines(_without_badge(shown), _widths(head, right, width, most), most)
    made = [head.extend(rows[0].spans if rows else ()), *(Line().gap().extend(row.spans) for row in rows[1:])]
    if right.width and not keeps_whole() and made[-1].width + 1 + right.width > width - 1:
        made.append(Line())
    return [*made[:-1], made[-1].right(width - 1, right)]


def shortened_sentence(shown: Headline, total_ms: float, busy: str, width: int, most: int) -> str:
    """Returns the whole sentence where :func:`headline_lines` leaves out a part of it; else nothing."""
    widths = _widths(_head(shown), _right(shown, total_ms, busy), width, most)
    said = " ".join(row.plain for row in sentence_lines(_without_badge(shown), widths, most))
    return "" if said.split() == plain(_without_badge(shown)).split() else plain(shown.sentence)


def headline_text(shown: Headline) -> str:
    """Returns badge and sentence as one line of plain text."""
    return f"{shown.badge}  {plain(_without_badge(shown))}"


def _head(shown: Headline) -> Line:
    return badge(shown.badge, shown.role).gap()


def _right(shown: Headline, total_ms: float, busy: str) -> Line:
    made = Line()
    if busy or shown.warning:
        made.add(f"{busy or shown.warning} ", "warn")
    return made.add(ms(total_ms) if total_ms else "", "muted")


def _widths(head: Line, right: Line, width: int, most: int) -> tuple[int, int]:
    """The cells of the sentence's first line, and of the others; the last that there may be has room for ``right``."""
    aside = right.width + 1 if right.width else 0
    first = width - 1 - head.width - (aside if most == 1 else 0)
    return max(1, first), max(1, width - 2 - aside)


def _without_badge(shown: Headline) -> Sentence:
    """The sentence without its first clause where the badge says the same."""
    head, *rest = shown.sentence or (clause(),)
    said = "".join(text for text, _ in head.spans).rstrip(": ")
    return tuple(rest) if rest and said.upper() == shown.badge else shown.sentence
