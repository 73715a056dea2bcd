"""The Health screen: what weakens the memory, and what can be done; its terms, and how engines cut text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import HEALTH_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.health.checks import HealthChecks
from brvtui.app.health.findings_pane import FindingPane, FindingsPane, notes_of
from brvtui.app.health.terms_pane import TermsPane
from brvtui.app.health.tokens_pane import TokensPane
from brvtui.app.health.words import Words, WordsWanted
from brvtui.app.keys.bindings import bindings
from brvtui.app.project.layouts import Layouts
from brvtui.app.screens.frame import FrameScreen, QueryAtHand
from brvtui.app.states import HealthState, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.pane import Pane
from brvtui.lab.health.finding import Confidence, Finding
from brvtui.paint.line import Line, badge, line
from brvtui.report.health import summary

_PANES = ("findings", "finding", "terms", "tokens")


def _wide(width: int, height: int) -> Split:
    right = max(44, width * 40 // 100)
    return Split("health", True, ("findings", "finding"), (width - right, right))


def _alone(pane: str) -> Arrangement:
    return HEALTH._replace(
        beside="", tabs=(pane,), wide=lambda width, _: Split(pane, True, (pane,), (width,)), is_stacked=False
    )


HEALTH = Arrangement(
    panes=_PANES, beside="findings", tabs=("finding",), wide=_wide, head="health-head", head_rows=2,
    beside_share=0.5, is_stacked=True,
)  # fmt: skip
_PLANS = {"findings": HEALTH, "finding": HEALTH, "terms": _alone("terms"), "tokens": _alone("tokens")}
_TABS = {"findings": "Findings", "terms": "Terms", "tokens": "Tokens"}


class HealthHead(Lines):
    """The tabs, and a sentence about the health of the memory or the progress of the check."""

    READS = (HealthState, ProjectState)
    ALLOW_SELECT = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.tab = "findings"
        self._edges: list[tuple[int, str]] = []

    def put(self, tab: str) -> None:
        """Highlights ``tab``."""
        self.tab = tab
        self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the highlighted tab."""
        return (self.tab,)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the line of tabs and the sentence."""
        tabs = Line()
        self._edges = []
        for name, title in _TABS.items():
            front = name == self.tab
            key = self.services.shown_key(f"health.{name}")
            tabs.add(f" {key} {f'[{title}]' if front else f' {title} '} ", "bold accent" if front else "muted")
            self._edges.append((tabs.width, name))
        return [tabs.cut(width), self._sentence(view).cut(width)]

    def _sentence(self, view: View) -> Line:
        health = view.health
        if health.total:
            return badge("CHECKING", "accent").add(f"  step {health.done} of {health.total}", "muted")
        if health.report is None:
            return line()
        sure = sum(one.confidence is Confidence.HIGH for one in health.report.findings)
        return line(f" {sure} almost certain of {summary(health.report, view.kind.noun)}", "text")

    async def on_click(self, event: events.Click) -> None:
        """Shows the clicked tab."""
        name = next((name for edge, name in self._edges if event.x < edge), "") if event.y == 0 else ""
        if name:
            await self.app.run_action(f"screen.pane('{name}')")


class HealthScreen(FrameScreen):
    """The findings with the details of the selected one; Terms and Tokens are further tabs."""

    TITLE = "Health"
    PLAN = HEALTH
    BINDINGS: ClassVar[list[BindingType]] = bindings(HEALTH_SCREEN)
    AUTO_FOCUS = "#findings"

    def __init__(
        self,
        layouts: Layouts,
        checks: HealthChecks,
        words: Words,
        archive: Callable[[Sequence[str]], None],
        replace: Callable[[Sequence[tuple[str, str]], bool], None],
        retitle: Callable[[str], None],
    ) -> None:
        """Creates the screen; the functions archive notes, merge or supersede pairs of notes, and retitle a note."""
        super().__init__(layouts)
        self._checks = checks
        self._words = words
        self._archive = archive
        self._replace = replace
        self._retitle = retitle

    def make_panes(self) -> ComposeResult:
        """Yields the head and the panes of all tabs."""
        yield HealthHead(id="health-head")
        yield FindingsPane(id="findings")
        yield FindingPane(id="finding")
        yield TermsPane(id="terms")
        yield TokensPane(id="tokens")

    @property
    def findings(self) -> FindingsPane:
        """The list of findings."""
        return self.query_one(FindingsPane)

    def show(self, view: View) -> None:
        """Shows ``view``, and checks the memory again if it has changed."""
        super().show(view)
        if self.is_current:
            self._checks.follow()

    def on_screen_resume(self) -> None:
        """Checks the memory if it has changed since the screen was in front."""
        super().on_screen_resume()
        self._checks.follow()

    def action_pane(self, pane: str) -> None:
        """Shows the tab of ``pane`` and focuses the pane."""
        self.body.follow(_PLANS[pane])
        self.query_one(HealthHead).put(pane if pane in _TABS else "findings")
        super().action_pane(pane)

    @property
    def note_at_hand(self) -> str:
        """The first note of the selected finding, unless another tab is in front."""
        return self.findings.note if self.stop in ("findings", "finding") else super().note_at_hand

    @property
    def query_at_hand(self) -> QueryAtHand:
        """The query of the selected gap; otherwise the open query."""
        row = self.findings.row
        is_gap = isinstance(row, Finding) and not row.notes and bool(row.queries)
        return QueryAtHand(row.queries[0], "", False) if isinstance(row, Finding) and is_gap else super().query_at_hand

    @property
    def idle(self) -> frozenset[str]:
        """The actions without effect: after a check, there is nothing to stop or to repeat."""
        health = self.view.health
        is_over = not (health.total or health.stopped or health.problem)
        return super().idle | ({"health.stop"} if is_over else frozenset())

    @property
    def renamed(self) -> Mapping[str, str]:
        """The label of the key that stops a check, and begins another one after it was stopped."""
        return super().renamed if self.view.health.total else {**super().renamed, "health.stop": "check again"}

    def archives_itself(self) -> bool:
        """Archives the notes of the marked findings; returns False if none is marked."""
        paths = [path for row in self.findings.acted_on for path in notes_of(row)[:1]]
        if not self.findings.marked or not paths:
            return False
        self._archive(list(dict.fromkeys(paths)))
        return True

    @on(WordsWanted)
    def _find_words(self, event: WordsWanted) -> None:
        self._words.want(event)

    @on(FindingsPane.Moved)
    def _show_finding(self) -> None:
        self.query_one(FindingPane).put(self.findings.row)

    @on(FindingPane.OriginsWanted)
    def _look_up(self, event: FindingPane.OriginsWanted) -> None:
        self._checks.look_up(event.paths)

    @on(FindingsPane.IgnoreWanted)
    def _ignore(self, event: FindingsPane.IgnoreWanted) -> None:
        self._checks.ignore(event.findings)

    @on(Pane.NoteWanted)
    async def _open(self, event: Pane.NoteWanted) -> None:
        if event.file:
            self.services.select(event.file)
            await self.services.switch_mode("notes")
        elif self.findings.row is not None:
            await self.app.run_action("app.new_note")

    def action_replace(self, is_merge: bool) -> None:
        """Merges the notes of each finding that is marked or selected, or supersedes the first by the second."""
        pairs = [notes_of(row)[:2] for row in self.findings.acted_on if len(notes_of(row)) > 1]
        if pairs:
            self._replace([(old, new) for old, new in pairs], is_merge)

    def action_retitle(self) -> None:
        """Gives the first note of the selected finding another title."""
        if self.findings.note:
            self._retitle(self.findings.note)

    def action_stop(self) -> None:
        """Stops checking, or checks again."""
        self._checks.stop()
