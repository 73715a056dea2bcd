"""A note as a card of the maturity board: its title, then its importance and next event."""

from __future__ import annotations

from brvtui.app.maturity.board_on_day import BoardOnDay, Mark
from brvtui.app.states import STALE_LABELS
from brvtui.engines.ageing.forecast import UpcomingEvent
from brvtui.paint.bars import importance_bar
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, Span, line
from brvtui.ranking.maturity import LEVELS, demoted_below, promoted_from

# The words for events of ageing, after a symbol: short for a card, and in full.


NO_BREAK = "\u00a0"
_HALF_DAY = 0.5


def label_of(mark: Mark | None, glyphs: Glyphs) -> Span:
    """Returns the label of a card and its role.

    Examples: ``▾ left prompt +1 more`` (by the selected day), ``archivable`` (already), ``leaves tier 2 in 12 d``
    (later or, if all cards show one event, by the selected day).
    """
    if mark is None:
        return "", "muted"
    if mark.by_then and not mark.filtered:
        more = f" +{mark.more} more" if mark.more else ""
        return f"{glyphs.down} {mark.event.short}{more}", "bold warn"
    if not mark.days:
        return mark.event.short, "warn"
    return f"{mark.event.until} {left_of(mark.days)}", "bold warn" if mark.by_then else "muted"


def left_of(days: float) -> str:
    """Returns the days until an event, rounded."""
    return f"{days:.0f} d" if days >= _HALF_DAY else "<1 d"


def sentence_of(coming: UpcomingEvent, glyphs: Glyphs) -> Span:
    """Returns a full sentence about one event of a note, with the event's meaning, and the sentence's role."""
    meaning = coming.event.in_short.replace(" ", NO_BREAK)
    if not coming.days:
        return f"{glyphs.bullet} {coming.event.has_come} ({meaning})", "muted"
    sign, role = (glyphs.down, "bold warn") if coming.by_then else (glyphs.bullet, "text")
    when = left_of(coming.days).replace(" ", NO_BREAK)
    return f"{sign} {coming.event.happens} in {when} ({meaning})", role


_LABEL = 22
_LEAST_BAR = 4
_AROUND_BAR = 8
"""The width in cells of the importance and the gaps around the bar."""
HEIGHT = 2
"""The number of lines of a card."""


def header(width: int) -> Line:
    """Returns the heading above the numbers of the cards."""
    cells = _bar_cells(width)
    name = "  importance" if cells > _LEAST_BAR else "  imp."
    return line(f"{name.ljust(cells + _AROUND_BAR)}next event", "faint").cut(width)


def _bar_cells(width: int) -> int:
    """Returns the cells of the bar on a card; 0 if there is no room for one."""
    cells = width - _LABEL - _AROUND_BAR
    return cells if cells >= _LEAST_BAR else 0


def card(on_day: BoardOnDay, position: int, width: int, glyphs: Glyphs, stale: str = "") -> list[Line]:
    """Returns the card of the note at ``position``. If its file is ``stale``, a warning replaces the event."""
    mark = on_day.mark(position)
    label, role = label_of(mark, glyphs)
    if stale:
        label, role = STALE_LABELS[stale], "warn"
    second = Line().gap(2).extend(_bar(on_day, position, _bar_cells(width), glyphs).spans)
    return [_named(on_day, position, width, glyphs), second.gap(2).add(label, role).cut(width)]


def share(value: float) -> str:
    """Returns a value from 0 to 1 in three characters, for example ``.87`` or ``1.0``."""
    return "1.0" if value >= 0.995 else f"{value:.2f}".removeprefix("0")


def _named(on_day: BoardOnDay, position: int, width: int, glyphs: Glyphs) -> Line:
    note = on_day.board.snapshot.notes[position]
    sign, role = glyph_of(note.kind, LEVELS[on_day.board.snapshot.columns.maturity[position]], glyphs)
    return line(f"{sign} ", role).fit(note.title or note.path, width - 2, "text")


def _bar(on_day: BoardOnDay, position: int, width: int, glyphs: Glyphs) -> Line:
    """Returns the bar for the note's importance on the forecast date, with the thresholds of its maturity."""
    board = on_day.board
    level = int(board.snapshot.columns.maturity[position])
    rules = board.rules.signals
    ticks: dict[float, str] = {}
    if level > 0:
        ticks[demoted_below(rules)[level]] = "warn"
    if level + 1 < len(LEVELS):
        ticks[promoted_from(rules)[level]] = "ok"
    value = float(on_day.forecast.then.importance[position])
    stored = float(board.snapshot.columns.importance[position])
    drawn = importance_bar(value, stored, ticks, width, glyphs) if width else ()
    return Line().extend(drawn).add(f" {value:3.0f}", "strong")
