"""The field for a question to a fleet, and beside it how the answers are merged."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from brvtui.app.actions.panes import FLEET_FIELD
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import FleetState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.paint.line import Line, line

_ROOMY = 26
BY_ITS_ENGINE, BY_ITSELF = "each by its own engine", "each by itself"
"""How members are asked, in full and where there is little room."""


class FleetInput(OrderedInput):
    """A one-line field."""

    TITLE = "Question"
    HELP_TEXT = (
        "Type a question. When you pause, every member is asked; typing on, or Esc, stops that. Enter asks at once and "
        "goes to the results. {fleet.again} asks again, of the fleet and its files as they are now."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FLEET_FIELD)

    def __init__(self, *, id: str) -> None:
        """Makes an empty field."""
        super().__init__(placeholder="Ask all memories", select_on_focus=False, compact=True, id=id)
        self.cursor_blink = False


class FleetPrompt(Lines):
    """The sign before the field."""

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the sign."""
        return [line(f" {self.glyphs.prompt} ", "bold accent")]


class FleetBadge(Lines):
    """How answers are merged."""

    READS = (FleetState,)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line, set to the right."""
        state = view.fleet
        if state.fleet is None:
            return [Line()]
        each = BY_ITS_ENGINE if width > _ROOMY else BY_ITSELF
        way, role = ("one ranking", "bold badge-text on accent") if state.together else (each, "bold accent")
        return [Line().right(width, line(f" {way.upper()} ", role))]


class FleetBox(Horizontal):
    """Sign, field and badge in one row, in a frame when there is room."""

    def compose(self) -> ComposeResult:
        """Puts sign, field and badge into one row."""
        yield FleetPrompt(id="fleet-prompt")
        yield FleetInput(id="fleet-query")
        yield FleetBadge(id="fleet-badge")
