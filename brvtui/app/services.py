"""The base class of the app, with the services for widgets, screens and controllers. Imports none of these."""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import App
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.notifications import Notification, SeverityLevel
from textual.widget import MountError
from textual.worker import WorkerFailed

from brvtui import faults
from brvtui.app.actions.action import Need
from brvtui.app.ending import MOST_S, TimeLeft
from brvtui.app.keys.bindings import Call, key_name, letter_actions
from brvtui.app.text_entry import types_text
from brvtui.app.view import ViewStore, needing
from brvtui.app.workers import Workers
from brvtui.paint.glyphs import UNICODE, Glyphs, in_letters
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.app.contents import Overview
    from brvtui.app.themes.library import Library
    from brvtui.app.themes.palette import Palette
    from brvtui.config import Configuration
    from brvtui.config.schema import Value
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session

FAILED = 4
"""The exit code after a crash."""
_BY_SIGNAL = 128
"""The exit code after a signal is this number plus the signal's number, as in shells."""
_WITHOUT_TERMINAL_S = MOST_S + 0.2
"""The seconds until a forced end if the terminal is gone, since writing to it would block.

The time is short, so that an app that is restarted immediately can report unsaved text.
"""
_HANGING_S = 2.0
"""The seconds until a forced end after a signal if a terminal seems to exist; ``at_end`` may take extra time."""
_MOST_AT_END_S = 1.0
"""The maximum time in seconds that a forced end waits for ``at_end``."""
_NAMED = re.compile(r"\{([a-z_]+\.[a-z_]+)\}")
_MOST_TOASTS = 2
_WEIGHT: dict[SeverityLevel, int] = {"information": 0, "warning": 1, "error": 2}


