"""The Log screen: what was asked, by whom, and whether it would still be answered the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import LOG_SCREEN
from brvtui.app.arrangement import LOG
from brvtui.app.keys.bindings import bindings
from brvtui.app.log.log_entry import LogEntryPane
from brvtui.app.log.log_pane import LogPane
from brvtui.app.log.log_summary import LogSummaryPane
from brvtui.app.log.logs import Logs, answering_note
from brvtui.app.project.layouts import Layouts
from brvtui.app.screens.frame import FrameScreen, QueryAtHand
from brvtui.app.view import View


class LogScreen(FrameScreen):
    """The entries, the chosen one then and now, and counts over all."""

    TITLE = "Log"
    PLAN = LOG
    BINDINGS: ClassVar[list[BindingType]] = bindings(LOG_SCREEN)
    AUTO_FOCUS = "#log"

    def __init__(self, layouts: Layouts, logs: Logs, keep_answer: Callable[[str, str], None]) -> None:
        """Shows what ``logs`` reads; ``keep_answer`` judges a query in a scope by its answer now."""
        super().__init__(layouts)
        self._logs = logs
        self._keep_answer = keep_answer
        self._asked: tuple[object, ...] = ()
        """What the last comparison depends on; empty when none is shown."""

    def make_panes(self) -> ComposeResult:
        """Yields log, entry and summary."""
        yield LogPane(id="log")
        yield LogEntryPane(id="entry")
        yield LogSummaryPane(id="summary")

    def show(self, view: View) -> None:
        """Shows the logs, and the chosen entry beside them at once."""
        super().show(view)
        self._compare_chosen()

    @on(LogPane.EntryChosen)
    def _compare_chosen(self) -> None:
        """Asks the entry under the cursor again, unless it was the last that was asked, in the same way."""
        log, view = self.query_one(LogPane), self.view
        asked = (log.chosen, view.project.generation, view.edits.earlier, view.engine.name, view.engine.profile)
        if log.entry is not None and asked != self._asked and self._logs.compare(log.entry):
            self._asked = asked
        elif log.entry is None and self._asked:
            self._asked = ()
            self._logs.compare_none()

    @on(LogPane.AskAgain)
    def _ask_again(self, event: LogPane.AskAgain) -> None:
        self.app.run_worker(self._logs.ask_again(event.entry), exclusive=True, group="ask again")

    def on_screen_resume(self) -> None:
        """Reads the logs again: they may have grown."""
        self._logs.read()

    def action_judge(self) -> None:
        """Judges the query under the cursor by its answer now."""
        entry = self.query_one(LogPane).entry
        if entry is not None and entry.query.strip():
            self._keep_answer(entry.query.strip(), entry.scope)

    @property
    def note_at_hand(self) -> str:
        """The first note that answered the chosen query and is still there; empty without one."""
        return answering_note(self.view, self.query_one(LogPane).entry)

    @property
    def idle(self) -> frozenset[str]:
        """Also explaining a note, where none answered the chosen query."""
        return super().idle if self.note_at_hand else super().idle | {"log.why"}

    @property
    def query_at_hand(self) -> QueryAtHand:
        """The chosen query, covered or not as it is now."""
        entry, compared = self.query_one(LogPane).entry, self.view.log.compared
        if entry is None:
            return QueryAtHand("", "", True)
        is_covered = compared is None or compared.entry != entry or compared.is_covered
        return QueryAtHand(entry.query.strip(), entry.scope, is_covered)

    def explains_itself(self) -> bool:
        """Says why the note at hand is, or is not, in the answer that the chosen query gets now."""
        self._logs.explain(self.query_one(LogPane).entry)
        return True

    def action_follow(self) -> None:
        """Follows the engine, or stops."""
        self._logs.follow_engine()
