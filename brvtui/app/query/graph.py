"""The Graph pane: the links around the selected note, which the user can follow."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import GRAPH
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import AnswerState, EngineState, ProjectState, QueryState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.paint.line import Line

if TYPE_CHECKING:
    from brvtui.paint.neighbourhood import Neighbourhood

_NOT_TOLD = "its links are not in the trace, which has only those of the first results and their neighbours"


class GraphPane(ChoicePane):
    """The selected note in the centre, and a row for each link. Following a link makes its other end the centre."""

    TITLE = "Graph"
    READS = (QueryState, AnswerState, SelectionState, EngineState, ProjectState)
    HELP_TEXT = (
        "This pane draws the links of the selected note and shows how the search reached it by walking along links. A "
        "thicker line is a heavier link, and an arrow shows its direction. ◆ marks a seed, where the walk starts; # "
        "is the rank of a result; a percentage is the share of the walk that came through that link. A narrow pane "
        "lists the walk's paths to the note, and the note's links. The up and down arrows select a neighbour. Press "
        "Enter to move it to the centre and, if it is a note, to select it in every pane; press Backspace to go back."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(GRAPH)

    @dataclass
    class PictureWanted(Message):
        """Posted to save the drawing as a picture."""

        shown: Neighbourhood

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._centre = ""
        """The centre after following links; empty for the selected note."""
        self._trail: list[str] = []
        """The earlier centres, the most recent last."""
        self.neighbourhood: Neighbourhood | None = None
        """The neighbourhood that is drawn."""

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the centre."""
        return (self._centre, *super().also_reads())

    def update(self, view: View) -> None:
        """Shows ``view``; a new query, engine or selection resets the centre to the selected note."""
        selected, query = view.selection.file, view.query.text
        elsewhere = selected != self.view.selection.file and selected != self._centre
        if elsewhere or query != self.view.query.text or view.engine.name != self.view.engine.name:
            self._centre, self._trail, self.cursor, self.offset_row = "", [], 0, 0
        super().update(view)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the drawing, or a message if there is none."""
        before = self.chosen
        self.choices, self.owner, self.neighbourhood = [], [], None
        if view.answered is None:
            return wrapped("the links of the selected result, and those through which the walk reached it", width)
        self.neighbourhood = view.presentation.neighbourhood(view.answered, self._centre or view.selection.file)
        if self.neighbourhood is None:
            return wrapped(_NOT_TOLD if view.selection.file else "no result is selected", width)
        from brvtui.paint.neighbourhood import drawn

        lines: list[Line] = []
        for key, rows in itertools.groupby(drawn(self.neighbourhood, width, self.rows, self.glyphs), itemgetter(1)):
            self.add_rows(lines, [row for row, _ in rows], key)
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return lines

    def changed(self) -> None:
        """Updates the key bar."""
        super().changed()
        self.show_keys()

    @property
    def end(self) -> tuple[str, str]:
        """The linked place under the cursor and its note; empty strings if there is none."""
        return self.neighbourhood.ends.get(self.chosen, ("", "")) if self.neighbourhood is not None else ("", "")

    @property
    def note(self) -> str:
        """The note under the cursor; empty if there is none."""
        return self.end[1]

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: going back at the start, and following or saving links if there are none."""
        idle = set() if self._trail else {"graph.back"}
        idle |= set() if self.end[0] else {"graph.walk"}
        return frozenset(idle if self.neighbourhood is not None else idle | {"graph.picture"})

    def clicked(self, place: int) -> None:
        """Selects the clicked neighbour; a second click makes it the centre."""
        again = place == self.cursor and self.has_focus
        self.move_to(place)
        if again:
            self.action_walk()

    def action_walk(self) -> None:
        """Makes the neighbour under the cursor the centre."""
        place, file = self.end
        if place and self.neighbourhood is not None:
            self._trail.append(self.neighbourhood.id)
            self._go(place, file)

    def action_retrace(self) -> None:
        """Returns to the previous centre, and moves the cursor to the place that was the centre until now."""
        if not self._trail or self.neighbourhood is None:
            self.notify("the walk along the links began here", timeout=3)
            return
        left = self.neighbourhood.id
        before = self._trail.pop()
        overview = self.view.project.overview
        self._go(before, before if overview is not None and before in overview.branches else "")
        if left in self.choices:
            self.move_to(self.choices.index(left))

    def action_save_picture(self) -> None:
        """Saves the drawing as a picture."""
        if self.neighbourhood is None:
            self.notify("there are no links to save: select a result", timeout=4)
        else:
            self.post_message(self.PictureWanted(self.neighbourhood))

    def _go(self, centre: str, file: str) -> None:
        self._centre = centre
        self.choices, self.cursor, self.offset_row = [], 0, 0
        if file:
            self.services.select(file)
        self.rebuild()
