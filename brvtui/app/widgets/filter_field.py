"""The field in the last row of a pane in which its filter is typed."""

from __future__ import annotations

from typing import ClassVar, Protocol, cast

from textual.binding import BindingType

from brvtui.app.actions.everywhere import FILTER
from brvtui.app.keys.bindings import bindings
from brvtui.app.widgets.ordered_keys import OrderedInput


class Filtered(Protocol):
    """The pane that a field filters."""

    def keep_filter(self) -> None:
        """Leaves the field; the filter stays."""

    def clear_filter(self) -> bool:
        """Takes field and filter away; whether there was one."""
        ...

    def step(self, step: int) -> None:
        """Moves while the filter is typed."""


class FilterField(OrderedInput):
    """A one-line field inside the pane that it filters."""

    TITLE = "Filter"
    HELP_TEXT = (
        "Type words. A list keeps the rows that hold all of them; a text lights every line that does, and shows the "
        "first. Enter goes back to the pane and leaves the filter as it is: n and N then go from match to match. Esc "
        "clears it."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FILTER)

    def __init__(self) -> None:
        """An empty field."""
        super().__init__(placeholder="words to keep", select_on_focus=False, compact=True)
        self.cursor_blink = False

    @property
    def pane(self) -> Filtered:
        """The pane that is filtered."""
        return cast("Filtered", self.parent)

    def action_keep(self) -> None:
        """Back to the pane, which stays filtered."""
        self.pane.keep_filter()

    def action_clear(self) -> None:
        """Clears the filter and goes back to the pane."""
        self.pane.clear_filter()

    def action_step(self, step: int) -> None:
        """Moves in the pane; the field keeps the focus."""
        self.pane.step(step)
