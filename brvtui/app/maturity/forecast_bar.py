"""The forecast bar: a slider over the coming days, the changes on each day, and the totals by the selected day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len
from textual import events
from textual.message import Message

from brvtui.app.maturity.board_on_day import BoardOnDay, BoardOptions
from brvtui.app.states import LOOKING, EngineState, Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.engines.ageing.events import count_sentence, next_days
from brvtui.engines.ageing.forecast import LAST_DAY
from brvtui.paint.line import Line, badge, line
from brvtui.text.visible import visible
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.session.silence import Silence

_LEFT, _RIGHT = " today ", " 365 d "
_UNTOUCHED = " if nobody touches them"
_TRACK_ROWS = (1, 2)


class ForecastBar(Lines):
    """Five lines: the day, the slider, changes per day, the notes with each event by that day, and an explanation."""

    READS = (ProjectState, EngineState)

    @dataclass
    class DayWanted(Message):
        """Posted to request the forecast of a day, counted from today."""

        day: int

        def can_replace(self, message: Message) -> bool:
            """True if ``message`` also requests a day, since only the last day of a drag matters."""
            return isinstance(message, ForecastBar.DayWanted)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.on_day: BoardOnDay | None = None
        self.silence: Silence | None = None
        self.day = 0
        self._dragged = False

    def put(self, on_day: BoardOnDay | None, day: int) -> None:
        """Shows another board or day. ``day`` is the requested day, whose board may not be available yet."""
        self.on_day, self.day = on_day, day
        self.rebuild()

    def put_silence(self, silence: Silence | None) -> None:
        """Shows the number of queries whose answers come too late for the agent's hook."""
        self.silence = silence
        self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the board, the requested day and the late queries, since the lines are built from them."""
        return (self.on_day, self.day, self.silence)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the lines: day, slider, calendar, counts and explanation."""
        lines = [self._head(view, width)]
        on_day = self.on_day
        if on_day is None:
            return lines
        lines += [self._slider(width), self._calendar(on_day, width), self._counts(on_day, width)]
        meaning = self.services.with_keys(_meaning(on_day.wanted))
        late = _late(self.silence, self.day, width - 1) if self.silence is not None and not on_day.wanted.only else ""
        if late:
            return [*lines, line(f" {late}", "warn").cut(width)]
        whose = "" if view.is_native else "ByteRover's rules: "
        order = f"by {on_day.wanted.order}"
        room = width - len(order) - 3
        text = f" {whose}{meaning}" if len(f" {whose}{meaning}") <= room else f" {meaning}"
        if len(text) > room:  # the explanation is more important than the order
            return [*lines, line(text, "muted").cut(width)]
        return [*lines, line(text, "muted").right(width - 1, line(order, "muted"))]

    def _head(self, view: View, width: int) -> Line:
        if view.project.phase is Phase.FAILED:
            return badge("CANNOT OPEN", "bad").add("  ").add(view.project.problem, "text").cut(width)
        on_day = self.on_day
        if view.project.saved:
            return (
                badge("SAVED", "accent")
                .add("  this is a saved trace: open its project to see its notes age", "muted")
                .cut(width)
            )
        if on_day is None:
            total = f"{view.project.done} of {view.project.total} files" if view.project.total else LOOKING
            return badge("READING", "accent").add(f"  {total}", "muted").cut(width)
        when = datetime.fromtimestamp(on_day.board.now_ms / 1000, UTC) + timedelta(days=self.day)
        row = badge(f"IN {counted(self.day, 'DAY', 'DAYS')}" if self.day else "TODAY", "accent")
        text = _sentence(on_day, view.kind.noun) if on_day.wanted.day == self.day else ""
        text = f"  {self.services.with_keys(text)}" if text else ""
        dates = (f"  {when.day} {when:%B %Y}", f"  {when.day} {when:%b}")
        row.add(next((date for date in dates if row.width + len(date + text) <= width), dates[-1]), "strong")
        whole = (text, text.removesuffix(_UNTOUCHED), text.rpartition(", ")[0], text.partition(": ")[0])
        text = next((each for each in whole if each and row.width + len(each) <= width), whole[-1])
        row.add(text, "warn" if on_day.wanted.in_span else "text")
        return row.cut(width)

    def _track(self, width: int) -> tuple[int, int]:
        """Returns the first cell of the slider and its length in cells."""
        return len(_LEFT), max(width - len(_LEFT) - len(_RIGHT), 2)

    def _slider(self, width: int) -> Line:
        _, cells = self._track(width)
        place = round(self.day / LAST_DAY * (cells - 1))
        full, rest, handle = ("━", "─", "●") if self.glyphs.unicode else ("=", "-", "O")
        row = Line().add(_LEFT, "muted").add(full * place, "accent").add(handle, "bold accent")
        return row.add(rest * (cells - place - 1), "faint").add(_RIGHT, "muted")

    def _calendar(self, on_day: BoardOnDay, width: int) -> Line:
        """Returns a bar chart of the events in each cell of the slider; only the filter's event, if there is one."""
        _, cells = self._track(width)
        only = on_day.wanted.only
        days = on_day.calendar[only] if only is not None else np.sum(list(on_day.calendar.values()), axis=0)
        edges = np.round(np.arange(len(days)) / LAST_DAY * (cells - 1)).astype(np.int64)
        amounts = np.bincount(edges, weights=days, minlength=cells)
        steps = "▁▂▃▄▅▆▇█" if self.glyphs.unicode else ".:-=+*%#"
        highest = float(amounts.max()) or 1.0
        signs = [" " if not amount else steps[min(7, int(amount / highest * 7.999))] for amount in amounts.tolist()]
        place = round(self.day / LAST_DAY * (cells - 1))
        row = Line().add("events".rjust(len(_LEFT) - 1) + " ", "faint")
        return row.add("".join(signs[: place + 1]), "warn").add("".join(signs[place + 1 :]), "muted")

    def _counts(self, on_day: BoardOnDay, width: int) -> Line:
        """Returns the number of notes with each event by the selected day, and of new ones, as far as they fit."""
        then, only, row = on_day.forecast.then.has_come, on_day.wanted.only, Line()
        present = [event for event in on_day.board.events if event is only or then[event].any()]
        for new, is_short in ((" ({} new)", False), (" +{}", False), (" +{}", True), ("", True)):
            row = Line()
            for event in present:
                added = int(on_day.forecast.changed[event].sum())
                row.add(" · " if row.spans else " ", "faint").add(str(int(then[event].sum())), "strong")
                row.add(f" {event.short if is_short else event.state}", "bold accent" if event is only else "muted")
                row.add(new.format(added) if added else "", "bold warn")
            if row.width <= width:
                break
        return row.cut(width)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Starts to drag the slider."""
        if event.y in _TRACK_ROWS and self.on_day is not None:
            self._dragged = True
            self.screen.clear_selection()  # the mouse moves the slider and selects no text
            self.capture_mouse()
            self._want(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drags the slider."""
        if self._dragged:
            self._want(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Ends dragging the slider."""
        if self._dragged:
            self._dragged = False
            self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Moves forward by one day."""
        event.stop()
        self._ask(self.day + 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Moves back by one day."""
        event.stop()
        self._ask(self.day - 1)

    def _want(self, x: int) -> None:
        first, cells = self._track(self.room)
        self._ask(round((x - first) / max(cells - 1, 1) * LAST_DAY))

    def _ask(self, day: int) -> None:
        """Shows the day immediately and requests its forecast; the notes are updated later."""
        self.day = max(0, min(day, LAST_DAY))
        self.rebuild()
        self.post_message(self.DayWanted(self.day))


def _sentence(on_day: BoardOnDay, noun: str) -> str:
    """Returns a sentence with the number of notes that change, or have the selected event, by the selected day."""
    options, forecast = on_day.wanted, on_day.forecast
    only, span = options.only, next_days(options.day)
    if only is None and not options.day:
        come = {event: forecast.then.has_come[event] for event in on_day.events}
        usual = max(come, key=lambda event: int(come[event].sum()))
        notes = counted(come[usual].size, noun, f"{noun}s")
        return f"{int(come[usual].sum())} of {notes} {usual.state}: {usual.meaning}"
    if only is None:
        changes = int(forecast.any_change.sum())
        if options.in_span:
            return f"only the {counted(changes, f'{noun} that changes', f'{noun}s that change')} in {span}"
        return f"{counted(changes, f'{noun} changes', f'{noun}s change')} in {span}{_UNTOUCHED}"
    added = int(forecast.changed[only].sum())
    if options.in_span:
        if not added:
            return f"no {noun} {only.happens} in {span}"
        return f"only the {added} that {only.happens if added == 1 else only.happen} in {span}"
    return count_sentence(only, int(forecast.then.has_come[only].sum()), added, options.day)


def _late(silence: Silence, day: int, width: int) -> str:
    """Returns a sentence of ``width`` cells with the number of queries that are answered too late on ``day``, and the
    next such query; empty if there is none.
    """
    if not silence.queries:
        return ""
    come = sum(query.days <= day for query in silence.queries)
    answers, wait = counted(silence.tried, "answer", "answers"), silence.limit_ms / 1000
    text = f"{come} of {answers} too late for your agent's hook, which waits {wait:g} s"
    later = next((query for query in silence.queries if query.days > day), None)
    if later is None:
        return text
    text += f"; next on day {later.days}"
    named = f"{text}: “{visible(later.query)}”"
    return named if cell_len(named) <= width else text


def _meaning(options: BoardOptions) -> str:
    """Explains the selected event, or else the numbers."""
    if options.only is not None:
        return f"{options.only.short}: {options.only.meaning}"
    if options.day:
        does = "shows all" if options.in_span else "only these"
        keys = f"{{board.changes}} {does}, {{board.only}} one event, {{forecast.answers}} answers"
        return f"new: in {next_days(options.day)}; {keys}"
    return "today's counts, which may overlap; {board.only} selects one event and explains it"