class AppServices(App[None]):
    """The part of the app that all other modules use.

    After an uncaught exception, the app writes a crash report without variables, and exits with one line and an exit
    code.
    """

    last_mode = "query"
    """The mode before the current one."""
    store: ViewStore
    """The store of the view that all screens show."""
    library: Library
    """All themes, and the problems of the user's theme files."""
    configuration: Configuration
    """The settings in effect with their sources."""
    glyphs: Glyphs = UNICODE
    """The symbols that the app draws with."""
    is_starting = True
    """True until the first frame is painted or a key is pressed, so that hidden panes can be created later."""
    _commanded = False

    def __init__(self, ansi_color: bool | None = None) -> None:
        """Creates the app; ``ansi_color`` is passed to Textual."""
        super().__init__(ansi_color=ansi_color)
        self.time_left = TimeLeft()
        """The time that the app may still wait when it ends."""
        self.at_end: Callable[[], None] = lambda: None
        """Called before the process ends, including when a signal forces the end."""
        self.background = Workers(self, self.error_line)
        self.keymap: Mapping[str, str] = {}
        """The user's own keys by action name."""
        self._letters: dict[type, frozenset[Call]] = {}

    # defined by the app itself

    @property
    def palette(self) -> Palette:
        """The styles of roles in the current theme."""
        raise NotImplementedError

    def select(self, file: str) -> None:
        """Selects the note ``file`` on every screen."""
        raise NotImplementedError

    def stop_model(self) -> bool:
        """Cancels the model's current answer; returns True if one was displayed."""
        raise NotImplementedError

    def keep_setting(self, name: str, value: Value | None) -> None:
        """Writes the setting ``name`` (dotted) to the user's settings file and applies it; None removes it."""
        raise NotImplementedError

    def change_setting(self, name: str, value_in: Callable[[Configuration], Value | None]) -> None:
        """Changes the setting ``name`` to ``value_in(settings)``, which is called in a thread after earlier changes."""
        raise NotImplementedError

    # events of the project

    def project_opened(self, session: Session) -> None:
        """Called when a project has been opened, before its notes are read."""

    def opening_failed(self) -> None:
        """Called when neither a project nor a saved trace could be opened."""

    def trace_reopened(self, saved: SavedTrace, overview: Overview) -> None:
        """Called when a saved trace, which is shown without its project, has been read."""

    def tree_shown(self, first: bool) -> None:
        """Called when the tree is shown for the ``first`` time, or again after changes."""

    def disk_changed(self) -> None:
        """Called when files have changed, before they are read."""

    def save_read(self) -> None:
        """Called when a change that the user saved has been read again from disk."""

    # keys

    def shown_key(self, action: str) -> str:
        """Returns the first key of ``action``, the user's own or the default, as it is displayed."""
        from brvtui.app.actions.registry import ACTIONS

        return key_name(self.keymap.get(action, ACTIONS[action].keys))

    def with_keys(self, text: str) -> str:
        """Replaces action names in braces, such as ``{note.edit}``, with their keys; ``text`` must be the app's own."""
        from brvtui.app.actions.registry import ACTIONS

        return _NAMED.sub(lambda match: self.shown_key(match[1]) if match[1] in ACTIONS else match[0], text)

    def acts_by_letter(self, kind: type, action: str, parameters: tuple[object, ...]) -> bool:
        """True if all keys of ``action`` in the bindings of ``kind`` are text in a field."""
        if kind not in self._letters:
            self._letters[kind] = letter_actions(kind, self.keymap)
        return (action, parameters) in self._letters[kind]

    @property
    def has_modal(self) -> bool:
        """True if a dialog is open."""
        return len(self.screen_stack) > 1

    @property
    def takes_letters(self) -> bool:
        """True if letters are text now, because a field has the focus and no command is running."""
        return not self._commanded and types_text(self.focused)

    @property
    def idle(self) -> frozenset[str]:
        """The names of actions that do nothing now; in a browser, these include all that need a terminal."""
        return self.store.view.idle | (needing(Need.TERMINAL) if self.is_web else frozenset())

    # messages

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Shows a message.

        Quoted parts are plain text without escapes or markup, even if Textual's widgets request markup.
        """
        super().notify(self._in_signs(visible(message)), title=title, severity=severity, timeout=timeout, markup=False)
        self.call_later(self._thin_out)

    def withdraw(self, message: str) -> None:
        """Removes ``message`` if it is visible, because it is no longer true."""
        for one in [one for one in self._notifications if one.message == self._in_signs(visible(message))]:
            self._unnotify(one)

    def _in_signs(self, text: str) -> str:
        """Returns ``text`` in the characters that the ``ascii`` setting permits."""
        return text if self.glyphs.unicode else in_letters(text)

    def _thin_out(self) -> None:
        for one in _too_many(self._notifications):
            self._unnotify(one)

    # crashes and signals

    def error_line(self, error: BaseException | None, doing: str) -> str:
        """Returns one line about an ``error`` during ``doing``; writes a crash report unless it is an OSError."""
        if isinstance(error, OSError):
            return faults.error_line(error)
        from brvtui.store.crash_report import Circumstances, write_crash_report

        size = (self.size.width, self.size.height)
        return write_crash_report(error or RuntimeError(doing), Circumstances(doing, self.current_mode, size))

    def report_thread_errors(self) -> None:
        """Shows errors of threads as messages, like errors of workers, instead of printing them over the screen."""

        def notify(thrown: threading.ExceptHookArgs) -> None:
            name = thrown.thread.name if thrown.thread is not None else "a thread"
            message = self.error_line(thrown.exc_value, f"the thread {name}")
            self.call_later(lambda: self.notify(message, severity="error", timeout=10))

        threading.excepthook = notify

    def end_on_signals(self, keep: Callable[[], Awaitable[object]]) -> None:
        """Ends the app on SIGTERM, SIGHUP, SIGQUIT and SIGINT, after ``keep`` has written unsaved text."""
        driver = self._driver
        if sys.platform == "win32" or driver is None:
            return
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()

        async def end(number: int) -> None:
            try:
                with suppress(TimeoutError):
                    await asyncio.wait_for(keep(), self.time_left.seconds)
            finally:
                self.exit(return_code=_BY_SIGNAL + number)

        def limit(number: int, _: object = None) -> None:
            def leave() -> None:
                ending = threading.Thread(target=self.at_end, daemon=True)  # may hang or fail
                ending.start()
                ending.join(_MOST_AT_END_S)
                os._exit(_BY_SIGNAL + number)

            seconds = _HANGING_S if os.isatty(0) else _WITHOUT_TERMINAL_S
            for after, do in ((seconds - 0.2, driver.stop_application_mode), (seconds, leave)):
                timer = threading.Timer(after, do)  # two timers, since the first blocks if the terminal does not read
                timer.daemon = True
                timer.start()

        def begin(number: int) -> None:
            limit(number)
            if not tasks:
                tasks.add(asyncio.create_task(end(number)))

        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
            loop.add_signal_handler(number, begin, number)
            signal.signal(number, limit)  # runs even if the event loop is busy, which calls `begin` later
        if hasattr(self._driver, "_must_signal_resume"):  # the driver of a terminal
            loop.add_signal_handler(signal.SIGCONT, self._continue)
        source = select.poll()
        source.register(sys.__stdin__ or 0, select.POLLHUP)

        def check_source() -> None:
            if source.poll(0):
                checks.stop()
                begin(signal.SIGHUP)

        # a terminal that goes away sends SIGHUP only to its own session, and a killed server sends no signal
        checks = self.set_interval(1.0, check_source)

    def _continue(self) -> None:
        """Takes over the terminal again after SIGCONT.

        Textual expects that Ctrl+Z has released the terminal. SIGSTOP does not release it, so Textual would start its
        threads twice, and would restore its own terminal modes at the end.
        """
        driver = self._driver
        if driver is None or not driver._auto_restart:
            return
        if not getattr(driver, "_must_signal_resume", False):
            driver.suspend_application_mode()
        driver.resume_application_mode()
        self.refresh(layout=True)

    def _handle_exception(self, error: Exception) -> None:
        """Handles uncaught exceptions; Textual has no public method for this."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exit and isinstance(cause, (MountError, NoMatches)):
            return  # the app ends while a screen opens, so its panes will not exist
        super()._handle_exception(error)
        self._return_code = FAILED

    def _fatal_error(self) -> None:
        """Ends the app with one line; Textual would show the values of variables, which may contain text of notes."""
        self.panic(Text(visible(f"brv-tui: {self.error_line(self._exception, 'showing the app')}")))


def services_of(node: DOMNode) -> AppServices:
    """Returns the app of ``node``."""
    return cast("AppServices", node.app)


def _too_many(shown: Iterable[Notification]) -> list[Notification]:
    """Returns the messages to remove from ``shown`` (oldest first), so that a few remain, including the newest.

    Earlier copies of a message are removed first, then the least severe messages, the oldest of these first.
    """
    toasts = list(shown)
    last_places = {one.message: place for place, one in enumerate(toasts)}
    again = [one for place, one in enumerate(toasts) if last_places[one.message] != place]
    rest = sorted((one for one in toasts[:-1] if one not in again), key=lambda one: _WEIGHT[one.severity])
    return again + rest[: max(0, len(rest) + 1 - _MOST_TOASTS)]
