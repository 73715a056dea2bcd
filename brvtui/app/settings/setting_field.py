"""The dialog in which a setting is typed."""

from __future__ import annotations

from collections.abc import Callable

from brvtui.app.screens.field import FieldDialog
from brvtui.config import ConfigError
from brvtui.config.schema import Value


class SettingField(FieldDialog[Value]):
    """Asks for the value of a setting. Dismissed with a value that can be used, or with None."""

    def __init__(self, name: str, value: str, allowed: str, read: Callable[[str], Value]) -> None:
        """A field for ``name`` with its ``value``; ``read`` makes a value of a text, or raises ConfigError."""
        super().__init__(name, value, allowed)
        self._read = read

    def submit(self, text: str) -> None:
        """Dismisses the dialog with the value, if it can be used."""
        try:
            self.dismiss(self._read(text))
        except ConfigError as error:
            self.show_problem(str(error))
