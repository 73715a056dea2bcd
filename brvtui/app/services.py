"""The base class of the app: the services that widgets, screens and controllers use. It imports none of them."""

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
from functools import partial
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
"""The exit code of an app that broke."""
_BY_SIGNAL = 128
"""Plus the number of the signal: the exit code of an app that a signal ended, as shells count it."""
_WITHOUT_TERMINAL_S = MOST_S + 0.2
"""After so long it ends anyway if its terminal is gone, where writing waits for ever: who starts it again at once is to
be told of the text that was not saved."""
_HANGING_S = 3.0
"""After so long it ends anyway on any signal if its terminal seems to be there."""
_NAMED = re.compile(r"\{([a-z_]+\.[a-z_]+)\}")
_MOST_TOASTS = 2
_WEIGHT: dict[SeverityLevel, int] = {"information": 0, "warning": 1, "error": 2}


class AppServices(App[None]):
    """The app, as all other modules know it.

    On an unexpected exception it writes a crash report without variables and exits with one line and a code.
    """

    store: ViewStore
    """Holds the view, which all screens show."""
    library: Library
    """The themes that there are, and what is wrong with the user's files of others."""
    configuration: Configuration
    """The settings in effect, and where each comes from."""
    glyphs: Glyphs = UNICODE
    """The signs to draw with."""
    _commanded = False

    def __init__(self, ansi_color: bool | None = None) -> None:
        """An app that is not ending; ``ansi_color`` is Textual's."""
        super().__init__(ansi_color=ansi_color)
        self.time_left = TimeLeft()
        """For what is waited for when the app ends."""
        self.background = Workers(self, self.error_line)
        self.keymap: Mapping[str, str] = {}
        """The user's own keys, by the action's name."""
        self._letters: dict[type, frozenset[Call]] = {}

    # what the app itself defines

    @property
    def palette(self) -> Palette:
        """The styles of roles under the theme in use."""
        raise NotImplementedError

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on every screen."""
        raise NotImplementedError

    def stop_model(self) -> bool:
        """Breaks off the model's answer that is under way; whether one was shown."""
        raise NotImplementedError

    def keep_setting(self, name: str, value: Value | None) -> None:
        """Writes ``name`` (dotted) into the user's settings file, or with None takes it out; then it holds."""
        raise NotImplementedError

    def change_setting(self, name: str, value_in: Callable[[Configuration], Value | None]) -> None:
        """Keeps for ``name`` what ``value_in`` returns, in a thread, for the settings that earlier changes left."""
        raise NotImplementedError

    # what becomes of the project

    def project_opened(self, session: Session) -> None:
        """Called when a project was opened, before its notes are read."""

    def opening_failed(self) -> None:
        """Called when neither project nor saved trace could be opened."""

    def trace_reopened(self, saved: SavedTrace, overview: Overview) -> None:
        """Called when a saved trace was read, to be shown without its project."""

    def tree_shown(self, first: bool) -> None:
        """Called when another state of the tree is shown: the ``first``, or a newer one."""

    def disk_changed(self) -> None:
        """Called when something changed on disk, before it is read."""

    def save_read(self) -> None:
        """Called when what the user saved was read."""

    # keys

    def shown_key(self, action: str) -> str:
        """The first key of ``action``, the user's own or else the default, as people write it."""
        from brvtui.app.actions.registry import ACTIONS

        return key_name(self.keymap.get(action, ACTIONS[action].keys))

    def with_keys(self, text: str) -> str:
        """``text``, of our own alone, with the key of each action that it names as ``{note.edit}``."""
        return _NAMED.sub(lambda found: self.shown_key(found[1]), text)

    def acts_by_letter(self, kind: type, action: str, parameters: tuple[object, ...]) -> bool:
        """Whether all keys of ``action`` among the bindings of ``kind`` are text in a field."""
        if kind not in self._letters:
            self._letters[kind] = letter_actions(kind, self.keymap)
        return (action, parameters) in self._letters[kind]

    @property
    def has_modal(self) -> bool:
        """Whether a dialog is open over the screen in front."""
        return len(self.screen_stack) > 1

    @property
    def takes_letters(self) -> bool:
        """Whether letters are text now: a field has the focus, and no command is carried out."""
        return not self._commanded and types_text(self.focused)

    @property
    def idle(self) -> frozenset[str]:
        """The names of the actions that can do nothing now, or, where a browser shows the app, ever."""
        return self.store.view.idle | (needing(Need.TERMINAL) if self.is_web else frozenset())

    # toasts

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Shows a toast. What it quotes is text, never escapes nor markup, whatever Textual's widgets ask for."""
        super().notify(self._in_signs(visible(message)), title=title, severity=severity, timeout=timeout, markup=False)
        self.call_later(self._thin_out)

    def withdraw(self, message: str) -> None:
        """Removes the toast that says ``message``: it is no longer true."""
        for one in [one for one in self._notifications if one.message == self._in_signs(visible(message))]:
            self._unnotify(one)

    def _in_signs(self, text: str) -> str:
        """``text`` as the setting ``ascii`` wants our own signs."""
        return text if self.glyphs.unicode else in_letters(text)

    def _thin_out(self) -> None:
        for one in _too_many(self._notifications):
            self._unnotify(one)

    # crashes and signals

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
            seconds, leave = _HANGING_S if os.isatty(0) else _WITHOUT_TERMINAL_S, partial(os._exit, _BY_SIGNAL + number)
            for after, do in ((seconds - 0.2, driver.stop_application_mode), (seconds, leave)):
                timer = threading.Timer(after, do)  # two, for a terminal that does not read blocks the first
                timer.daemon = True
                timer.start()

        def begin(number: int) -> None:
            limit(number)
            if not tasks:
                tasks.add(asyncio.create_task(end(number)))

        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
            loop.add_signal_handler(number, begin, number)
            signal.signal(number, limit)  # it runs even if the event loop is busy, which calls `begin` later
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
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exit and isinstance(cause, (MountError, NoMatches)):
            return  # the app ends while a screen opens, whose panes then never come
        super()._handle_exception(error)
        self._return_code = FAILED

    def _fatal_error(self) -> None:
        """Ends the app with one line, where Textual shows the values of variables, which may be text of notes."""
        self.panic(Text(visible(f"brv-tui: {self.error_line(self._exception, 'showing the app')}")))


def services_of(node: DOMNode) -> AppServices:
    """The app that ``node`` is in."""
    return cast("AppServices", node.app)


def _too_many(shown: Iterable[Notification]) -> list[Notification]:
    """Returns those of ``shown``, the oldest first, that go so that few stay, the newest among them.

    Earlier copies of a message go, then the least severe, of those the oldest.
    """
    held = list(shown)
    said = {one.message: place for place, one in enumerate(held)}
    again = [one for place, one in enumerate(held) if said[one.message] != place]
    rest = sorted((one for one in held[:-1] if one not in again), key=lambda one: _WEIGHT[one.severity])
    return again + rest[: max(0, len(rest) + 1 - _MOST_TOASTS)]
