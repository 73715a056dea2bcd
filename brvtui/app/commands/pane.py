"""The rows of the command palette."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.message import Message

from brvtui.app.commands.command import Command
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.sieve import Sieve
from brvtui.paint.line import Line, line
from brvtui.paint.marking import lit
from brvtui.paint.text import cut

_LEAST_TITLE = 24


class CommandsPane(ChoicePane):
    """A row for each command that was found."""

    class Taken(Message):
        """The command under the cursor was clicked."""

    def __init__(self, *, id: str) -> None:
        """A pane without commands."""
        super().__init__(id=id)
        self.commands: Sequence[Command] = ()
        """What was found."""
        self._sought = Sieve(())

    @property
    def command(self) -> Command | None:
        """The one under the cursor."""
        return self.commands[self.cursor] if self.cursor < len(self.commands) else None

    def put(self, commands: Sequence[Command], sought: Sieve) -> None:
        """Shows ``commands``, the first chosen, with the words that were sought lit."""
        self.commands, self._sought, self.cursor, self.offset_row = commands, sought, 0, 0
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """A line for each: what it does on the left, where and by which keys on the right."""
        self.choices = [str(place) for place in range(len(self.commands))]
        self.owner = list(range(len(self.choices)))
        return [self._row(command, width) for command in self.commands] or [
            line(" no action and no note has all these words", "muted")
        ]

    def _row(self, command: Command, width: int) -> Line:
        mark = f" {self.glyphs.bullet if command.note else ' '} "
        room = width - cell_len(mark) - 1
        title = cut(command.title, max(_LEAST_TITLE, room - cell_len(command.aside) - cell_len(command.keys) - 4))
        left = line(mark, "accent").add(title, "text")
        aside = Line().add(command.aside, "muted")
        if command.keys:
            aside.gap(2).add(command.keys, "bold accent")
        aside.cut(max(0, width - left.width - 3)).gap()
        made = left.right(width, aside)
        if self._sought.pattern is not None:
            made.spans = lit(made.spans, self._sought.pattern, "bold match")
        return made

    def clicked(self, place: int) -> None:
        """A click takes what it chooses."""
        self.move_to(place)
        self.post_message(self.Taken())
