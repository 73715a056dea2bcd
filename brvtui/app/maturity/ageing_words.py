"""Words for the events of ageing, always beside a sign: short for a card, and in full."""

from __future__ import annotations

from brvtui.app.maturity.board_on_day import Mark
from brvtui.engines.byterover.ageing.board import Event
from brvtui.engines.byterover.ageing.forecast import UpcomingEvent
from brvtui.engines.byterover.ageing.words import HAPPENS, HAS_COME, IN_SHORT
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Span
from brvtui.paint.text import days

NO_BREAK = "\u00a0"
SHORT = {
    Event.LEAVES_TIER_2: "off tier 2",
    Event.LEAVES_PROMPT: "off prompt",
    Event.ARCHIVE: "archive",
    Event.PRUNING: "prune",
    Event.BELOW_MATURITY: "imp. low",
    Event.LEAVES_HIGH: "off high",
    Event.LEAVES_MEDIUM: "off medium",
}


def label_of(mark: Mark | None, glyphs: Glyphs) -> Span:
    """Returns ``▾ off prompt +1`` by the day of the forecast, ``⚠ archive`` now, ``12d off tier 2`` ahead, with the
    sign of *now* where the note can be archived or pruned already.

    Where all cards have marks of one event, ``▾ 12d archive`` by the day of the forecast.
    """
    if mark is None:
        return "", "muted"
    short = SHORT[mark.event]
    if mark.by_then and mark.filtered:
        return f"{glyphs.down} {mark.days:.0f}d {short}", "bold warn"
    if mark.by_then:
        more = f" +{mark.more}" if mark.more else ""
        return f"{glyphs.down} {short}{more}", "bold warn"
    if not mark.days:
        return f"{glyphs.warn} {short}", "warn"
    if mark.after_another:
        return f"{glyphs.warn} {mark.days:.0f}d {short}", "warn"
    return f"{mark.days:.0f}d {short}", "muted"


def sentence_of(coming: UpcomingEvent, glyphs: Glyphs) -> Span:
    """Returns one event of one note in full, and what it means."""
    meaning = IN_SHORT[coming.event].replace(" ", NO_BREAK)
    if not coming.days:
        return f"{glyphs.cross} {HAS_COME[coming.event]} ({meaning})", "muted"
    sign, role = (glyphs.down, "bold warn") if coming.by_then else (glyphs.bullet, "text")
    when = days(coming.days).replace(" ", NO_BREAK)
    return f"{sign} {HAPPENS[coming.event]} in {when} ({meaning})", role
