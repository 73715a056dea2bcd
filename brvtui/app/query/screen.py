"""The Query screen: one query and the reasons for its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input

from brvtui.app.actions.screens import QUERY_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.keys.bindings import bindings
from brvtui.app.query.digest import DIGEST, ROWS, Digest
from brvtui.app.query.query_box import QueryBox, QueryInput, ScopeTree
from brvtui.app.query.results import ResultsPane
from brvtui.app.query.route import VERDICT, RoutePane, Verdict
from brvtui.app.query.score import ScorePane
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import Phase
from brvtui.app.text_entry import caught_up
from brvtui.app.view import View
from brvtui.app.widgets.pane import Pane

if TYPE_CHECKING:
    from brvtui.app.project.layouts import Layouts
    from brvtui.app.project.selection import Selection
    from brvtui.app.query.answer import AnswerPane
    from brvtui.app.query.cache import Cache
    from brvtui.app.query.graph import GraphPane
    from brvtui.app.query.reasons import Reasons
    from brvtui.app.query.runner import QueryRunner
    from brvtui.paint.neighbourhood import Neighbourhood

_SLOT = ("cache", "graph")
"""The panes that share a place: engines that rank over a graph have a graph pane, others a cache pane."""


_FOUR_COLUMNS = 170
_ROUTE_ROWS = 8
_RETRY_ROWS = 5


def _tree_width(width: int) -> int:
    return 24 if width < 130 else min(36, width // 6)


def _wide_query(width: int, height: int) -> Split:
    route = _ROUTE_ROWS if height < 40 else min(height // 3, _ROUTE_ROWS + 10)
    rest = height - route
    columns = _four_columns(width, rest) if width >= _FOUR_COLUMNS else _three_columns(width, rest)
    return Split("route", False, ("route", columns), (route, rest))


def _four_columns(width: int, height: int) -> Split:
    tree = _tree_width(width)
    left = width - tree
    last = max(38, left // 4)
    middle = (left - last) // 2
    retry = height * 62 // 100
    retries = Split("retry over cache", False, ("retry", "cache"), (retry, height - retry))
    parts = ("tree", _answers(height, 10), "score", retries)
    return Split("four columns", True, parts, (tree, middle, left - last - middle, last))


def _three_columns(width: int, height: int) -> Split:
    tree = _tree_width(width)
    left = width - tree
    middle = left * 45 // 100
    right = left - middle
    low = max(8, height * 38 // 100)
    retries = Split("retry beside cache", True, ("retry", "cache"), (right // 2, right - right // 2))
    scores = Split("score", False, ("score", retries), (height - low, low))
    return Split("three columns", True, ("tree", _answers(height, 11), scores), (tree, middle, right))


def _answers(height: int, min_rows: int) -> Split:
    results = max(min_rows, height // 2)
    return Split("results", False, ("results", "answer"), (results, height - results))


QUERY = Arrangement(
    panes=("results", "score", "answer", "retry", "cache", "tree", "route"),
    beside="results",
    tabs=("score", "route", "retry", "cache", "answer", "tree"),
    wide=_wide_query,
    head=VERDICT,
    head_rows=4,
    slim_rows=1,
    with_own_head=frozenset({"route"}),
    aside=frozenset({"route", "retry", "cache", "graph", "answer", "tree"}),
    digest=DIGEST,
    digested=ROWS,
)


def _wide_graph(width: int, height: int) -> Split:
    """Returns the layout with a large graph. Retry, which is short in this layout, is below the tree."""
    route = _ROUTE_ROWS if height < 40 else min(height // 3, _ROUTE_ROWS + 10)
    rest = height - route
    tree = _tree_width(width)
    left = width - tree
    first = Split("tree over retry", False, ("tree", "retry"), (rest - _RETRY_ROWS, _RETRY_ROWS))
    if width >= _FOUR_COLUMNS:
        part = left * 3 // 10
        four = (first, _answers(rest, 10), "score", "graph")
        columns = Split("four columns", True, four, (tree, part, part, left - 2 * part))
    else:
        middle, low = left * 42 // 100, rest * 55 // 100
        scores = Split("score over graph", False, ("score", "graph"), (rest - low, low))
        three = (first, _answers(rest, 11), scores)
        columns = Split("three columns", True, three, (tree, middle, left - middle))
    return Split("route", False, ("route", columns), (route, rest))


QUERY_OVER_GRAPH = QUERY._replace(
    panes=tuple("graph" if pane == "cache" else pane for pane in QUERY.panes),
    tabs=tuple("graph" if pane == "cache" else pane for pane in QUERY.tabs),
    wide=_wide_graph,
)
"""The arrangement for engines that rank over a graph."""


class QueryScreen(FrameScreen):
    """The query field at the top, and the panes that explain the answer."""

    TITLE = "Query"
    PLAN = QUERY
    STOPS = ("query",)
    BINDINGS: ClassVar[list[BindingType]] = bindings(QUERY_SCREEN)
    AUTO_FOCUS = "#query"

    def __init__(
        self,
        layouts: Layouts,
        queries: QueryRunner,
        reasons: Reasons,
        selection: Selection,
        cache: Cache,
        save_graph: Callable[[Neighbourhood], None],
    ) -> None:
        """Creates the screen; ``save_graph`` saves a drawing as a picture."""
        super().__init__(layouts)
        self._queries, self._reasons, self._selection, self._cache = queries, reasons, selection, cache
        self._save_graph = save_graph
        self._ticking: Timer | None = None
        self._restore: Callable[[], None] | None = None
        self._ran: str | None = None
        """The query that was run last, until another one is typed."""
        """Restores the layout that was changed to show a note's text."""

    def make_head(self) -> ComposeResult:
        """Yields the query field."""
        yield QueryBox(id="query-box")

    def make_panes(self) -> ComposeResult:
        """Yields the headline, and the panes that are visible at the start."""
        yield Verdict(id="verdict")
        yield ResultsPane(id="results")
        yield ScorePane(id="score")

    def make_more_panes(self) -> ComposeResult:
        """Yields the panes of ``aside`` in the plan, and their summary."""
        from brvtui.app.query.answer import AnswerPane
        from brvtui.app.query.cache import CachePane
        from brvtui.app.query.graph import GraphPane
        from brvtui.app.query.retry import RetryPane

        yield RoutePane(id="route")
        yield Digest(id=DIGEST)
        yield AnswerPane(id="answer")
        yield RetryPane(id="retry")
        yield CachePane(id="cache")
        yield GraphPane(id="graph")
        yield ScopeTree(id="tree")

    def on_mount(self) -> None:
        """Creates the timer of the cache pane, paused until there is a cached entry."""
        self._ticking = self.set_interval(1.0, self._cache.look, pause=True)

    def on_screen_suspend(self) -> None:
        """Pauses the timer of the cache pane."""
        if self._ticking is not None:
            self._ticking.pause()

    @property
    def field(self) -> QueryInput:
        """The query's text field."""
        return self.query_one(QueryInput)

    @property
    def results(self) -> ResultsPane:
        """The Results pane."""
        return self.query_one(ResultsPane)

    @property
    def answer(self) -> AnswerPane:
        """The Answer pane."""
        return cast("AnswerPane", self.query_one("#answer"))

    @property
    def note_at_hand(self) -> str:
        """The current note; while there is no answer, empty unless the tree has the focus."""
        is_seen = self.view.answered is not None or self.stop == "tree"
        return super().note_at_hand if is_seen else ""

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, such as opening, running or going back without a note, query or history."""
        lacks = {"results.notes": self.note_at_hand, "query.run": self.field.value, "query.earlier": self.field.history}
        return super().idle | {name for name, value in lacks.items() if not value}

    @property
    def renamed(self) -> Mapping[str, str]:
        """The changed labels in the key bar, including the one for showing fewer panes while all are shown."""
        has_few = self.body.plan.aside <= self.body.shared.hidden
        return super().renamed if has_few else {**super().renamed, "panes.few": "fewer"}

    def show(self, view: View) -> None:
        """Shows ``view`` in all parts of the screen."""
        self._take_plan(view)
        super().show(view)
        self.field.remember(view.query.history)
        # the first frame must not wait for the registry of actions
        run_key = "Enter" if view.opening else self.services.shown_key("query.run").capitalize()
        self.query_one(QueryBox).border_title = Content(_mode(view, run_key))
        if view.project.saved and not self.field.disabled:
            self.field.value = view.query.text
            self.field.placeholder = "an empty query"
            self.field.disabled = True
            self.action_pane("results")
        self._settle_tick()

    def _take_plan(self, view: View) -> None:
        """Switches between the arrangements for engines with a cache and engines with a graph."""
        if view.opening:  # the first frame must not wait for modules of engines
            return
        left = self.stop
        is_asked = view.answer.trace is not None
        has = {"retry": view.presentation.has_ladder and is_asked, "cache": view.presentation.caches and is_asked}
        plan = QUERY_OVER_GRAPH if view.presentation.draws_graph else QUERY
        self.body.follow(plan._replace(digested={pane: rows for pane, rows in ROWS.items() if has[pane]}))
        if left in _SLOT and left not in self.body.plan.panes:
            self.action_pane(left)

    def _settle_tick(self) -> None:
        if self._ticking is None:
            return
        cache = self.view.cache.seen
        counts_down = any(pane.display for pane in self.query(f"#cache, #{DIGEST}"))
        shown = counts_down and not self.has_class("-small")
        if cache and cache.look.entries and shown and not self.view.engine.frozen:
            self._ticking.resume()
        else:
            self._ticking.pause()

    @on(Input.Changed, "#query")
    def _typed(self) -> None:
        if self.field.value != self._ran:  # after fast typing, Enter arrives before the last letters do
            self._ran = None
            self._queries.ask(self.field.value)

    @on(Pane.NoteWanted)
    def _show_note(self, event: Pane.NoteWanted) -> None:
        self.services.select(event.file)
        self.answer.show_tab("note")
        self._restore = self._restore or self.body.peek("answer")
        self.action_pane("answer")

    @on(ResultsPane.WordingWanted)
    def _reword(self, event: ResultsPane.WordingWanted) -> None:
        self.fill(event.query)

    # named, since the classes of these messages are imported only after the first frame

    def on_answer_pane_text_wanted(self, event: AnswerPane.TextWanted) -> None:
        """Reads the text of the note."""
        self._selection.want_text(event.file)

    @on(ScopeTree.ScopeWanted)
    def _scope(self, event: ScopeTree.ScopeWanted) -> None:
        self._queries.scope_to(event.folder)

    def on_graph_pane_picture_wanted(self, event: GraphPane.PictureWanted) -> None:
        """Saves the drawing as a picture."""
        self._save_graph(event.shown)

    @on(RoutePane.CounterfactualsWanted)
    def _try_changes(self) -> None:
        if self.view.may_need_less:
            self._make_room_for_route()
        self._reasons.find_counterfactuals()

    def on_paste(self, event: events.Paste) -> None:
        """Takes text that was pasted outside of fields, or sent faster than anyone types, as a new question."""
        if not self.field.disabled and event.text.strip():
            event.stop()
            self.action_query()
            self.fill(" ".join(event.text.split()))

    def fill(self, query: str) -> None:
        """Puts ``query`` into the field as if the user had typed it, and shows all its results."""
        self.results.clear_filter()
        self.field.value = query
        self.field.cursor_position = len(query)

    def bring_answer(self) -> None:
        """Shows the answer's tab on a narrow screen, without moving the focus."""
        if not self.body.wide and not self.body.maximised:
            self.body.bring("answer")

    def take_layout(self) -> None:
        """Applies the stored layout, unless a note's text is shown in another one."""
        if self._restore is None:
            super().take_layout()

    def _end_peek(self) -> None:
        restore, self._restore = self._restore, None
        if restore is not None:
            restore()

    # actions

    async def action_back(self) -> None:
        """Goes back as on every screen; from a note's text, to the layout before it was shown."""
        if (
            self._restore is None
            or self.view.live is not None
            or (self.pane is not None and self.pane.field is not None)
        ):
            await super().action_back()
        else:
            self.clear_selection()
            self._end_peek()
            self.action_pane(self.home)

    def action_pane(self, pane: str) -> None:
        """Shows and focuses ``pane``; ``cache`` and ``graph`` both mean the pane that the engine supports."""
        again = pane == self.stop
        if pane != "answer":
            self._restore = None  # the user continues with the current layout
        super().action_pane(next(one for one in _SLOT if one in self.body.plan.panes) if pane in _SLOT else pane)
        warned = self.view.answered is not None and bool(self.view.answered.notices)
        if pane == "route" and self.view.answered is not None:
            query, notices = self.view.query, self.view.answered.notices
            self.services.store.update(query._replace(read_notices=query.read_notices.union(notices)))
        if pane == "route" and (again or warned or self.body.shared.hidden):  # its warnings must be visible
            self.call_after_refresh(self._make_room_for_route)
        self._settle_tick()

    def _make_room_for_route(self) -> None:
        """Maximises Route if there is little space below its headline, so that the answer's warnings are visible."""
        route = self.query_one(RoutePane)
        if self.focused is route and not route.has_room and not self.body.maximised:
            self.action_maximise()

    def action_maximise(self) -> None:
        """Maximises the focused pane, or restores all panes."""
        super().action_maximise()
        self._settle_tick()

    def action_run(self) -> None:
        """Runs the query."""
        self._ran = self.field.value
        self._queries.ask(self.field.value, run=True)

    async def action_run_and_go(self) -> None:
        """Runs the query and goes to its results, unless the preview has none."""
        await caught_up(self.field)
        self.action_run()
        text, view = self.field.value, self.view
        is_empty = view.answered is not None and view.query.text == text and not view.answered.hits
        pane = self.body.maximised or "results"
        if view.project.phase is Phase.READY and text.strip() and not is_empty and pane not in self.body.shared.hidden:
            self.action_pane(pane)

    def action_query(self) -> None:
        """Moves the focus to the query field and selects its text, so that typing replaces it."""
        self.set_focus(self.field, scroll_visible=False)
        self.field.action_select_all()

    def action_select(self, step: int) -> None:
        """Selects the next or previous result, regardless of the focus."""
        self.results.move_to(self.results.cursor + step)

    async def action_open_note(self) -> None:
        """Opens the current note on the Notes screen."""
        if self.note_at_hand:
            self.services.select(self.note_at_hand)
            await self.app.switch_mode("notes")
        else:
            message = self.services.with_keys("select a note; {results.notes} then shows it on the Notes screen")
            self.notify(self.view.worded(message), timeout=4)

    def action_plain(self) -> None:
        """Shows the current note's rank in plain search."""
        self._reasons.find_in_plain_search(self.note_at_hand)

    def action_pin(self) -> None:
        """Pins the current answer, or unpins it."""
        if self._reasons.pin():
            self._show_pinned()

    def _show_pinned(self) -> None:
        from brvtui.app.query.answer import PINNED

        self.answer.show_tab(PINNED)

    def action_compare(self) -> None:
        """Shows the comparison with the pinned answer, maximised if necessary."""
        if self.view.pin.trace is None:
            self.notify(self.services.with_keys("nothing is pinned: {answer.pin} pins the current answer"), timeout=4)
            return
        self.action_pane("answer")
        self._show_pinned()
        if not self.body.maximised and not self.answer.has_room_to_compare:
            self.action_maximise()

    def action_clear_cache(self) -> None:
        """Clears the simulated cache."""
        self._cache.clear()


def _mode(view: View, run_key: str) -> str:
    preview = f"Query · typing previews, {run_key} runs"
    if view.project.saved:
        return "Query · a saved trace"
    if view.opening:
        return "Query"
    if view.no_project:
        return "Query · no project is open"
    if not view.presentation.caches:
        asks = " and calls the configured services" if view.presentation.asks_services else ""
        return "Query · run" if view.ran else f"{preview}{asks}"
    if view.live is not None:
        return "Query · run · a model answers"
    if view.answered is not None and view.ran and view.answered.answer.kind == "cached":
        return "Query · run, answered from the cache"
    if view.uncached:
        return f"Query · run, not cached: {view.uncached}"
    return "Query · run; answer cached" if view.ran else preview
