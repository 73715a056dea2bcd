"""An app that says in one line what broke, and leaves a report of it."""

from __future__ import annotations

import threading

from rich.text import Text
from textual.app import App

from brvtui import faults
from brvtui.text.visible import visible

FAILED = 4
"""The exit code of an app that broke."""


class ReportingApp(App[None]):
    """Ends, when something breaks that nobody expected, with a report, a line and an exit code; shows no variables."""

    def told_of(self, error: BaseException | None, doing: str) -> str:
        """One line on an ``error`` that came up while ``doing`` something; a report when it is not the system's."""
        if isinstance(error, OSError):
            return faults.error_line(error)
        from brvtui.store.crash_report import Circumstances, write_crash_report

        size = (self.size.width, self.size.height)
        return write_crash_report(error or RuntimeError(doing), Circumstances(doing, self.current_mode, size))

    def hear_of_threads(self) -> None:
        """Has errors of threads told like those of workers, instead of printed over the screen."""

        def hear(thrown: threading.ExceptHookArgs) -> None:
            name = thrown.thread.name if thrown.thread is not None else "a thread"
            what = self.told_of(thrown.exc_value, f"the thread {name}")
            self.call_later(lambda: self.notify(what, severity="error", timeout=10))

        threading.excepthook = hear

    def _handle_exception(self, error: Exception) -> None:
        """Textual calls this, and nothing public, with what nobody caught."""
        super()._handle_exception(error)
        self._return_code = FAILED

    def _fatal_error(self) -> None:
        """Ends the app with one line, where Textual shows the values of variables, which may be text of notes."""
        self.panic(Text(visible(f"brv-tui: {self.told_of(self._exception, 'showing the app')}")))
