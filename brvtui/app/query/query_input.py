"""The query's text field, with the history of queries that were run."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from brvtui.app.actions.panes import QUERY_FIELD
from brvtui.app.keys.bindings import bindings
from brvtui.app.widgets.ordered_keys import OrderedInput


class QueryInput(OrderedInput):
    """A one-line field; up and down go through the history and keep what was being typed."""

    TITLE = "Query"
    HELP_TEXT = (
        "Type a question. Every key probes: all panes show what would happen, nothing changes. Enter runs the query: "
        "its answer is cached as the engine would cache it. Up and down bring back earlier queries. A path, or a "
        "domain's name as the first word, keeps the search inside a folder, as it does in the engine."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(QUERY_FIELD)

    def __init__(self, *, id: str) -> None:
        """An empty field without history."""
        super().__init__(placeholder="Ask the context tree…", select_on_focus=False, compact=True, id=id)
        self.cursor_blink = False
        self.history: tuple[str, ...] = ()
        self._place = 0
        self._draft = ""

    def remember(self, history: tuple[str, ...]) -> None:
        """Takes over the history, oldest first, if it is another one."""
        if history is not self.history:
            self.history = history
            self._place = len(history)

    def action_history(self, step: int) -> None:
        """An earlier or later query of the history; past the last one stands what was being typed."""
        if self._place >= len(self.history):
            self._draft = self.value
        place = max(0, min(self._place + step, len(self.history)))
        if place == self._place:
            return
        self._place = place
        self.value = self.history[place] if place < len(self.history) else self._draft
        self.cursor_position = len(self.value)
