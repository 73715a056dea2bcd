"""The modal in which a setting is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from brvtui.app.actions.dialogs import SETTING_FIELD
from brvtui.app.keys.bindings import bindings
from brvtui.app.styles import sheet
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.config import ConfigError
from brvtui.config.schema import Value
from brvtui.text.visible import visible


class SettingField(ModalScreen[Value | None]):
    """A field with the value so far. It is dismissed with a value that can be used, or with None."""

    CSS_PATH = sheet("modal")
    BINDINGS: ClassVar[list[BindingType]] = bindings(SETTING_FIELD)

    def __init__(self, name: str, value: str, allowed: str, read: Callable[[str], Value]) -> None:
        """A field for ``name``; ``read`` makes a value of a text or raises ConfigError."""
        super().__init__()
        self._setting, self._value, self._allowed, self._read = name, value, allowed, read

    def compose(self) -> ComposeResult:
        """Field, what it can be, and a line for what is wrong."""
        with Vertical(id="typed-setting") as box:
            box.border_title = Content(self._setting)
            box.border_subtitle = "enter keeps · esc leaves"
            yield OrderedInput(self._value, id="setting-field", select_on_focus=False, compact=True)
            yield Static(self._allowed, id="setting-allowed", markup=False)
            yield Static("", id="setting-problem", markup=False)

    def on_mount(self) -> None:
        """A blinking cursor would write to the terminal without end."""
        self.query_one(Input).cursor_blink = False

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        try:
            self.dismiss(self._read(event.value))
        except ConfigError as error:
            self.query_one("#setting-problem", Static).update(visible(str(error)))
