"""The Health screen: the memory's defects and their remedies, its terms, and the tokens of each engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import HEALTH_SCREEN
from brvtui.app.arrangement import Arrangement
from brvtui.app.health.checks import HealthChecks, SessionRequest
from brvtui.app.health.findings_pane import FindingPane, FindingsPane
from brvtui.app.health.terms_pane import TermsPane
from brvtui.app.health.tokens_pane import TokensPane
from brvtui.app.keys.bindings import bindings
from brvtui.app.project.layouts import Layouts
from brvtui.app.screens.frame import FrameScreen, QueryAtHand
from brvtui.app.view import View
from brvtui.app.widgets.pane import Pane
from brvtui.lab.health.finding import Finding

HEALTH = Arrangement(
    ("findings", "finding", "terms", "tokens"), "findings", ("finding", "terms", "tokens"),
    beside_share=0.5, is_stacked=True,
)  # fmt: skip


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
        replace: Callable[[Sequence[tuple[str, ...]], bool], None],
    ) -> None:
        """Creates the screen; ``replace`` merges or supersedes pairs of notes."""
        super().__init__(layouts)
        self._checks, self._replace = checks, replace

    def make_panes(self) -> ComposeResult:
        """Yields the list of findings, and the tabs below it."""
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

    @property
    def note_at_hand(self) -> str:
        """The first note of the selected finding, unless another tab is in front."""
        return self.findings.note if self.stop in ("findings", "finding") else super().note_at_hand

    @property
    def query_at_hand(self) -> QueryAtHand:
        """The query of the selected gap; otherwise the open query."""
        row = self.findings.row
        if isinstance(row, Finding) and not row.notes:
            return QueryAtHand(row.queries[0], "", False)
        return super().query_at_hand

    @property
    def marked_notes(self) -> list[str]:
        """The first notes of the marked findings."""
        rows = self.findings.acted_on if self.findings.marked else []
        return [*dict.fromkeys(path for row in rows for path in row.notes[:1])]

    @on(SessionRequest)
    def _run(self, event: SessionRequest) -> None:
        self._checks.run(event)

    @on(FindingsPane.Moved)
    def _show_finding(self) -> None:
        self.query_one(FindingPane).put(self.findings.row)

    @on(Pane.NoteWanted)
    async def _open(self, event: Pane.NoteWanted) -> None:
        if event.file:
            self.services.select(event.file)
            await self.services.switch_mode("notes")
        elif self.findings.row is not None:
            await self.app.run_action("app.new_note")

    def action_replace(self, is_merge: bool) -> None:
        """Merges the notes of each marked or selected finding, or archives the first as superseded by the second."""
        self._replace([row.notes[:2] for row in self.findings.acted_on if len(row.notes) > 1], is_merge)

    def undo_own(self) -> bool:
        """Lists the last ignored findings again; the cursor will be on the finding that is restored."""
        self.findings.expect_undo()
        return self._checks.take_back()

    def action_ignore(self) -> None:
        """Ignores the marked findings, or else the selected one; lists ignored ones again."""
        rows = [row for row in self.findings.acted_on if isinstance(row, Finding)]
        self.findings.leave(rows)
        self._checks.ignore(rows)
