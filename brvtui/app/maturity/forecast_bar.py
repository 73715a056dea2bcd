"""The forecast: a slider over the days to come, how much changes on each, and what has changed by the chosen one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from textual import events
from textual.message import Message

from brvtui.app.maturity.ageing_words import SHORT
from brvtui.app.maturity.board_on_day import HEAVIEST_FIRST, BoardOnDay
from brvtui.app.states import Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.engines.byterover.ageing.forecast import LAST_DAY
from brvtui.paint.line import Line, badge
from brvtui.wording import counted

_LEFT, _RIGHT = " today ", " 365 d "
_TRACK_ROWS = (1, 2)
_LONG = {event: event.value for event in HEAVIEST_FIRST}


class ForecastBar(Lines):
    """Four lines: the day, the slider, how many notes change on which day, what has changed by the chosen one."""

    READS = (ProjectState,)

    @dataclass
    class DayWanted(Message):
        """Asks for the forecast of a day, counted from today."""

        day: int

        def can_replace(self, message: Message) -> bool:
            """Replaces an earlier request: during a drag only the last day matters."""
            return isinstance(message, ForecastBar.DayWanted)

    def __init__(self, *, id: str) -> None:
        """Starts at today."""
        super().__init__(id=id)
        self.on_day: BoardOnDay | None = None
        self.day = 0
        self._dragged = False

    def put(self, on_day: BoardOnDay | None, day: int) -> None:
        """Shows another board or day; ``day`` is the requested one, for which the board may not be computed yet."""
        self.on_day, self.day = on_day, day
        self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the board on its day, and the requested day."""
        return (self.on_day, self.day)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the lines: day, slider, calendar, counts."""
        made = [self._head(view, width)]
        if self.on_day is None:
            return made
        return [*made, self._slider(width), self._calendar(self.on_day, width), self._counts(self.on_day, width)]

    def _head(self, view: View, width: int) -> Line:
        if view.project.phase is Phase.FAILED:
            return badge("CANNOT OPEN", "bad").add("  ").add(view.project.problem, "text").cut(width)
        on_day = self.on_day
        if view.project.saved:
            return (
                badge("SAVED", "accent")
                .add("  a saved trace: open its project to see its notes age", "muted")
                .cut(width)
            )
        if on_day is None:
            total = (
                f"{view.project.done} of {view.project.total} files"
                if view.project.total
                else "looking for the context tree"
            )
            return badge("READING", "accent").add(f"  {total}", "muted").cut(width)
        when = datetime.fromtimestamp(on_day.board.now_ms / 1000, UTC) + timedelta(days=self.day)
        made = badge(f"IN {counted(self.day, 'DAY', 'DAYS')}" if self.day else "TODAY", "accent")
        made.add(f"  {when.day} {when:%B %Y}", "strong")
        if self.day and on_day.wanted.day == self.day:
            changes = int(on_day.forecast.any_change.sum())
            made.add(f"  {counted(changes, 'note changes', 'notes change')} if nobody touches them", "text")
        elif not self.day:
            made.add("  ] a day on, } a month, 0 today, or drag", "muted")
        only = on_day.wanted.only
        right = Line().add(f"only {only} " if only else "", "warn").add(f"by {on_day.wanted.order}", "muted")
        return made.right(width - 1, right)

    def _track(self, width: int) -> tuple[int, int]:
        """Returns the first cell of the slider and its number of cells."""
        return len(_LEFT), max(width - len(_LEFT) - len(_RIGHT), 2)

    def _slider(self, width: int) -> Line:
        _, cells = self._track(width)
        place = round(self.day / LAST_DAY * (cells - 1))
        full, rest, handle = ("━", "─", "●") if self.glyphs.unicode else ("=", "-", "O")
        made = Line().add(_LEFT, "muted").add(full * place, "accent").add(handle, "bold accent")
        return made.add(rest * (cells - place - 1), "faint").add(_RIGHT, "muted")

    def _calendar(self, on_day: BoardOnDay, width: int) -> Line:
        """Returns how many events fall into the days of each cell, as signs from low to high."""
        _, cells = self._track(width)
        days = np.sum(list(on_day.calendar.values()), axis=0)
        edges = np.round(np.arange(len(days)) / LAST_DAY * (cells - 1)).astype(np.int64)
        amounts = np.bincount(edges, weights=days, minlength=cells)
        steps = "▁▂▃▄▅▆▇█" if self.glyphs.unicode else ".:-=+*%#"
        most = float(amounts.max()) or 1.0
        signs = [" " if not amount else steps[min(7, int(amount / most * 7.999))] for amount in amounts.tolist()]
        place = round(self.day / LAST_DAY * (cells - 1))
        made = Line().add("changes".rjust(len(_LEFT) - 1) + " ", "faint")
        return made.add("".join(signs[: place + 1]), "warn").add("".join(signs[place + 1 :]), "muted")

    def _counts(self, on_day: BoardOnDay, width: int) -> Line:
        """Returns how many notes each event has reached by the day, and how many of them since today."""
        for names in (_LONG, SHORT):
            made = Line()
            for event in HEAVIEST_FIRST:
                added = int(on_day.forecast.changed[event].sum())
                made.gap(3 if made.spans else 1).add(f"{names[event]} ", "muted")
                made.add(str(int(on_day.forecast.then.has_come[event].sum())), "strong")
                made.add(f" {self.glyphs.up}{added}" if added else "", "bold warn")
            if made.width <= width:
                break
        return made.cut(width)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Starts a drag of the slider."""
        if event.y in _TRACK_ROWS and self.on_day is not None:
            self._dragged = True
            self.capture_mouse()
            self._want(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follows a drag of the slider."""
        if self._dragged:
            self._want(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Ends the drag."""
        if self._dragged:
            self._dragged = False
            self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Moves a day on."""
        event.stop()
        self._ask(self.day + 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Moves a day back."""
        event.stop()
        self._ask(self.day - 1)

    def _want(self, x: int) -> None:
        first, cells = self._track(self.room)
        self._ask(round((x - first) / max(cells - 1, 1) * LAST_DAY))

    def _ask(self, day: int) -> None:
        """Shows the day at once and asks for its forecast; the notes follow."""
        self.day = max(0, min(day, LAST_DAY))
        self.rebuild()
        self.post_message(self.DayWanted(self.day))
