"""Text fields that handle keys in the order of typing, even in a burst, and never show raw escapes.

Textual sends an editing key from the field to the app, which runs the action. Letters typed in the meantime would
already be in the field, and ctrl+u or backspace would delete them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from brvtui.app.actions.panes import OPTIONS
from brvtui.app.keys.bindings import bindings, keys_of
from brvtui.app.services import services_of
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines, Paragraphs
from brvtui.paint.line import Line, line
from brvtui.text.visible import visible_each

# A row of options with one chosen option.


class Options(Lines, can_focus=True):
    """A label and its options; the arrow keys and clicks select one."""

    TITLE = "Options"
    BINDINGS: ClassVar[list[BindingType]] = bindings(OPTIONS)

    class Chosen(Message):
        """Posted when another option is selected."""

    def __init__(self, label: str, options: Sequence[str], chosen: str = "", *, id: str) -> None:
        """Creates a row of ``options``, and selects ``chosen`` or else the first one."""
        super().__init__(id=id)
        self._label = label
        self._options = options
        self.chosen = chosen or options[0]
        self._edges: list[tuple[int, str]] = []

    def also_reads(self) -> tuple[object, ...]:
        """Returns the selected option and the focus state, since the line depends on them."""
        return (self.chosen, self.has_focus)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line with the label and the options."""
        row = line(f" {self._label} ", "muted")
        row.to(_LABEL_CELLS)
        self._edges = [(row.width, "")]
        for option in self._options:
            chosen = option == self.chosen
            role = "bold badge-text on accent" if chosen and self.has_focus else "bold accent" if chosen else "text"
            row.add(f"[{option}]" if chosen else f" {option} ", role)
            self._edges.append((row.width, option))
        return [row.cut(width)]

    def choose(self, option: str) -> None:
        """Selects ``option``, and posts :class:`Chosen` if it was not selected before."""
        if option != self.chosen:
            self.chosen = option
            self.rebuild()
            self.post_message(self.Chosen())

    def action_choose(self, step: int) -> None:
        """Moves the selection ``step`` options to the right, or to the left if negative."""
        place = self._options.index(self.chosen) + step
        self.choose(self._options[max(0, min(place, len(self._options) - 1))])

    def on_click(self, event: events.Click) -> None:
        """Selects the option under the mouse."""
        option = next((option for edge, option in self._edges if event.x < edge), "")
        if option:
            self.choose(option)

    def on_focus(self, event: events.Focus) -> None:
        """Draws the selected option brighter."""
        self.rebuild()

    def on_blur(self, event: events.Blur) -> None:
        """Draws the selected option dimmer."""
        self.rebuild()


_LABEL_CELLS = 13


_LEFT_TO_THE_SCREEN = frozenset({"submit"})


class OrderedInput(Input):
    """A one-line field. Its value is the raw text; unsafe characters are displayed as placeholders."""

    @property
    def _value(self) -> Text:
        return Text(visible_each(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return cell_len(visible_each(self.value)[:position])

    def _cell_offset_to_index(self, offset: int) -> int:
        places = range(len(self.value) + 1)
        return bisect_right(places, offset + self.scroll_offset.x, key=self._position_to_cell) - 1

    async def on_key(self, event: events.Key) -> None:
        """Runs the action of an editing key immediately."""
        await act_in_order(self, event)

    def on_paste(self, event: events.Paste) -> None:
        """Joins pasted lines, since Textual would insert only the first."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.text = " ".join(filter(None, map(str.strip, lines)))


async def act_in_order(field: Widget, event: events.Key) -> None:
    """Runs the action of an editing key in ``field`` and stops the key, unless the action declines it."""
    keymap = services_of(field).keymap
    for binding in _editing(type(field)):
        if event.key in keys_of(binding.id, binding.key, keymap):
            if await field.app.run_action(
                binding.action, field
            ):  # otherwise the key is passed on, for example when there is nothing to copy
                event.stop()
                event.prevent_default()
            return


@cache
def _editing(kind: type) -> tuple[Binding, ...]:
    """Returns the editing keys of Textual's Input or of ``kind`` itself, without Enter, which submits the text."""
    owner = Input if issubclass(kind, Input) else kind
    items = (item for item in owner.__dict__.get("BINDINGS", ()) if isinstance(item, Binding))
    single = (part for binding in items for part in Binding.make_bindings([binding]))
    return tuple(binding for binding in single if binding.action not in _LEFT_TO_THE_SCREEN)


class Field(Horizontal):
    """A label and an input in one row."""

    def __init__(self, label: str, value: str, *, id: str) -> None:
        """Creates a field with ``label`` and the initial ``value``."""
        super().__init__(id=id)
        self._label = label
        self._begin = value

    def compose(self) -> ComposeResult:
        """Yields the label and the input."""
        yield Paragraphs((self._label, "muted"), id=f"{self.id}-label")
        field = OrderedInput(self._begin, id=f"{self.id}-input", compact=True, select_on_focus=False)
        field.cursor_blink = False
        yield field

    @property
    def value(self) -> str:
        """The typed text."""
        return self.query_one(Input).value
