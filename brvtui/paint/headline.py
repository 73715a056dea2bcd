"""The headline of an answer: its first line in the app and in reports."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.paint.line import Line, badge
from brvtui.paint.sentence import Sentence, clause, plain, sentence_lines
from brvtui.paint.text import ms

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

    At the right of the first line stands a warning, or what is ``busy``, and milliseconds.
    """
    head = badge(shown.badge, shown.role).gap()
    right = Line()
    if busy or shown.warning:
        right.add(f"{busy or shown.warning} ", "warn")
    right.add(ms(total_ms) if total_ms else "", "muted")
    first_width = max(1, width - 1 - head.width - right.width - 1)
    rows = sentence_lines(_without_badge(shown), (first_width, max(1, width - 2)), most)
    rest = [Line().gap().extend(row.spans) for row in rows[1:]]
    return [head.extend(rows[0].spans if rows else ()).right(width - 1, right), *rest]


def headline_text(shown: Headline) -> str:
    """Returns badge and sentence as one line of plain text."""
    return f"{shown.badge}  {plain(_without_badge(shown))}"


def _without_badge(shown: Headline) -> Sentence:
    """The sentence without its first clause where the badge says the same."""
    head, *rest = shown.sentence or (clause(),)
    said = "".join(text for text, _ in head.spans).rstrip(": ")
    return tuple(rest) if rest and said.upper() == shown.badge else shown.sentence
