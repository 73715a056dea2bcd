"""The Ageing pane: the selected note's curve, coming events, and the effect of hits or updates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import AGEING
from brvtui.app.keys.bindings import bindings
from brvtui.app.maturity.board_on_day import Ageing, EngineForecast
from brvtui.app.maturity.cards import left_of, sentence_of, share
from brvtui.app.states import GONE, GONE_TEXT, NEWER, Phase, ProjectState, SelectionState, StaleState
from brvtui.app.view import View
from brvtui.app.widgets.lines import stale_lines, wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.engines.ageing.board import BoardRow
from brvtui.engines.ageing.events import ARCHIVE, PRUNING
from brvtui.engines.ageing.forecast import LAST_DAY, After
from brvtui.paint.bars import importance_bar
from brvtui.paint.blocks import lines_of
from brvtui.paint.forecast import forecast_blocks
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.paint.score import source_name
from brvtui.paint.text import cut_left, days, number, plural, wrap
from brvtui.text.visible import visible

# Curves over a row of days, drawn with eight dots per cell, or with a letter per cell if only ASCII is available.


_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
_ACROSS, _DOWN = 2, 4


@dataclass(frozen=True, eq=False)
class Series:
    """A curve: its values from 0 to 1 over the days, its role, and its name, which is at its end."""

    name: str
    role: str
    values: NDArray[np.float64]


def plot(
    series: Sequence[Series],
    width: int,
    height: int,
    glyphs: Glyphs,
    upright: float | None = None,
    levels: Sequence[float] = (),
) -> list[Line]:
    """Returns ``series`` drawn in ``width`` × ``height`` cells, with 1 at the top and 0 at the bottom.

    The names of the curves are at their right ends. A vertical line marks ``upright`` (0..1 of the curves' width);
    horizontal lines mark ``levels`` (0..1). In a cell with several curves, the first one determines the colour. NaN
    values are left out.
    """
    across = across_of(series, width)
    grid = _Grid(across, height)
    for index, one in enumerate(series):
        grid.draw(index, one.values, _ACROSS if glyphs.unicode else 1, _DOWN if glyphs.unicode else 1)
    column = None if upright is None else min(across - 1, round(upright * (across - 1)))
    rows = {row_of(level, height) for level in levels}
    ends = _line_ends(series, height)
    lines = []
    for row in range(height):
        row_line = Line()
        for cell in range(across):
            drawn = grid.cells.get((row, cell))
            if drawn:
                first = min(drawn)
                dots = chr(_BRAILLE | reduce(or_, drawn.values()))
                letter = series[first].name[0] if len(drawn) == 1 else "*"
                text = dots if glyphs.unicode else letter
                row_line.spans.append((text, series[first].role))
            elif cell == column:
                row_line.spans.append((glyphs.tick, "accent"))
            else:
                row_line.spans.append((glyphs.dash if row in rows else " ", "faint"))
        row_line.spans.append(ends.get(row, ("", "text")))
        lines.append(row_line.cut(width))
    return lines


def across_of(series: Sequence[Series], width: int) -> int:
    """Returns the number of cells for curves in ``width`` cells: all but those for the names."""
    return max(width - max(len(one.name) for one in series) - 1, 1)


def row_of(value: float, height: int) -> int:
    """Returns the row, from the top, for ``value`` (0..1)."""
    return round((1 - max(0.0, min(1.0, value))) * (height - 1))


class _Grid:
    """The dots of each series in each cell."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.cells: dict[tuple[int, int], dict[int, int]] = {}

    def draw(self, number: int, values: NDArray[np.float64], across: int, down: int) -> None:
        """Draws the values and fills the gaps between neighbours."""
        points = self.width * across
        sampled = values[np.round(np.linspace(0, len(values) - 1, points)).astype(np.int64)]
        last = self.height * down - 1
        before: int | None = None
        for x, value in enumerate(sampled.tolist()):
            if value != value:  # NaN
                before = None
                continue
            y = round((1 - max(0.0, min(1.0, value))) * last)
            start = y if before is None else before + (y > before) - (y < before)
            for dot in range(min(start, y), max(start, y) + 1) if before is not None and before != y else (y,):
                cell = self.cells.setdefault((dot // down, x // across), {})
                cell[number] = cell.get(number, 0) | _DOTS[x % across][dot % down]
            before = y


def _line_ends(series: Sequence[Series], height: int) -> dict[int, tuple[str, str]]:
    """Returns a name and its role for each row where a curve ends. If the row is taken, the name moves up."""
    ended = [(float(one.values[-1]), one) for one in series]
    ends: dict[int, tuple[str, str]] = {}
    lowest = height - 1
    for last, one in sorted((pair for pair in ended if pair[0] == pair[0]), key=lambda pair: pair[0]):
        row = min(lowest, row_of(last, height))
        if row >= 0:
            ends[row] = (f" {one.name}", f"bold {one.role}")
        lowest = row - 1
    return ends


_STALE = {NEWER: "the file has changed: this is the ageing of the earlier text", GONE: GONE_TEXT}
_PLOT_ROWS = 7
_WHAT_IF_ROWS = 3
_AXIS = 4
_ARCHIVING = "saving it with a new time delays these, except archiving, which depends only on updatedAt"


class AgeingPane(Pane):
    """The ageing of one note: a bar with thresholds, curves, events, distances to other maturities, and a what-if."""

    TITLE = "Ageing"
    READS = (ProjectState, SelectionState, StaleState)
    HELP_TEXT = (
        "This pane shows how the selected note ages if nobody touches it. The curves are its importance (out of 100), "
        "its recency, and its best possible score (for a perfect text match). The horizontal lines are the scores "
        "needed for a direct answer and for the prompt (in a space of ByteRover V4: for high and medium confidence); "
        "the vertical line is the forecast date. Below are the coming events, the note's distance from "
        "promotion and demotion, and the effect of more hits or updates; press {ageing.more} for one more or "
        "{ageing.less} for one fewer. If another engine answers, the effect of time on that engine's scores is at the "
        "top."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(AGEING)

    @dataclass
    class TimesWanted(Message):
        """Posted to change the number of hits in the what-if section."""

        step: int

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.ageing: Ageing | None = None
        self.forecast: EngineForecast | None = None
        self._what_if = 0
        """The number of the first line of the what-if section."""

    def put(self, ageing: Ageing | None) -> None:
        """Shows ``ageing`` of a note, or an empty pane if it is None; scrolls to the top for another note."""
        if ageing is None or self.ageing is None or ageing.row.path != self.ageing.row.path:
            self.offset_row = 0
        self.ageing = ageing
        self.rebuild()

    def put_forecast(self, forecast: EngineForecast | None) -> None:
        """Shows the ageing of the note in the current engine, if the current engine is not ByteRover."""
        self.forecast = forecast
        self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the note's ageing and its forecast in another engine, since the lines are built from them."""
        return (self.ageing, self.forecast, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the title with the note's path."""
        return f"Ageing · {self.ageing.row.path}" if self.ageing else "Ageing"

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the lines of the note, or a message if there is none."""
        ageing = self.ageing
        if ageing is None:
            if view.project.saved:
                return wrapped("this is a saved trace: open its project to see how the note ages", width)
            if view.project.phase is not Phase.READY:
                return wrapped(view.project.problem or "reading the tree…", width)
            return wrapped("no note is selected", width)
        lines = [*stale_lines(_STALE, view, width, self.glyphs), *_name(ageing.row, width, self.glyphs)]
        forecast = self.forecast
        if forecast is not None and forecast.path == ageing.row.path:
            lines.append(rule(width, f"in {forecast.engine}", dash=self.glyphs.dash))
            lines += lines_of(forecast_blocks(forecast.forecast, self.glyphs, forecast.day), width, self.glyphs)
            lines.append(rule(width, "in ByteRover", dash=self.glyphs.dash))
        lines += _bar(ageing, width, self.glyphs)
        lines += _curves(ageing, width, self.glyphs)
        lines.append(rule(width, "ageing events", dash=self.glyphs.dash))
        lines += _events(ageing, width, self.glyphs)
        lines += [row for text in _ends(ageing) for row in wrapped(self.services.with_keys(text), width)]
        lines.append(rule(width, "maturity", dash=self.glyphs.dash))
        lines += _distances(ageing.row, width, self.glyphs)
        self._what_if = len(lines)
        lines.append(
            rule(width, self.services.with_keys("what if ({ageing.more} and {ageing.less})"), dash=self.glyphs.dash)
        )
        hits, updates = plural(ageing.hits.times, "hit"), plural(ageing.updates.times, "update")
        lines += [*_after(ageing.hits, hits, width, self.glyphs), *_after(ageing.updates, updates, width, self.glyphs)]
        lines += [row for each in ageing.saved for row in _after(each, "saved today", width, self.glyphs)]
        lines.append(rule(width, "signals", dash=self.glyphs.dash))
        return [*lines, *_signals(ageing, width)]

    def action_times(self, step: int) -> None:
        """Requests the what-if with ``step`` more hits, and scrolls to it."""
        self.post_message(self.TimesWanted(step))
        if not self.offset_row <= self._what_if <= self.offset_row + self.rows - _WHAT_IF_ROWS:
            self.scroll_to_row(self._what_if)


def _name(row: BoardRow, width: int, glyphs: Glyphs) -> list[Line]:
    sign, role = glyph_of(row.note.kind, row.maturity, glyphs)
    first = line(f" {sign} {row.maturity} ", role).add(row.title, "bold strong")
    return [first.cut(width), line(f" {cut_left(visible(row.path), width - 2)}", "muted")]


def _bar(ageing: Ageing, width: int, glyphs: Glyphs) -> list[Line]:
    row = ageing.row
    cells = max(width - 8, 8)
    ticks: dict[float, str] = {}
    labels: dict[float, str] = {}
    if row.demoted_below is not None:
        ticks[row.demoted_below], labels[row.demoted_below] = "warn", f"{glyphs.down}{row.demoted_below:g}"
    if row.promoted_from is not None:
        ticks[row.promoted_from], labels[row.promoted_from] = "ok", f"{glyphs.up}{row.promoted_from:g}"
    bar = line(" ").extend(importance_bar(ageing.then_importance, row.importance_stored, ticks, cells, glyphs))
    bar.add(f" {ageing.then_importance:5.1f}", "strong")
    under = Line().gap()
    for threshold, label in sorted(labels.items()):
        under.to(1 + min(cells - 1, int(threshold / 100 * cells))).add(label, ticks[threshold])
    return [bar, under.cut(width)]


def _curves(ageing: Ageing, width: int, glyphs: Glyphs) -> list[Line]:
    curve = ageing.curve
    series = [
        Series("best score", "strong", curve.ceiling),
        Series("importance", "importance", curve.importance / 100),
        Series("recency", "recency", curve.recency),
    ]
    cells = max(width - _AXIS, 8)
    day = ageing.wanted.day
    drawn = plot(series, cells, _PLOT_ROWS, glyphs, day / LAST_DAY if day else None, ageing.thresholds)
    labels = {row_of(value, _PLOT_ROWS): share(value) for value in (*ageing.thresholds, 0.0, 1.0)}
    lines = [line(f"{labels.get(row, ''):>3} ", "faint").extend(one.spans) for row, one in enumerate(drawn)]
    axis, across = Line().gap(_AXIS).add("today", "faint"), across_of(series, cells)
    if day:
        axis.to(max(axis.width + 1, _AXIS + round(day / LAST_DAY * (across - 1)))).add(f"{day} d", "accent")
    end, right = f"{LAST_DAY} d", _AXIS + across
    return [*lines, axis.right(right, line(end, "faint")) if axis.width + len(end) < right else axis.cut(width)]


def _events(ageing: Ageing, width: int, glyphs: Glyphs) -> list[Line]:
    lines: list[Line] = []
    for coming in ageing.coming:
        text, role = sentence_of(coming, glyphs)
        first, *rest = wrap(text, width - 2)
        lines += [line(f" {first}", role), *(line(f"   {part}", role) for part in rest)]
    if ageing.archive_below is None:
        return lines
    if ageing.coming:
        lines += wrapped(_ARCHIVING, width)
    if ageing.row.updated_days is None:
        lines += wrapped("no updatedAt: decay never makes it archivable", width)
    elif math.isnan(ageing.row.updated_days):
        lines += wrapped("updatedAt is not a date: never archivable", width, "warn")
    return lines


def _ends(ageing: Ageing) -> list[str]:
    """Returns advice on how to prevent archiving, pruning or demotion of the note; actions in braces become keys."""
    row, threshold, ends = ageing.row, ageing.archive_below, []
    if threshold is not None and ARCHIVE in row.has_come:
        since = "" if row.updated_days is None else f", decayed since its updatedAt {days(row.updated_days)} ago,"
        later = "a later updatedAt in its frontmatter ({note.edit}) or " if row.importance_stored >= threshold else ""
        ends.append(
            f"its importance{since} is {math.floor(10 * row.archive_importance) / 10:.1f}, below {threshold:g}: "
            f"{later}maturity validated ({{note.signals}}, only in brv-tui) prevents this"
        )
    if PRUNING in row.has_come:
        ends.append(f"unchanged for {days(row.days)}: saving it with a new time ({{note.edit}}) prevents this")
    if row.demoted_below is not None and row.importance_stored < row.demoted_below:
        how = (
            "{note.signals} sets it and the maturity, only in brv-tui"
            if threshold is not None
            else "hits and updates raise it"
        )
        ends.append(f"its stored importance is {row.importance_stored:.4g}, below {row.demoted_below:g}: {how}")
    return ends


def _distances(row: BoardRow, width: int, glyphs: Glyphs) -> list[Line]:
    texts: list[tuple[str, str]] = []
    if row.promoted_from is None:
        texts.append((f"{glyphs.check} core: there is no higher maturity", "muted"))
    elif row.hits_to_promotion is None:
        texts.append((f"{glyphs.cross} promoted at {row.promoted_from:g}, which no number of hits can reach", "muted"))
    else:
        lack = f"{row.to_promotion:.4g} more, {plural(row.hits_to_promotion, 'hit')}"
        texts.append((f"{glyphs.up} promoted at {row.promoted_from:g}: {lack}", "text"))
    if row.demoted_below is None:
        texts.append((f"{glyphs.check} draft: there is no lower maturity", "muted"))
    elif row.after_one_hit != row.maturity and (row.to_demotion or 0) < 0:
        stored = f"its stored importance is {row.importance_stored:.4g}"
        text = f"{glyphs.down} the next hit makes it {row.after_one_hit}: {stored}"
        texts.append((text, "warn"))
    else:
        apart = row.to_demotion or 0.0
        above = f"its stored importance is {abs(apart):.4g} {'above' if apart >= 0 else 'below'}"
        texts.append((f"{glyphs.down} demoted if importance drops below {row.demoted_below:g}: {above}", "text"))
    return [row for text, role in texts for row in wrapped(text, width, role)]


def _after(after: After, what: str, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the note's signals and best possible score after ``what``, and the days until it leaves tier 2, or
    high confidence.
    """
    role = after.signals.maturity
    row = line(f" {what}: ", "muted")
    row.add(f"{after.signals.importance:.4g} ", "strong").add(f"{glyphs.maturity[role]} {role}", role)
    row.add(f", best possible score {share(after.ceiling)}", "muted")
    event, left = next(iter(after.gates.items()))
    when = f"{event.until} {left_of(left)}" if left else event.has_come
    return hanging(row.add(f", {'never ' + event.happens if math.isinf(left) else when}", "text"), width, 3)


def _signals(ageing: Ageing, width: int) -> list[Line]:
    row = ageing.row
    later = bool(ageing.wanted.day)

    def values(stored: str, now: str, then: str) -> str:
        return f"{stored}{now} now" + (f" → {then} then" if later else "")

    written = f"{days(row.days)} ago"
    if row.updated_days is not None and not math.isnan(row.updated_days):
        written += f", updatedAt {days(row.updated_days)} ago"
    importance = f"{row.importance_stored:.4g} stored, "
    texts = {
        "importance": values(importance, f"{row.importance:.1f}", f"{ageing.then_importance:.1f}"),
        "recency": values(f"{row.recency_stored:.3g} stored, ", share(row.recency), share(ageing.then_recency)),
        "best score": values("", number(row.ceiling, 3), number(ageing.then_ceiling, 3)),
        "counts": f"{plural(row.access_count, 'access hit')}, {plural(row.update_count, 'update')}",
        "source": source_name(row.source),
        "written": written,
    }
    rows = [line(f" {name:<11}", "muted").add(text, "text") for name, text in texts.items()]
    return [part for row in rows for part in hanging(row, width, 12)]
