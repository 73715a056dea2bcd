"""Words for the events of ageing, always beside a sign: short for a card, and in full."""

from __future__ import annotations

from brvtui.app.maturity.board_on_day import Mark
from brvtui.engines.byterover.ageing.board import Event
from brvtui.engines.byterover.ageing.forecast import UpcomingEvent
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Span
from brvtui.paint.text import days

NO_BREAK = "\u00a0"
SHORT = {
    Event.LEAVES_TIER_2: "tier 2",
    Event.LEAVES_PROMPT: "prompt",
    Event.ARCHIVE: "archive",
    Event.PRUNING: "prune",
    Event.BELOW_MATURITY: "faded",
}
_COME = {
    Event.LEAVES_TIER_2: "cannot be the direct answer (tier 2)",
    Event.LEAVES_PROMPT: "cannot reach the prompt (tier 3)",
    Event.ARCHIVE: "is an archive candidate",
    Event.PRUNING: "is offered for pruning",
    Event.BELOW_MATURITY: "importance is below its maturity; nothing is demoted for it",
}
_AHEAD = {
    Event.LEAVES_TIER_2: "leaves tier 2",
    Event.LEAVES_PROMPT: "leaves the prompt",
    Event.ARCHIVE: "becomes an archive candidate",
    Event.PRUNING: "is offered for pruning",
    Event.BELOW_MATURITY: "importance falls below its maturity; nothing is demoted for it",
}


def label_of(mark: Mark | None, glyphs: Glyphs) -> Span:
    """Returns ``▾ prompt +1`` by the day of the forecast, ``⚠ archive`` now, ``12 d tier 2`` ahead."""
    if mark is None:
        return "", "muted"
    short = SHORT[mark.event]
    if mark.by_then:
        more = f" +{mark.more}" if mark.more else ""
        return f"{glyphs.down} {short}{more}", "bold warn"
    if not mark.days:
        return f"{glyphs.warn} {short}", "warn"
    return f"{mark.days:.0f}d {short}", "muted"


def sentence_of(coming: UpcomingEvent, glyphs: Glyphs) -> Span:
    """Returns one event of one note in full."""
    if not coming.days:
        return f"{glyphs.cross} {_COME[coming.event]}", "muted"
    text = f"{_AHEAD[coming.event].partition(';')[0]} in {days(coming.days).replace(' ', NO_BREAK)}"
    rest = _AHEAD[coming.event].partition(";")[2]
    return f"{glyphs.down if coming.by_then else glyphs.bullet} {text}{f';{rest}' if rest else ''}", (
        "bold warn" if coming.by_then else "text"
    )
