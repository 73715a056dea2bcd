"""Fields whose keys act in the order in which they were pressed, also when a burst of them arrives at once.

Textual hands a key that is no text from the field up to the app, which runs its action; letters that came behind it are
in the field by then, so that ctrl+u or backspace would take away what was typed after it.
"""

from __future__ import annotations

from functools import cache

from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from brvtui.app.keys.naming import keys_of
from brvtui.app.services import services_of

_LEFT_TO_THE_SCREEN = frozenset({"submit"})


class OrderedInput(Input):
    """A field of one line."""

    async def on_key(self, event: events.Key) -> None:
        """A key that edits acts here and now."""
        await act_in_order(self, event)


async def act_in_order(field: Widget, event: events.Key) -> None:
    """Runs the action of an editing key in ``field``, and keeps the key from going on."""
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
    """The bindings of Textual's own field, or of a text with bindings of its own; not what sends it."""
    owner = Input if issubclass(kind, Input) else kind
    found = (item for item in owner.__dict__.get("BINDINGS", ()) if isinstance(item, Binding))
    single = (part for binding in found for part in Binding.make_bindings([binding]))
    return tuple(binding for binding in single if binding.action not in _LEFT_TO_THE_SCREEN)
