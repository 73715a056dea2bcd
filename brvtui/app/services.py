"""What widgets, screens and controllers may ask of the app. It stands below all of them, and imports none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

from textual.dom import DOMNode

from brvtui.app.themes.palette import Palette
from brvtui.app.view import View
from brvtui.config import Configuration
from brvtui.config.schema import Value
from brvtui.paint.glyphs import Glyphs


class AppServices(Protocol):
    """The app, as everything below it knows it."""

    @property
    def view(self) -> View:
        """What all screens show."""
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
    def configuration(self) -> Configuration:
        """The settings in effect, and where each comes from."""
        ...

    @property
    def keymap(self) -> Mapping[str, str]:
        """The user's own keys, by the action's name."""
        ...

    @property
    def takes_letters(self) -> bool:
        """Whether letters are text now: a field has the focus, and no command is carried out."""
        ...

    def acts_by_letter(self, kind: type, action: str, parameters: tuple[object, ...]) -> bool:
        """Whether all keys of ``action`` among the bindings of ``kind`` are text in a field."""
        ...

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on every screen."""

    def stop_model(self) -> bool:
        """Breaks off the model's answer that is under way; whether one was shown."""
        ...

    def keep_setting(self, name: str, value: Value | None) -> object:
        """Writes ``name`` (dotted) into the user's settings file, or with None takes it out; then it holds."""
        ...


def services_of(node: DOMNode) -> AppServices:
    """The app that ``node`` is in."""
    return cast("AppServices", node.app)
