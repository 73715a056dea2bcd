"""The modal in which a setting is typed."""

from __future__ import annotations

from collections.abc import Callable

from brvtui.app.actions.dialogs import SETTING_FIELD
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.field import FieldScreen
from brvtui.config import ConfigError
from brvtui.config.schema import Value


class SettingField(FieldScreen[Value]):
    """Asks for the value of a setting. Dismissed with a value that can be used, or with None."""

    BINDINGS = bindings(SETTING_FIELD)

    def __init__(self, name: str, value: str, allowed: str, read: Callable[[str], Value]) -> None:
        """A field for ``name`` with its ``value``; ``read`` makes a value of a text, or raises ConfigError."""
        super().__init__(name, "enter keeps · esc leaves", value, allowed)
        self._read = read

    def submit(self, text: str) -> None:
        """Dismisses the screen with the value, if it can be used."""
        try:
            self.dismiss(self._read(text))
        except ConfigError as error:
            self.show_problem(str(error))
