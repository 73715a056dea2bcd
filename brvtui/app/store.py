"""The view of the app, and who is told when part of it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from brvtui.app.view import SubState, View

_FIELDS = {type(state): name for name, state in View._field_defaults.items()}
"""The name of each sub-state in the view, by its type."""


class ViewStore:
    """Holds the one :class:`View`. It changes by whole sub-states, so the type checker knows every change."""

    def __init__(self, draw: Callable[[View], None]) -> None:
        """``draw`` shows a view in the screen in front; the others are shown it when they come to the front."""
        self.view = View()
        self._draw = draw
        self._subscribers: list[tuple[frozenset[type], Callable[[], None]]] = []

    def subscribe(self, reads: Sequence[type[SubState]], handler: Callable[[], None]) -> None:
        """Calls ``handler`` after each update that replaced a sub-state of one of the types ``reads``."""
        self._subscribers.append((frozenset(reads), handler))

    def update(self, *states: SubState) -> None:
        """Puts ``states`` in the place of those of their types, and shows what has changed."""
        changes: dict[str, Any] = {_FIELDS[type(state)]: state for state in states}
        self.view = self.view._replace(**changes)
        self._draw(self.view)
        changed = {type(state) for state in states}
        for reads, handler in self._subscribers:
            if not reads.isdisjoint(changed):
                handler()


def read_of(view: View, reads: Sequence[type[SubState]]) -> tuple[SubState, ...]:
    """The sub-states of ``view`` of the types ``reads``."""
    return tuple(getattr(view, _FIELDS[state]) for state in reads)
