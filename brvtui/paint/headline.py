"""The headline of an answer: its first line in the app and in reports."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.paint.line import Line, badge
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
    """The first line of an answer: a badge, what it means, and why."""

    badge: str
    role: str
    """The role of the badge: ``tier-2`` and the like, :data:`NO_ANSWER`."""
    label: str
    why: str
    warning: str = ""
    """A warning beside the headline; empty for none."""


def headline_line(shown: Headline, total_ms: float, busy: str, width: int) -> Line:
    """Returns the badge, its meaning and the reason; at the right a warning, or what is ``busy``, and milliseconds."""
    made = badge(shown.badge, shown.role)
    if shown.label:
        made.add(" ").add(shown.label, "muted" if shown.role == NO_ANSWER else f"bold {shown.role}")
    made.add("  ").add(shown.why, "strong")
    right = Line()
    if busy or shown.warning:
        right.add(f"{busy or shown.warning} ", "warn")
    right.add(ms(total_ms) if total_ms else "", "muted")
    return made.right(width - 1, right)
