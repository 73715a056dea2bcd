"""What widgets, screens and controllers may ask of the app. It stands below all of them, and imports none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import BinaryIO, Protocol, TypeVar, cast

from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.screen import Screen, ScreenResultCallbackType
from textual.timer import Timer

from brvtui.app.actions.needs import OF_OTHER_PROGRAMS
from brvtui.app.store import ViewStore
from brvtui.app.themes.library import Library
from brvtui.app.themes.palette import Palette
from brvtui.app.workers import Workers
from brvtui.config import Configuration
from brvtui.config.schema import Value
from brvtui.paint.glyphs import Glyphs

Result = TypeVar("Result")


class AppServices(Protocol):
    """The app, as everything below it knows it."""

    @property
    def store(self) -> ViewStore:
        """Holds the view, which all screens show."""
        ...

    @property
    def background(self) -> Workers:
        """Runs blocking tasks in threads."""
        ...

    @property
    def current_mode(self) -> str:
        """The screen in front."""
        ...

    @property
    def glyphs(self) -> Glyphs:
        """The signs to draw with."""
        ...

    @property
    def palette(self) -> Palette:
        """The styles of roles under the theme in use."""
        ...

    @property
    def library(self) -> Library:
        """The themes that there are, and what is wrong with the user's files of others."""
        ...

    @property
    def configuration(self) -> Configuration:
        """The settings in effect, and where each comes from."""
        ...

    @property
    def keymap(self) -> Mapping[str, str]:
        """The user's own keys, by the action's name."""
        ...

    def shown_key(self, action: str) -> str:
        """The first key of ``action``, the user's own or else the default, as people write it."""
        ...

    def with_keys(self, text: str) -> str:
        """``text``, of our own alone, with the key of each action that it names as ``{note.edit}``."""
        ...

    @property
    def has_modal(self) -> bool:
        """Whether a dialog is open over the screen in front."""
        ...

    @property
    def takes_letters(self) -> bool:
        """Whether letters are text now: a field has the focus, and no command is carried out."""
        ...

    @property
    def is_web(self) -> bool:
        """Whether a browser shows the app."""
        ...

    def deliver_binary(self, path_or_file: BinaryIO, *, save_filename: str) -> object:
        """Hands a file to the browser that shows the app."""

    def acts_by_letter(self, kind: type, action: str, parameters: tuple[object, ...]) -> bool:
        """Whether all keys of ``action`` among the bindings of ``kind`` are text in a field."""
        ...

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on every screen."""

    def stop_model(self) -> bool:
        """Breaks off the model's answer that is under way; whether one was shown."""
        ...

    def notify(self, message: str, *, severity: SeverityLevel = ..., timeout: float | None = ...) -> None:
        """Shows ``message`` as a toast, for ``timeout`` seconds. It may be called from any thread."""

    def withdraw(self, message: str) -> None:
        """Removes the toast that says ``message``: it is no longer true."""

    def push_screen(self, screen: Screen[Result], callback: ScreenResultCallbackType[Result] | None = ...) -> object:
        """Brings a dialog to the front; ``callback`` is called with what it ends with."""

    def switch_mode(self, mode: str) -> Awaitable[None]:
        """Brings a screen to the front; it keeps its state."""
        ...

    def call_later(self, callback: Callable[[], object]) -> bool:
        """Calls ``callback`` once the messages that came before are handled, and awaits what it returns."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Calls ``callback`` after ``delay`` seconds, unless the timer is stopped."""
        ...

    def set_interval(self, interval: float, callback: Callable[[], object]) -> Timer:
        """Calls ``callback`` every ``interval`` seconds."""
        ...

    def keep_setting(self, name: str, value: Value | None) -> object:
        """Writes ``name`` (dotted) into the user's settings file, or with None takes it out; then it holds."""
        ...

    def change_setting(self, name: str, value_in: Callable[[Configuration], Value | None]) -> object:
        """Keeps for ``name`` what ``value_in`` returns, in a thread, for the settings that earlier changes left."""
        ...


def idle_in(services: AppServices) -> frozenset[str]:
    """The names of the actions that can do nothing now, or, where a browser shows the app, ever."""
    return services.store.view.idle | (OF_OTHER_PROGRAMS if services.is_web else frozenset())


def services_of(node: DOMNode) -> AppServices:
    """The app that ``node`` is in."""
    return cast("AppServices", node.app)
