"""The Fleet screen: one question to many memories, the results, and the members."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input

from brvtui.app.actions.panes import FLEET_FIELD
from brvtui.app.actions.screens import FLEET_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.fleet.headline import FleetHeadline
from brvtui.app.fleet.members_pane import FleetMembersPane
from brvtui.app.fleet.results import BY_ITS_ENGINE, BY_ITSELF, FleetResultsPane
from brvtui.app.fleet.score_pane import FleetScorePane
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import FleetState
from brvtui.app.styles import sheet
from brvtui.app.text_entry import caught_up
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.paint.line import Line, line

if TYPE_CHECKING:
    from brvtui.app.fleet.fleet_queries import FleetQueries
    from brvtui.app.project.layouts import Layouts

_ROOMY = 26
_NO_RESULT = "no result is selected: select one, or run a query first"
_NO_WHY = "Enter opens the result in its own memory; there, {results.why} explains why it is or is not in the answer"
_NO_TRACE = "each result has a trace in its own memory: Enter opens it"
_ANSWER = "the fleet's answer: brv-tui fleet query … --format json"
_GIT_WHY = (
    "{} is read from git; to see why one of its notes is or is not in the answer, run brv-tui fleet explain QUERY NOTE "
    "--member {} with --fleet FILE or --over PLACE"
)
_GIT_TRACE = "its trace: brv-tui fleet query … --member {} --trace --format json"


_FLEET_HEAD = 3


def _wide_fleet(width: int, height: int) -> Split:
    height -= _FLEET_HEAD
    right = max(46, width * 42 // 100)
    members = max(8, height * 45 // 100)
    beside = Split("fleet score", False, ("score", "members"), (height - members, members))
    return Split("fleet results", True, ("results", beside), (width - right, right))


_FLEET_PANES = ("results", "score", "members")
FLEET = Arrangement(
    panes=_FLEET_PANES, beside="", tabs=_FLEET_PANES, wide=_wide_fleet, head="fleet-headline", head_rows=_FLEET_HEAD
)


class FleetInput(OrderedInput):
    """The one-line field for the question."""

    TITLE = "Question"
    HELP_TEXT = (
        "Type a question here to query all members of the fleet. The query runs when you pause; typing more or "
        "pressing Esc stops it. Press Enter to run it at once and go to the results. Press {fleet.again} to run it "
        "again, with the current fleet and files."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FLEET_FIELD)

    def __init__(self, *, id: str) -> None:
        super().__init__(placeholder="Ask all memories", select_on_focus=False, compact=True, id=id)
        self.cursor_blink = False


class FleetPrompt(Lines):
    """The prompt symbol before the field."""

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the prompt symbol."""
        return [line(f" {self.glyphs.prompt} ", "bold accent")]


