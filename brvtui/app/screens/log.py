"""The Log screen: what was asked, by whom, and whether it would still be answered the same."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import LOG_SCREEN
from brvtui.app.arrangement import LOG
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.view import View
from brvtui.app.widgets.log import LogPane
from brvtui.app.widgets.log_entry import LogEntryPane
from brvtui.app.widgets.log_summary import LogSummaryPane


class LogScreen(FrameScreen):
    """The entries, the chosen one then and now, and what they say as a whole."""

    TITLE = "Log"
    PLAN = LOG
    BINDINGS: ClassVar[list[BindingType]] = bindings(LOG_SCREEN)
    AUTO_FOCUS = "#log"

    def make_panes(self) -> ComposeResult:
        """Log, entry, summary."""
        yield LogPane(id="log")
        yield LogEntryPane(id="entry")
        yield LogSummaryPane(id="summary")

    def show(self, view: View) -> None:
        """Shows the logs, and the chosen entry beside them at once."""
        super().show(view)
        for log in self.query(LogPane):
            log.compare_chosen()

    def on_screen_resume(self) -> None:
        """The logs may have grown meanwhile."""
        self.brv.logs.read()
