"""Fields whose keys act in the order in which they were pressed, even in a burst, and that never show raw escapes.

Textual passes an editing key from the field up to the app, which runs its action. By then, letters typed after it are
in the field, so ctrl+u or backspace would delete them.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from brvtui.app.keys.bindings import keys_of
from brvtui.app.services import services_of
from brvtui.app.widgets.paragraphs import Paragraphs
from brvtui.text.visible import visible_each

_LEFT_TO_THE_SCREEN = frozenset({"submit"})


class OrderedInput(Input):
    """A one-line field. Its value is the true text; unsafe characters in it are drawn as placeholders."""

    @property
    def _value(self) -> Text:
        return Text(visible_each(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return cell_len(visible_each(self.value)[:position])

    def _cell_offset_to_index(self, offset: int) -> int:
        places = range(len(self.value) + 1)
        return bisect_right(places, offset + self.scroll_offset.x, key=self._position_to_cell) - 1

    async def on_key(self, event: events.Key) -> None:
        """Runs the action of an editing key at once."""
        await act_in_order(self, event)

    def on_paste(self, event: events.Paste) -> None:
        """Joins the lines of a text, of which Textual would take the first alone."""
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
            ):  # else, as copying nothing, it is for whoever is above
                event.stop()
                event.prevent_default()
            return


@cache
def _editing(kind: type) -> tuple[Binding, ...]:
    """Returns the editing keys of ``kind``: those of Textual's Input, or its own; without Enter, which submits."""
    owner = Input if issubclass(kind, Input) else kind
    found = (item for item in owner.__dict__.get("BINDINGS", ()) if isinstance(item, Binding))
    single = (part for binding in found for part in Binding.make_bindings([binding]))
    return tuple(binding for binding in single if binding.action not in _LEFT_TO_THE_SCREEN)


# A labelled one-line input.


class Field(Horizontal):
    """Label and input in one row."""

    def __init__(self, label: str, value: str = "", *, id: str) -> None:
        """Labels the input ``label`` and fills it with ``value``."""
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
        """Returns the typed text."""
        return self.query_one(Input).value