class FleetBadge(Lines):
    """The mode: one ranking, or each member by itself."""

    READS = (FleetState,)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one right-aligned line with the mode."""
        state = view.fleet
        if state.fleet is None:
            return [Line()]
        each = BY_ITS_ENGINE if width > _ROOMY else BY_ITSELF
        way, role = ("one ranking", "bold badge-text on accent") if state.together else (each, "bold accent")
        return [Line().right(width, line(f" {way.upper()} ", role))]


class FleetBox(Horizontal):
    """The symbol, the field and the badge in one row, in a frame if there is enough space."""

    def compose(self) -> ComposeResult:
        """Yields the symbol, the field and the badge."""
        yield FleetPrompt(id="fleet-prompt")
        yield FleetInput(id="fleet-query")
        yield FleetBadge(id="fleet-badge")


class FleetScreen(FrameScreen):
    """The question's field at the top; below it the headline, the results, their scores and the members."""

    TITLE = "Fleet"
    PLAN = FLEET
    CSS_PATH = sheet("fleet")
    STOPS = ("fleet-query",)
    BINDINGS: ClassVar[list[BindingType]] = bindings(FLEET_SCREEN)
    AUTO_FOCUS = "#fleet-query"

    def __init__(self, layouts: Layouts, queries: FleetQueries, copy: Callable[[str, str], None]) -> None:
        """Creates the screen; ``copy`` copies a text, and its second argument is the text's name in messages."""
        super().__init__(layouts)
        self._queries = queries
        self._copy = copy

    def make_head(self) -> ComposeResult:
        """Yields the question's field."""
        yield FleetBox(id="fleet-box")

    def make_panes(self) -> ComposeResult:
        """Yields the headline and the panes."""
        yield FleetHeadline(id="fleet-headline")
        yield FleetResultsPane(id="results")
        yield FleetScorePane(id="score")
        yield FleetMembersPane(id="members")

    @property
    def field(self) -> FleetInput:
        """The question's text field."""
        return self.query_one(FleetInput)

    def on_mount(self) -> None:
        """Restores an earlier question in the field."""
        self.query_one(FleetBox).border_title = Content("Fleet: one question for all memories")
        if self._queries.typed:
            self.field.value = self._queries.typed
            self.field.cursor_position = len(self._queries.typed)

    def on_screen_resume(self) -> None:
        """Opens the members the first time, or continues a stopped question."""
        super().on_screen_resume()
        self._queries.resume()

    @on(Input.Changed, "#fleet-query")
    def _typed(self) -> None:
        self._queries.type(self.field.value)
        self.show_keys()

    @on(FleetResultsPane.ResultSelected)
    def _select(self, event: FleetResultsPane.ResultSelected) -> None:
        self._queries.select(event.member, event.file)

    @on(FleetResultsPane.ResultWanted)
    async def _open_result(self, event: FleetResultsPane.ResultWanted) -> None:
        await self._queries.open(event.member, event.file)

    @on(FleetMembersPane.MemberSelected)
    def _select_member(self, event: FleetMembersPane.MemberSelected) -> None:
        self._queries.select(event.name)

    @on(FleetMembersPane.MemberWanted)
    async def _open_member(self, event: FleetMembersPane.MemberWanted) -> None:
        await self._queries.open(event.name)

    # the targets of keys

    @property
    def note_at_hand(self) -> str:
        """The selected note if it belongs to the open memory, where keys can change it; otherwise empty."""
        member, file = self.view.fleet_result
        return file if member == self.view.fleet.opened else ""

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, including asking an empty question and opening a member without a folder."""
        chosen = {
            "fleet_members.open": self.query_one(FleetMembersPane).chosen,
            "fleet_results.open": self.query_one(FleetResultsPane).member,
        }
        idle = super().idle | {action for action, member in chosen.items() if self._queries.why_not_open(member)}
        return idle if self.field.value.strip() else idle | {"fleet.ask"}

    @property
    def leads_back(self) -> bool:
        """True while members are being queried, since Esc stops the query, and whenever it is on other screens."""
        return super().leads_back or self.view.fleet.is_busy

    def shares_itself(self, what: str) -> bool:
        """Copies the path of the result with its member, or shows the command that exports the fleet's answer."""
        member, file = self.view.fleet_result
        if not file and (what == "path" or not self.view.fleet.text):
            self.notify(_NO_RESULT, timeout=4)
        elif what == "path":
            path = f"[{member}]:{file}"
            self._copy(path, f"the path {path}")
        else:
            merged = " --merge one" if self.view.fleet.together else ""
            trace = _GIT_TRACE.format(shlex.quote(member)) if self._queries.is_from_git(member) else _NO_TRACE
            self.notify(f"{trace}; {_ANSWER}{merged}", timeout=8)
        return True

    def explains_itself(self) -> bool:
        """Shows where the result can be explained: in its own memory, or with a command."""
        member, file = self.view.fleet_result
        message = self.services.with_keys(_NO_WHY if file else _NO_RESULT)
        if file and self._queries.is_from_git(member):
            message = _GIT_WHY.format(member, shlex.quote(member))
        self.notify(message, timeout=8)
        return True

    # actions

    async def action_back(self) -> None:
        """Cancels the query, or else leaves the filter or the maximised pane, or returns to the results."""
        if not self._queries.stop():
            await super().action_back()

    def action_field(self) -> None:
        """Moves the focus to the question's field and selects its text, so that typing replaces it."""
        self.set_focus(self.field, scroll_visible=False)
        self.field.action_select_all()

    async def action_ask(self) -> None:
        """Sends the typed question immediately, and moves to the results."""
        await caught_up(self.field)
        self._queries.type(self.field.value)
        self._queries.ask()
        if self.field.value.strip():
            self.action_pane("results")

    def action_merge(self) -> None:
        """Switches between one ranking and each member's own answer."""
        self._queries.switch()

    def action_again(self) -> None:
        """Repeats the question with the current fleet and files."""
        self._queries.ask(again=True)
