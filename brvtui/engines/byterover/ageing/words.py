"""The words for what ageing brings: the app, the command and the docs say the same."""

from __future__ import annotations

from brvtui.engines.byterover.ageing.board import Event

HAPPENS = {
    Event.LEAVES_TIER_2: "leaves tier 2",
    Event.LEAVES_PROMPT: "leaves the prompt",
    Event.ARCHIVE: "becomes an archive candidate",
    Event.PRUNING: "is offered for pruning",
    Event.BELOW_MATURITY: "falls below its maturity",
    Event.LEAVES_HIGH: "is no more of high confidence",
    Event.LEAVES_MEDIUM: "is no more of medium confidence",
}
"""What an event does to one note."""
HAPPEN = {
    Event.LEAVES_TIER_2: "leave tier 2",
    Event.LEAVES_PROMPT: "leave the prompt",
    Event.ARCHIVE: "become archive candidates",
    Event.PRUNING: "are offered for pruning",
    Event.BELOW_MATURITY: "fall below their maturity",
    Event.LEAVES_HIGH: "are no more of high confidence",
    Event.LEAVES_MEDIUM: "are no more of medium confidence",
}
"""What an event does to several notes."""
STATE = {
    Event.LEAVES_TIER_2: "out of tier 2",
    Event.LEAVES_PROMPT: "out of the prompt",
    Event.ARCHIVE: "archive candidates",
    Event.PRUNING: "offered for pruning",
    Event.BELOW_MATURITY: "below their maturity",
    Event.LEAVES_HIGH: "below high confidence",
    Event.LEAVES_MEDIUM: "below medium confidence",
}
"""What notes are, once the event has come to them, behind their number."""
HAS_COME = {
    Event.LEAVES_TIER_2: "out of tier 2",
    Event.LEAVES_PROMPT: "out of the prompt",
    Event.ARCHIVE: "an archive candidate",
    Event.PRUNING: "offered for pruning",
    Event.BELOW_MATURITY: "below its maturity",
    Event.LEAVES_HIGH: "below high confidence",
    Event.LEAVES_MEDIUM: "below medium confidence",
}
"""What one note is, once the event has come to it."""
MEANING = {
    Event.LEAVES_TIER_2: "no wording but its path makes it the direct answer any more",
    Event.LEAVES_PROMPT: "its text alone no longer gets it quoted to a model",
    Event.ARCHIVE: "the next dream run looks at it: importance decayed since updatedAt",
    Event.PRUNING: "the next dream run looks at it: its file is old",
    Event.BELOW_MATURITY: "below the importance of its maturity; decay demotes nothing",
    Event.LEAVES_HIGH: "even as the best match of a query it scores below high confidence",
    Event.LEAVES_MEDIUM: "even as the best match of a query it scores below medium confidence",
}
"""What the state means for a note."""
_AT_BEST = "even as the best match"
IN_SHORT = {
    Event.LEAVES_TIER_2: "direct answer by its path alone",
    Event.LEAVES_PROMPT: "its text alone is not quoted",
    Event.ARCHIVE: "importance by updatedAt",
    Event.PRUNING: "for its file's age",
    Event.BELOW_MATURITY: "decay demotes nothing",
    Event.LEAVES_HIGH: _AT_BEST,
    Event.LEAVES_MEDIUM: _AT_BEST,
}
"""The same, behind what happens to one note."""


def key_of(event: Event) -> str:
    """The name of ``event`` on the command line and in JSON: ``leaves-tier-2``."""
    return event.name.lower().replace("_", "-")


def these_days(days: int) -> str:
    """The span of a forecast: ``these 30 days``, ``this day``."""
    return "this day" if days == 1 else f"these {days} days"


def count_sentence(event: Event, by_then: int, in_span: int, days: int) -> str:
    """How many notes ``event`` has come to: ``51 out of tier 2, 14 of them in these 30 days``.

    ``by_then`` of them by the end of ``days`` days from now, ``in_span`` of these after today.
    """
    said = f"{by_then} {STATE[event]}"
    if not days:
        return f"{said} today"
    return f"{said}, {in_span or 'none'} of them in {these_days(days)}"
