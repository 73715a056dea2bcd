"""The Query screen: one query and everything that decided its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from brvtui.app import keymap
from brvtui.app import messages as news
from brvtui.app.arrangement import PANES, TABS, is_too_small, is_wide
from brvtui.app.screens.asking import AskingScreen, settle_memory
from brvtui.app.screens.message import Entry, MessageScreen, entries_of
from brvtui.app.screens.why import why_screen
from brvtui.app.view import Phase, View, constants_of, selectable
from brvtui.app.widgets.answer import AnswerPane
from brvtui.app.widgets.body import Body
from brvtui.app.widgets.cache import CachePane, shown_cache
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.query_box import QueryBox
from brvtui.app.widgets.query_input import QueryInput
from brvtui.app.widgets.results import ResultsPane
from brvtui.app.widgets.retry import RetryPane
from brvtui.app.widgets.route import RoutePane
from brvtui.app.widgets.score import ScorePane
from brvtui.app.widgets.status_line import StatusLine
from brvtui.app.widgets.too_small import TooSmall
from brvtui.app.widgets.tree import TreePane
from brvtui.app.widgets.verdict import Verdict

if TYPE_CHECKING:
    from brvtui.app.app import Opening

PROFILES = ("brv-3", "docs", "combined")
_LETTERS = ("query", "why")


class QueryScreen(AskingScreen):
    """Holds the one :class:`View`; workers bring news, every pane is shown the new view."""

    BINDINGS: ClassVar[list[BindingType]] = keymap.QUERY_SCREEN
    AUTO_FOCUS = "#query"

    def __init__(self, opening: Opening) -> None:
        """A screen that will open what ``opening`` says once it is painted."""
        super().__init__(opening)
        self.view = View(frozen=opening.now_ms is not None)
        self._ticking: Timer | None = None
        self._text_asked: tuple[str, object] = ("", None)

    def compose(self) -> ComposeResult:
        """Status, query, body with all panes, keys."""
        width, height = self.app.size
        self.set_class(is_wide(width, height), "-wide")
        self.set_class(is_too_small(width, height), "-small")
        yield StatusLine(id="status")
        yield QueryBox(id="query-box")
        yield Body(
            Verdict(id="verdict"),
            RoutePane(id="route"),
            ResultsPane(id="results"),
            ScorePane(id="score"),
            AnswerPane(id="answer"),
            RetryPane(id="retry"),
            CachePane(id="cache"),
            TreePane(id="tree"),
            wide=is_wide(width, height),
            id="body",
        )
        yield KeyBar(id="keys")
        yield TooSmall(id="too-small")

    def on_mount(self) -> None:
        """The clock of the cache pane stands still until there is something to count down."""
        self._ticking = self.set_interval(1.0, self._tick, pause=True)

    @property
    def body(self) -> Body:
        """The panes' parent."""
        return self.query_one(Body)

    @property
    def field(self) -> QueryInput:
        """The query's text field."""
        return self.query_one(QueryInput)

    @property
    def results(self) -> ResultsPane:
        """The results."""
        return self.query_one(ResultsPane)

    # the view

    def show(self, **changes: object) -> None:
        """Changes the view and shows it in every pane."""
        self.view = replace(self.view, **changes)  # type: ignore[arg-type]  # names of View's own fields
        for part in self.query(Lines).results(Lines):
            part.update(self.view)
        self.query_one(QueryBox).border_title = self._mode()
        self._settle_tick()

    def _mode(self) -> Content:
        ran = self.view.trace is not None and self.view.trace.mode == "run"
        return Content("Query: run, the answer is cached" if ran else "Query: probe, enter runs and caches")

    def on_resize(self, event: events.Resize) -> None:
        """All panes at once, or tabs."""
        width, height = event.size
        self.set_class(is_too_small(width, height), "-small")
        wide = is_wide(width, height)
        self.set_class(wide, "-wide")
        if self.body.wide != wide:
            focused = self.focused.id if self.focused is not None else ""
            if focused in TABS:
                self.body.tab = focused or ""
            self.body.wide = wide
            self.body.settle()
        self._settle_tick()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The key bar shows the focused pane's keys."""
        self.query_one(KeyBar).show_keys()

    # asking

    def probe(self, run: bool = False) -> None:
        """Puts what is in the field to the engine, or shows the empty state when nothing is."""
        query = self.field.value
        if not query.strip():
            self.prober.forget()
            self.show(query="", trace=None, selected="", detail=None, note=None)
        elif self.session is not None and self.view.overview is not None:
            self.prober.ask(query, self.view.scope, run)

    @on(Input.Changed, "#query")
    def _typed(self) -> None:
        self.probe()

    @on(Input.Submitted, "#query")
    def _entered(self) -> None:
        self.probe(run=True)

    @on(news.Traced)
    def _traced(self, event: news.Traced) -> None:
        if event.history is not None:
            self.field.remember(event.history)
        if event.problem:
            self.notify(event.problem, severity="warning", markup=False)
        if not self.prober.finished(event.number, event.took_ms):
            return
        trace = event.trace
        if trace.query != self.view.query:
            self.query_one(AnswerPane).show_tab("answer")
        same = trace.query == self.view.query and trace.scope_option == self.view.scope
        files = selectable(trace)
        selected = self.view.selected if same and self.view.selected in files else next(iter(files), "")
        constants = {**self.view.constants, **constants_of(trace)}
        detail = event.detail if event.detail is not None and event.detail.path == selected else None
        self.show(query=trace.query, trace=trace, selected=selected, detail=detail, constants=constants, cache=None)
        if detail is None:
            self._explain()
        if trace.mode == "run" and self.session is not None:
            self.look_at_cache(self.session, trace.query)

    def _explain(self) -> None:
        hit = self.view.hit
        if self.session is None or self.view.trace is None:
            return
        if self.view.selected and (hit is None or hit.text is not None):
            self.fetch_detail(self.session, self.view.trace, self.view.selected)

    @on(news.Detailed)
    def _detailed(self, event: news.Detailed) -> None:
        if event.trace is self.view.trace and event.detail.path == self.view.selected:
            self.show(detail=event.detail, own=event.own)

    @on(news.Selected)
    def _selected(self, event: news.Selected) -> None:
        if event.file != self.view.selected:
            self.show(selected=event.file, detail=None)
            self._explain()

    # the project

    @on(news.Opened)
    def _opened(self, event: news.Opened) -> None:
        self.session = event.session
        self.show(profile=event.session.profile.name, frozen=event.session.frozen)

    @on(news.Progressed)
    def _progressed(self, event: news.Progressed) -> None:
        if self.view.phase is Phase.LOADING:
            self.show(done=event.done, total=event.total)

    @on(news.Loaded)
    def _loaded(self, event: news.Loaded) -> None:
        first = self.view.overview is None
        self.show(phase=Phase.READY, problem="", overview=event.overview, note=None)
        if first:
            settle_memory()
            self.field.remember(event.history)
            for notice in event.overview.notices:
                self.notify(notice, timeout=8, markup=False)
        self.probe()

    @on(news.Failed)
    def _failed(self, event: news.Failed) -> None:
        if self.view.overview is None:
            settle_memory()
            self.show(phase=Phase.FAILED, problem=event.what)
        else:
            self.notify(event.what, severity="error", timeout=10, markup=False)

    @on(news.WatchBegun)
    def _watching(self, event: news.WatchBegun) -> None:
        self.show(watching=event.active, watch_why=event.why)

    @on(news.Changed)
    def _changed(self) -> None:
        if self.session is not None:
            self.follow(self.session)

    @on(news.ScopeChosen)
    def _scoped(self, event: news.ScopeChosen) -> None:
        self.show(scope=event.folder)
        self.probe()

    @on(news.NoteWanted)
    def _note_wanted(self, event: news.NoteWanted) -> None:
        self.show(selected=event.file, detail=None)
        self._explain()
        self.query_one(AnswerPane).show_tab("note")
        self.action_pane("answer")

    @on(news.TextWanted)
    def _text_wanted(self, event: news.TextWanted) -> None:
        wanted = (event.file, self.view.overview)
        if self.session is not None and wanted != self._text_asked:
            self._text_asked = wanted
            self.fetch_note(self.session, event.file)

    @on(news.NoteRead)
    def _note_read(self, event: news.NoteRead) -> None:
        self._text_asked = ("", None)
        self.show(note=event.note)

    # the cache's clock

    def _settle_tick(self) -> None:
        if self._ticking is None:
            return
        pane = self.query_one(CachePane)
        cache = shown_cache(self.view)
        entries = cache.look.entries if cache else ()
        shown = pane.display and not self.has_class("-small")
        if entries and shown and not self.view.frozen:
            self._ticking.resume()
        else:
            self._ticking.pause()

    def _tick(self) -> None:
        if self.session is not None and self.view.overview is not None and self.view.trace is not None:
            self.look_at_cache(self.session, self.view.trace.query)

    @on(news.CacheSeen)
    def _cache_seen(self, event: news.CacheSeen) -> None:
        trace = self.view.trace
        if trace is None or trace.query != event.query:
            return
        before, now = trace.cache, event.shown.look
        self.view = replace(self.view, cache=event.shown)
        self.query_one(CachePane).update(self.view)
        self._settle_tick()
        if (before.exact, before.fuzzy) != (now.exact, now.fuzzy) and trace.mode == "probe":
            self.probe()

    # actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters that move the focus are text while a field has it."""
        return not (action in _LETTERS and isinstance(self.focused, Input))

    def action_run(self) -> None:
        """Runs the query."""
        self.probe(run=True)

    def action_query(self) -> None:
        """Back to the query."""
        self.set_focus(self.field, scroll_visible=False)

    def action_back(self) -> None:
        """Out of a maximised pane, else to the results."""
        if self.body.maximised:
            self.action_maximise()
        else:
            self.action_pane("results")

    def action_pane(self, pane: str) -> None:
        """Shows and focuses a pane."""
        self.body.bring(pane)
        self.set_focus(self.query_one(f"#{pane}", Pane), scroll_visible=False)  # at once: the next key is for it
        self._settle_tick()

    def action_cycle(self, step: int) -> None:
        """The next pane in the order of focus; the query comes first."""
        order = ("query", *PANES)
        current = self.focused.id if self.focused is not None and self.focused.id in order else order[-1]
        wanted = order[(order.index(current or "") + step) % len(order)]
        if wanted == "query":
            self.action_query()
        else:
            self.action_pane(wanted)

    def action_select(self, step: int) -> None:
        """The next or previous result, wherever the focus is."""
        self.results.move_to(self.results.cursor + step)

    def action_why(self) -> None:
        """Why the selected note is, or is not, in the answer, in a modal."""
        file = self.view.selected
        if isinstance(self.focused, TreePane) and self.focused.note:
            file = self.focused.note
        if self.session is None or self.view.trace is None or not file:
            self.notify("type a query and select a note: w then says why it is, or is not, in the answer", timeout=4)
        else:
            self.fetch_explanation(self.session, self.view.trace, file)

    @on(news.Explained)
    def _explained(self, event: news.Explained) -> None:
        if event.trace is self.view.trace:
            self.app.push_screen(why_screen(event.explanation))

    def action_maximise(self) -> None:
        """Gives the focused pane the whole body, or back."""
        focused = self.focused
        if self.body.maximised:
            self.body.maximised = ""
        elif isinstance(focused, Pane) and focused.id:
            self.body.maximised = focused.id
        self.body.settle()
        self._settle_tick()

    def action_profile(self) -> None:
        """Switches to the next built-in profile."""
        session = self.session
        if session is None or self.view.overview is None:
            return
        current = session.profile.name
        following = PROFILES[(PROFILES.index(current) + 1) % len(PROFILES)] if current in PROFILES else PROFILES[0]
        self.switch_profile(session, following)

    @on(news.ProfileSwitched)
    def _switched(self, event: news.ProfileSwitched) -> None:
        self.show(profile=event.name, constants={})
        self.notify(f"profile {event.name}: {event.summary}", timeout=4, markup=False)
        self.probe()

    def action_record(self) -> None:
        """Turns recording of access hits on or off."""
        if self.session is not None:
            self.session.recording = not self.session.recording
            self.show(recording=self.session.recording)
            on_text = "runs now record access hits in brv-tui's own overlay (the engine's files stay untouched)"
            self.notify(on_text if self.view.recording else "access hits are no longer recorded", markup=False)

    def action_clear_cache(self) -> None:
        """Empties the simulated cache."""
        if self.session is not None:
            self.session.clear_cache()
            self.notify("the simulated cache is empty", timeout=2, markup=False)
            self.probe()

    def action_help(self) -> None:
        """Help for the focused pane."""
        pane = self.focused
        if isinstance(pane, (Pane, QueryInput)):
            own = entries_of([item for item in pane.BINDINGS if isinstance(item, Binding)])
            title = pane.TITLE if isinstance(pane, Pane) else "Query"
            self.app.push_screen(MessageScreen(f"{title} · help", pane.HELP_TEXT, [("", "Keys"), *own]))

    def action_keys(self) -> None:
        """All keys."""
        self.app.push_screen(MessageScreen("All keys", "", all_keys(self)))


def all_keys(screen: Screen[None]) -> list[Entry]:
    """Every key of screen, app and panes, from their bindings."""
    groups = [("Everywhere", [*screen.BINDINGS, *screen.app.BINDINGS])]
    groups.append(("Query", list(QueryInput.BINDINGS)))
    groups.append(("In every pane", list(Pane.BINDINGS)))
    panes = (ResultsPane, AnswerPane, TreePane)
    groups += [(kind.TITLE, list(kind.BINDINGS)) for kind in panes]
    made: list[Entry] = []
    for name, bindings in groups:
        made.append(("", name))
        made += entries_of([binding for binding in bindings if isinstance(binding, Binding)])
        made.append(("", ""))
    return made
