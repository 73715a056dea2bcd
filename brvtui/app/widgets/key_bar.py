"""The keys that matter for the focused pane."""

from __future__ import annotations

import string

from textual import events
from textual.widgets import Input

from brvtui.app.paint.line import Line
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines

_TYPED = frozenset({"slash", "question_mark", "full_stop", *string.printable})
_NAMES = {
    "escape": "esc",
    "enter": "enter",
    "question_mark": "?",
    "slash": "/",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "minus": "-",
    "plus": "+",
    "equals_sign": "=",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "tab": "tab",
    "space": "space",
    "pagedown": "pgdn",
    "pageup": "pgup",
}


class KeyBar(Lines):
    """One line of keys; a click on one does what the key does."""

    def __init__(self, *, id: str) -> None:
        """A bar without keys."""
        super().__init__(id=id)
        self._edges: list[tuple[int, str]] = []

    def show_keys(self) -> None:
        """Reads the keys that are active now."""
        self.rebuild(force=True)

    def depends(self, view: View) -> tuple[object, ...]:
        """Keys are read when focus moves, not from the view."""
        return ()

    def build(self, view: View, width: int) -> list[Line]:
        """Key and what it does, as many as fit."""
        made = Line().gap()
        self._edges = []
        seen: set[str] = set()
        typing = isinstance(self.screen.focused, Input)
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if not binding.show or binding.action in seen or not active.enabled:
                continue
            if typing and binding.key in _TYPED:
                continue
            seen.add(binding.action)
            label = key_name(binding.key_display or binding.key)
            item = Line().add(label, "bold accent").add(f" {binding.description}", "muted").gap(2)
            if made.width + item.width > width:
                break
            made.extend(item.spans)
            self._edges.append((made.width, binding.key))
        return [made]

    async def on_click(self, event: events.Click) -> None:
        """Presses the key that was clicked."""
        key = next((key for edge, key in self._edges if event.x < edge), "")
        if key:
            self.app.simulate_key(key)


def key_name(key: str) -> str:
    """A key as people write it: ``^r``, ``F1``, ``esc``."""
    first = key.split(",")[0]
    if first.startswith("ctrl+"):
        return f"^{first.removeprefix('ctrl+')}"
    if first.startswith("f") and first[1:].isdigit():
        return first.upper()
    return _NAMES.get(first, first)
