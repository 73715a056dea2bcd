"""The fields in which a value, and the name of a profile, are typed."""

from __future__ import annotations

import math
import re

from brvtui.app.screens.field import FieldDialog
from brvtui.lab.whatif.controls import Control
from brvtui.lab.whatif.variant import Value, read_value

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class ValueField(FieldDialog[float]):
    """Asks for a number. Dismissed with it, or with None."""

    def __init__(self, control: Control, value: Value) -> None:
        """A field for ``control``, which is at ``value``."""
        super().__init__(
            control.key,
            f"{value:g}" if isinstance(value, float) else f"{value}",
            f"a number from {control.least:g}; it was {control.base}",
        )
        self._control = control

    def on_mount(self) -> None:
        """What is typed replaces the number."""
        self.field.action_select_all()

    def submit(self, text: str) -> None:
        """Dismisses the dialog with the number, if it is one."""
        value = read_value(text.strip())
        is_whole = isinstance(self._control.base, int)
        is_number = not isinstance(value, (bool, str)) and math.isfinite(value) and value >= self._control.least
        if not is_number or (is_whole and value != int(value)):
            self.show_problem(f"must be a {'whole ' if is_whole else ''}number from {self._control.least:g}")
        else:
            self.dismiss(int(value) if is_whole else float(value))


class ProfileNameField(FieldDialog[str]):
    """Asks for the name of a profile. Dismissed with it, or with None."""

    def __init__(self) -> None:
        """An empty field."""
        super().__init__("Name of the profile", "", "letters, digits, - and _; it is kept beside your settings")

    def submit(self, text: str) -> None:
        """Dismisses the dialog with the name, if a file can have it."""
        name = text.strip()
        if _NAME.fullmatch(name):
            self.dismiss(name)
        else:
            self.show_problem("must be 1 to 40 letters, digits, - and _")
