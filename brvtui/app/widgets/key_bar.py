"""The bar with the most useful keys of the focused pane."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual import events
from textual.binding import ActiveBinding

from brvtui.app.keys.bindings import declared, is_text, key_name, own_bindings
from brvtui.app.states import (
    AnswerState,
    EditorState,
    EngineState,
    FleetState,
    LabState,
    LogState,
    ProjectState,
    QueryState,
    SelectionState,
    StaleState,
)
from brvtui.app.text_entry import types_text
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line

_HELP = "help"
"""The description of the key that opens the help."""
_NEW_QUESTION = "panes.query"
"""The action for typing a new question, listed first because until then, letters act as keys.
"""


class KeyBar(Lines):
    """One line of keys; clicking a key presses it."""

    ALLOW_SELECT = False
    READS = (
        ProjectState,
        EngineState,
        FleetState,
        QueryState,
        AnswerState,
        SelectionState,
        LogState,
        LabState,
        StaleState,
        EditorState,
    )

    def __init__(
        self, *, id: str, idle: Callable[[], frozenset[str]], renamed: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        """Creates a bar; ``idle`` returns the actions to leave out, ``renamed`` other labels and further actions."""
        super().__init__(id=id)
        self._idle = idle
        self._renamed = renamed
        self._edges: list[tuple[int, str]] = []
        self._keys: list[tuple[str, str, str]] = []
        """The name, description and key of each binding when the bar's screen was last active."""

    def show_keys(self) -> None:
        """Updates the bar with the keys that are active now."""
        self.rebuild(force=True)

    def reads(self, view: View) -> tuple[object, ...]:
        """Returns the project and the availability of actions; most replies of a fleet do not affect the bar."""
        return view.project, " ".join((*sorted(self._idle()), *sorted(self._renamed().values())))

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line with as many keys and descriptions as fit; the help key is always last."""
        if self.screen.is_active:  # a dialog has its own keys; these reappear when it closes
            self._keys = self._active_keys()
        items = [
            (Line().add(name, "bold accent").add(f" {view.worded(description)}", "muted"), key, description == _HELP)
            for name, description, key in self._keys
        ]
        bar = Line().gap()
        self._edges = []
        room = width - sum(item.width + 2 for item, _, is_help in items if is_help)
        for item, key, is_help in sorted(items, key=lambda one: one[2]):
            room = width if is_help else room
            if bar.width + item.width > room:
                room = 0  # no shorter entry follows one that was left out, since it would look more important
                continue
            bar.extend(item.spans).gap(2)
            self._edges.append((bar.width, key))
        return [bar]

    def _active_keys(self) -> list[tuple[str, str, str]]:
        keys: dict[str, tuple[str, str, str]] = {}
        typing = types_text(self.screen.focused)
        idle, renamed = self._idle(), self._renamed()
        for active in self._in_order():
            binding = active.binding
            if binding.id in idle:
                continue
            if (binding.show or binding.id in renamed) and active.enabled and not (typing and is_text(binding.key)):
                name = key_name(binding.key_display or binding.key)
                does = renamed.get(binding.id or "", binding.description)
                keys.setdefault(binding.action, (name, does, binding.key))
        return list(keys.values())

    def _in_order(self) -> list[ActiveBinding]:
        """Returns the active bindings; rebound keys keep the position that their class declares."""
        active_bindings = list(self.screen.active_bindings.values())
        if not self.services.keymap:
            return sorted(active_bindings, key=self._rank)
        nodes = list(dict.fromkeys(active.node for active in active_bindings))
        places = {
            (node, binding.id): (number, place)
            for number, node in enumerate(nodes)
            for place, binding in enumerate(declared(type(node)))
        }
        last = (len(nodes), 0)
        placed = sorted(active_bindings, key=lambda active: places.get((active.node, active.binding.id), last))
        return sorted(placed, key=self._rank)

    def _rank(self, active: ActiveBinding) -> int:
        """Returns the sort rank: the focused pane's keys first, then the screen's; in a dialog, its answers first."""
        if active.binding.id == _NEW_QUESTION or (self.screen.is_modal and active.binding.key == "enter"):
            return 0
        if not active.binding.show:
            return 1  # the bar contains it only if the focused pane names it
        if active.node is not self.screen:
            return 2 if active.node is self.app else 1
        if active.binding.id not in [binding.id for binding in own_bindings(type(self.screen))]:
            return 3
        return 0 if self.screen.is_modal else 2

    async def on_click(self, event: events.Click) -> None:
        """Presses the key under the mouse."""
        key = next((key for edge, key in self._edges if event.x < edge), "")
        if key:
            self.app.simulate_key(key)
