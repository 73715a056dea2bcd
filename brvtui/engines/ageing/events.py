"""The ageing events, with their wording in the app, in commands and in the docs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """An event caused only by ageing. Its effect lasts until the note or its signals change."""

    key: str
    """The name of the event on the command line and in JSON, such as ``leaves-tier-2``."""
    weight: int
    """The priority: if two events apply, the one with the higher weight is named first."""
    short: str
    """The label on a card after the event, such as ``left tier 2``."""
    until: str
    """The label on a card before the event, such as ``leaves tier 2 in``. The number of days follows it."""
    happens: str
    """The verb phrase for one note, such as ``leaves tier 2``."""
    happen: str
    """The verb phrase for several notes, such as ``leave tier 2``."""
    has_come: str
    """The phrase for one note after the event, such as ``has left tier 2``."""
    state: str
    """The phrase for several notes after the event, such as ``have left tier 2``. Their number precedes it."""
    meaning: str
    """The consequences of the event for a note."""
    in_short: str
    """A short form of ``meaning``, written after ``happens``."""


_AT_BEST = "even as the best match"
LEAVES_TIER_2 = Event(
    key="leaves-tier-2",
    weight=4,
    short="left tier 2",
    until="leaves tier 2 in",
    happens="leaves tier 2",
    happen="leave tier 2",
    has_come="has left tier 2",
    state="have left tier 2",
    meaning="too old to answer directly, unless the query gives the path",
    in_short="direct answer only by its path",
)
LEAVES_PROMPT = Event(
    key="leaves-prompt",
    weight=5,
    short="left prompt",
    until="leaves prompt in",
    happens="leaves the prompt",
    happen="leave the prompt",
    has_come="has left the prompt",
    state="have left the prompt",
    meaning="even a perfect text match would not get it quoted to a model",
    in_short="no longer quoted",
)
ARCHIVE = Event(
    key="archive",
    weight=7,
    short="archivable",
    until="archivable in",
    happens="becomes archivable",
    happen="become archivable",
    has_come="is archivable",
    state="archivable",
    meaning="ByteRover may archive it: its importance decayed since updatedAt",
    in_short="decayed since updatedAt",
)
PRUNING = Event(
    key="prune",
    weight=6,
    short="prunable",
    until="prunable in",
    happens="becomes prunable",
    happen="become prunable",
    has_come="is prunable",
    state="prunable",
    meaning="ByteRover may prune it, because its file is old",
    in_short="old file",
)
BELOW_MATURITY = Event(
    key="fades",
    weight=1,
    short="fading",
    until="fades in",
    happens="fades",
    happen="fade",
    has_come="is fading",
    state="fading",
    meaning="its importance is too low for its maturity, which does not change",
    in_short="importance below its maturity",
)
LEAVES_HIGH = Event(
    key="leaves-high",
    weight=2,
    short="left high",
    until="leaves high in",
    happens="leaves high confidence",
    happen="leave high confidence",
    has_come="is below high confidence",
    state="below high confidence",
    meaning="even as the best match for a query, it scores below high confidence",
    in_short=_AT_BEST,
)
LEAVES_MEDIUM = Event(
    key="leaves-medium",
    weight=3,
    short="left medium",
    until="leaves medium in",
    happens="leaves medium confidence",
    happen="leave medium confidence",
    has_come="is below medium confidence",
    state="below medium confidence",
    meaning="even as the best match for a query, it scores below medium confidence",
    in_short=_AT_BEST,
)
OF_NOTES = (LEAVES_TIER_2, LEAVES_PROMPT, ARCHIVE, PRUNING, BELOW_MATURITY)
"""The ageing events for notes in a context tree."""
OF_TOPICS = (LEAVES_HIGH, LEAVES_MEDIUM, BELOW_MATURITY)
"""The ageing events for topics in a ByteRover V4 space."""


def next_days(days: int) -> str:
    """The span of a forecast in words: ``the next 30 days`` or ``the next day``."""
    return "the next day" if days == 1 else f"the next {days} days"


def count_sentence(event: Event, by_then: int, in_span: int, days: int) -> str:
    """A phrase for the number of notes after ``event``: ``51 have left tier 2, 14 of them in the next 30 days``.

    ``by_then`` is the number of notes for which the event has occurred in ``days`` days. For ``in_span`` of them, it
    occurs after today.
    """
    text = f"{by_then} {event.state}"
    if not days:
        return f"{text} by today"
    return f"{text}, {in_span or 'none'} of them in {next_days(days)}"
