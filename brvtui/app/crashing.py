"""An app that ends well: after a crash with a report and one line, after a signal with the terminal restored."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from rich.text import Text
from textual.app import App

from brvtui import faults
from brvtui.app.ending import MOST_S, TimeLeft
from brvtui.text.visible import visible

FAILED = 4
"""The exit code of an app that broke."""
_BY_SIGNAL = 128
"""Plus the number of the signal: the exit code of an app that a signal ended, as shells count it."""
_WITHOUT_TERMINAL_S = MOST_S + 0.2
"""After so long it ends anyway if its terminal is gone, where writing waits for ever: who starts it again at once is to
be told of the text that was not saved."""
_HANGING_S = 3.0
"""After so long it ends anyway on SIGHUP if its terminal seems to be there."""


class ReportingApp(App[None]):
    """On an unexpected exception, writes a crash report without variables and exits with one line and a code."""

    def __init__(self, ansi_color: bool | None = None) -> None:
        """An app that is not ending; ``ansi_color`` is Textual's."""
        super().__init__(ansi_color=ansi_color)
        self.time_left = TimeLeft()
        """For what is waited for when the app ends."""

    def error_line(self, error: BaseException | None, doing: str) -> str:
        """Returns one line on an ``error`` raised while ``doing`` something; writes a report unless an OSError."""
        if isinstance(error, OSError):
            return faults.error_line(error)
        from brvtui.store.crash_report import Circumstances, write_crash_report

        size = (self.size.width, self.size.height)
        return write_crash_report(error or RuntimeError(doing), Circumstances(doing, self.current_mode, size))

    def report_thread_errors(self) -> None:
        """Notifies of errors of threads, as of those of workers, instead of printing them over the screen."""

        def notify(thrown: threading.ExceptHookArgs) -> None:
            name = thrown.thread.name if thrown.thread is not None else "a thread"
            what = self.error_line(thrown.exc_value, f"the thread {name}")
            self.call_later(lambda: self.notify(what, severity="error", timeout=10))

        threading.excepthook = notify

    def end_on_signals(self, keep: Callable[[], Awaitable[object]]) -> None:
        """Ends the app on SIGTERM, SIGHUP, SIGQUIT and SIGINT, after ``keep`` wrote what is unsaved."""
        if sys.platform == "win32":
            return
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()

        async def end(number: int) -> None:
            try:
                with suppress(TimeoutError):
                    await asyncio.wait_for(keep(), self.time_left.seconds)
            finally:
                self.exit(return_code=_BY_SIGNAL + number)

        def begin(number: int) -> None:
            if number == signal.SIGHUP:
                seconds = _HANGING_S if os.isatty(0) else _WITHOUT_TERMINAL_S
                timer = threading.Timer(seconds, os._exit, (_BY_SIGNAL + number,))
                timer.daemon = True
                timer.start()
            if not tasks:
                tasks.add(asyncio.create_task(end(number)))

        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
            loop.add_signal_handler(number, begin, number)
        if hasattr(self._driver, "_must_signal_resume"):  # the driver of a terminal
            loop.add_signal_handler(signal.SIGCONT, self._continue)
            terminal = select.poll()
            terminal.register(sys.__stdin__ or 0, select.POLLHUP)

            def check_terminal() -> None:
                if terminal.poll(0):
                    checks.stop()
                    begin(signal.SIGHUP)

            # A terminal that goes away sends SIGHUP only to the processes of its own session.
            checks = self.set_interval(1.0, check_terminal)

    def _continue(self) -> None:
        """Takes the terminal again after SIGCONT.

        Textual expects to have left it by Ctrl+Z. After SIGSTOP it has not: it would start its threads twice, and take
        its own modes of the terminal for those to restore at the end.
        """
        driver = self._driver
        if driver is None or not driver._auto_restart:
            return
        if not getattr(driver, "_must_signal_resume", False):
            driver.suspend_application_mode()
        driver.resume_application_mode()
        self.refresh(layout=True)

    def _handle_exception(self, error: Exception) -> None:
        """Textual calls this, and nothing public, with what nobody caught."""
        super()._handle_exception(error)
        self._return_code = FAILED

    def _fatal_error(self) -> None:
        """Ends the app with one line, where Textual shows the values of variables, which may be text of notes."""
        self.panic(Text(visible(f"brv-tui: {self.error_line(self._exception, 'showing the app')}")))
