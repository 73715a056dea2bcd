"""A row of options, one of which is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import OPTIONS
from brvtui.app.keys.bindings import bindings
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, line


class Options(Lines, can_focus=True):
    """A label and its options; the left and right arrows choose, and so does a click."""

    TITLE = "Options"
    BINDINGS: ClassVar[list[BindingType]] = bindings(OPTIONS)

    class Chosen(Message):
        """Another option was chosen."""

    def __init__(self, label: str, options: Sequence[str], chosen: str = "", *, id: str) -> None:
        """Shows ``options``, with the first chosen unless ``chosen`` is given."""
        super().__init__(id=id)
        self._label = label
        self._options = options
        self.chosen = chosen or options[0]
        self._edges: list[tuple[int, str]] = []

    def also_reads(self) -> tuple[object, ...]:
        """Returns the chosen option, and whether the row has the focus."""
        return (self.chosen, self.has_focus)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns label and options in one line."""
        made = line(f" {self._label} ", "muted")
        made.to(_LABEL_CELLS)
        self._edges = [(made.width, "")]
        for option in self._options:
            chosen = option == self.chosen
            role = "bold badge-text on accent" if chosen and self.has_focus else "bold accent" if chosen else "text"
            made.add(f"[{option}]" if chosen else f" {option} ", role)
            self._edges.append((made.width, option))
        return [made.cut(width)]

    def choose(self, option: str) -> None:
        """Chooses ``option`` and posts :class:`Chosen` if it was not chosen before."""
        if option != self.chosen:
            self.chosen = option
            self.rebuild()
            self.post_message(self.Chosen())

    def action_choose(self, step: int) -> None:
        """Chooses the option ``step`` places to the right; to the left when negative."""
        place = self._options.index(self.chosen) + step
        self.choose(self._options[max(0, min(place, len(self._options) - 1))])

    def on_click(self, event: events.Click) -> None:
        """Chooses the option under the mouse."""
        option = next((option for edge, option in self._edges if event.x < edge), "")
        if option:
            self.choose(option)

    def on_focus(self, event: events.Focus) -> None:
        """Draws the chosen option brighter."""
        self.rebuild()

    def on_blur(self, event: events.Blur) -> None:
        """Draws the chosen option dimmer."""
        self.rebuild()


_LABEL_CELLS = 13
