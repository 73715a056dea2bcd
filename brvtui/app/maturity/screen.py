"""The Maturity screen: all notes by maturity, on any day of the coming year."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import MATURITY_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.keys.bindings import bindings
from brvtui.app.maturity.ageing import AgeingPane
from brvtui.app.maturity.board_on_day import BoardOnDay, BoardOptions, ageing_of, board_on_day, forecast_in
from brvtui.app.maturity.column import ColumnPane
from brvtui.app.maturity.forecast_bar import ForecastBar
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.project import Project
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.styles import sheet
from brvtui.app.view import View
from brvtui.app.workers import Newest
from brvtui.engines.ageing.events import Event
from brvtui.engines.ageing.forecast import LAST_DAY, BoardOrder
from brvtui.ranking.maturity import LEVELS

_HITS = 5
_MOST_HITS = 99
_MONTH = 30
_LEAST_COLUMN = 32
"""The minimum width of a column for readable titles if all columns are side by side."""
_ORDERS = tuple(BoardOrder)


@dataclass(frozen=True, slots=True)
class _ForecastRequest:
    engine: str
    file: str
    on_day: BoardOnDay


def _wide_maturity(width: int, height: int) -> Split:
    ageing = max(42, width * 30 // 100)
    columns = width - ageing
    if columns < len(LEVELS) * _LEAST_COLUMN:
        beside = Split("upper columns", False, LEVELS[1:], (1, 1))
        return Split(
            "maturity", True, (Split("two columns", True, (LEVELS[0], beside), (1, 1)), "ageing"), (columns, ageing)
        )
    sizes = tuple(columns // len(LEVELS) + (number < columns % len(LEVELS)) for number in range(len(LEVELS)))
    return Split("maturity", True, (Split("columns", True, LEVELS, sizes), "ageing"), (columns, ageing))


MATURITY = Arrangement(
    panes=(*LEVELS, "ageing"),
    beside=LEVELS[0],
    tabs=(*LEVELS[1:], "ageing"),
    wide=_wide_maturity,
    head="forecast",
    head_rows=5,
    beside_share=0.5,
)


class MaturityScreen(FrameScreen):
    """A column for each maturity, with the forecast above and the selected note beside the columns."""

    CSS_PATH = sheet("maturity")
    TITLE = "Maturity"
    PLAN = MATURITY
    BINDINGS: ClassVar[list[BindingType]] = bindings(MATURITY_SCREEN)
    AUTO_FOCUS = f"#{LEVELS[0]}"

    def __init__(self, layouts: Layouts, project: Project, show_answers: Callable[[int], None]) -> None:
        """Starts with today's notes; ``show_answers`` shows the answers as of a number of days from now."""
        super().__init__(layouts)
        self._project = project
        self._show_answers = show_answers
        self.wanted = BoardOptions()
        self.on_day: BoardOnDay | None = None
        self.times = _HITS
        self._of: tuple[object, ...] = ()
        self._boards: Newest[BoardOptions] = Newest(self._begin)
        self._forecasts: Newest[_ForecastRequest] = Newest(self._begin_forecast)
        self._forecast_of: _ForecastRequest | None = None
        self._outdated = True
        """True if the notes must be read again, and not just shown for another day or in another order."""

    def make_panes(self) -> ComposeResult:
        """Yields the forecast bar, the columns and the ageing pane."""
        yield ForecastBar(id="forecast")
        for level in LEVELS:
            yield ColumnPane(level)
        yield AgeingPane(id="ageing")

    @property
    def columns(self) -> list[ColumnPane]:
        """The columns from left to right."""
        return list(self.query(ColumnPane).results(ColumnPane))

    def show(self, view: View) -> None:
        """Shows ``view``; reads the board again if the tree or the profile has changed."""
        super().show(view)
        source = (view.project.overview, view.engine.profile)
        if view.project.overview is not None and source != self._of:
            self._of = source
            self._ask_for_board(anew=True)
            self._forecast_silence()
        self._show_note()

    def on_screen_resume(self) -> None:
        """Updates the screen, since time has passed and another note may be selected."""
        super().on_screen_resume()
        if self.on_day is not None:
            self._ask_for_board(anew=True)
            self._go_to_selected()

    @property
    def home(self) -> str:
        """The column of the selected note; focusing another column would change the selection."""
        return self._level_of_selected() or super().home

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, such as going to today or past the last day, or below one hit."""
        idle = super().idle | ({"ageing.less"} if self.times <= 1 else frozenset())
        idle |= frozenset() if self.wanted.day else {"forecast.today"}
        return idle | {"forecast.next", "forecast.month"} if self.wanted.day >= LAST_DAY else idle

    @property
    def renamed(self) -> Mapping[str, str]:
        """The labels in the key bar: that of the signals and, while only changes are shown, that of all notes."""
        renamed = {**super().renamed, "note.signals": "signals"}
        if self.wanted.in_span:
            renamed["board.changes"] = "all notes" if self.wanted.only is None else "earlier too"
        return renamed

    def _forecast_silence(self) -> None:
        """Finds the queries whose answers will come too late for the agent's hook, if the engine has tiers."""
        session, bar = self._project.session, self.query_one(ForecastBar)
        bar.put_silence(None)
        if session is not None and self.view.presentation.has_tiers:
            from brvtui.session.silence import forecast_silence

            task = partial(forecast_silence, session, LAST_DAY)
            run = self.services.background.run
            run(task, bar.put_silence, group="silence", exclusive=True, on_error=lambda _: None, owner=self)

    # the displayed board

    def want(self, **changes: object) -> None:
        """Changes the day, order or filter. The slider changes immediately, and the notes when they are computed."""
        self.wanted = replace(self.wanted, **changes)  # type: ignore[arg-type]  # names of BoardOptions's own fields
        self.query_one(ForecastBar).put(self.on_day, self.wanted.day)
        self.show_keys()
        self._ask_for_board()

    def _ask_for_board(self, anew: bool = False) -> None:
        self._outdated |= anew
        if self._project.session is not None and self.view.project.overview is not None:
            self._boards.want(self.wanted)

    def _begin(self, options: BoardOptions) -> None:
        assert self._project.session is not None
        before = None if self._outdated else self.on_day
        self._outdated = False
        self.services.background.run(
            partial(board_on_day, self._project.session, options, before),
            self._show_board,
            group="board",
            on_error=self._broke_down,
            on_end=self._boards.finished,
            owner=self,
        )

    def _show_board(self, on_day: BoardOnDay) -> None:
        before = self._level_of_selected()
        first = self.on_day is None
        self.on_day = on_day
        for column in self.columns:
            column.put(on_day)
        self.body.collapse(on_day.collapsed)
        self.query_one(ForecastBar).put(on_day, self.wanted.day)
        self.select_seen()
        now = self._level_of_selected()
        emptied = isinstance(self.focused, ColumnPane) and not self.focused.choices
        if first or ((emptied or now != before) and self.note_at_hand):
            self._go_to_selected()
        self._show_note()
        self.show_keys()  # a column may have become empty

    @property
    def note_at_hand(self) -> str:
        """The selected note; empty if the filter removes it from every column."""
        file = self.view.selection.file
        return file if any(file in column.choices for column in self.columns) else ""

    def select_seen(self) -> None:
        """Selects the note under the cursor if the selected one is not visible, since keys act on the selected note."""
        filled = [column for column in self.columns if column.choices]
        if self.is_current and filled and not any(self.view.selection.file in column.choices for column in filled):
            self.services.select((self.focused if self.focused in filled else filled[0]).chosen)

    def _broke_down(self, why: str) -> None:
        self.notify(f"the board cannot be shown: {why}", severity="error", timeout=10)

    def _show_note(self) -> None:
        session, on_day = self._project.session, self.on_day
        if session is None or on_day is None:
            return
        file, engine = self.note_at_hand, self.view.engine.name
        pane = self.query_one(AgeingPane)
        pane.put(ageing_of(session, on_day, file, self.times))
        request = _ForecastRequest(engine, file, on_day)
        if request != self._forecast_of:
            self._forecast_of = request
            if self.view.is_native:  # only ByteRover's ageing is shown
                pane.put_forecast(None)
            else:
                self._forecasts.want(request)

    def _begin_forecast(self, request: _ForecastRequest) -> None:
        assert self._project.session is not None
        pane = self.query_one(AgeingPane)
        self.services.background.run(
            partial(forecast_in, self._project.session, request.engine, request.file, request.on_day.wanted.day),
            lambda forecast: pane.put_forecast(forecast if request.engine == self.view.engine.name else None),
            group="forecast",
            on_error=lambda _: pane.put_forecast(None),
            on_end=self._forecasts.finished,
            owner=self,
        )

    def _level_of_selected(self) -> str:
        return self.on_day.level_of(self.view.selection.file) if self.on_day is not None else ""

    def _go_to_selected(self) -> None:
        """Focuses the column of the selected note; selects the first note if none is selected."""
        if self.on_day is None:
            return
        level = self._level_of_selected()
        if not level:
            level = next((one for one in LEVELS if self.on_day.columns[one]), LEVELS[0])
        column = self.query_one(f"#{level}", ColumnPane)
        if self.on_day.position(self.view.selection.file) is None and column.chosen:
            self.services.select(column.chosen)
        column.follow(self.view.selection.file)
        if isinstance(self.focused, ColumnPane) and self.stop != level:
            self.action_pane(level)

    @property
    def why_notice(self) -> str:
        """A notice that explanations refer to today, if the board shows another day; otherwise empty."""
        is_forecast = self.wanted.day and self.view.answered is not None and self.note_at_hand
        return "this explains the current answer, not the answer on the forecast date" if is_forecast else ""

    def action_answers(self) -> None:
        """Opens the Lab with the answers on the forecast date, or in 30 days if that day is today."""
        self._show_answers(self.wanted.day or _MONTH)

    @on(ColumnPane.Filtered)
    def _filtered(self) -> None:
        self.select_seen()
        self._show_note()

    @on(ColumnPane.DetailsWanted)
    def _show_details(self) -> None:
        self.action_pane("ageing")

    @on(ForecastBar.DayWanted)
    def _day_wanted(self, event: ForecastBar.DayWanted) -> None:
        self._go_to_day(event.day)

    def _go_to_day(self, day: int) -> None:
        new_day = max(0, min(day, LAST_DAY))
        if new_day != self.wanted.day:
            self.want(day=new_day)

    @on(AgeingPane.TimesWanted)
    def _times_wanted(self, event: AgeingPane.TimesWanted) -> None:
        self.times = max(1, min(self.times + event.step, _MOST_HITS))
        self._show_note()
        self.show_keys()

    # actions

    def action_day(self, step: int) -> None:
        """Moves the forecast ``step`` days forward, or back if negative."""
        self._go_to_day(self.wanted.day + step)

    def action_beside(self, step: int) -> None:
        """Focuses the column to the right or to the left."""
        place = LEVELS.index(self.stop) + step if self.stop in LEVELS else -1
        if 0 <= place < len(LEVELS):
            self.action_pane(LEVELS[place])

    def action_today(self) -> None:
        """Shows today."""
        self._go_to_day(0)

    def action_order(self, step: int) -> None:
        """Switches to the next or previous order."""
        self.want(order=_ORDERS[(_ORDERS.index(self.wanted.order) + step) % len(_ORDERS)])

    def action_only(self, step: int) -> None:
        """Shows only notes with the next or previous kind of event; after the last kind, shows all notes."""
        events: tuple[Event | None, ...] = (None, *(self.on_day.board.events if self.on_day is not None else ()))
        self.want(only=events[(events.index(self.wanted.only) + step) % len(events)])

    async def action_back(self) -> None:
        """Shows all events again; if they are already shown, goes back as on other screens."""
        if self.wanted.only is not None and (self.pane is None or self.pane.field is None):
            self.want(only=None)
        else:
            await super().action_back()

    def action_only_changes(self) -> None:
        """Switches between notes that change by the forecast date and all notes; from today, first moves 30 days
        ahead.
        """
        if self.wanted.day:
            self.want(only_changes=not self.wanted.only_changes)
        else:
            self.want(day=_MONTH, only_changes=True)
