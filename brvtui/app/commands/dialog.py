"""The command palette: every action and every note, found by a few letters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input

from brvtui.app.actions.dialogs import COMMANDS
from brvtui.app.commands.command import Command, found, offered
from brvtui.app.contents import Branch
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.services import idle_in
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.word_filter import WordFilter
from brvtui.paint.line import Line, line, lit
from brvtui.paint.text import cut

_LEAST_TITLE = 24
MOST_ROWS = 200
MOST_RANKED = 2_000
"""The most notes that are ordered by their titles; further ones are only counted."""


class CommandsPane(ChoicePane):
    """Lists the commands that were found."""

    class Taken(Message):
        """Posted when a command was clicked."""

    def __init__(self, *, id: str) -> None:
        """A pane without commands."""
        super().__init__(id=id)
        self.commands: Sequence[Command] = ()
        """The commands that were found, best first."""
        self._words = WordFilter(())

    @property
    def command(self) -> Command | None:
        """The command under the cursor; None when there is none."""
        return self.commands[self.cursor] if self.cursor < len(self.commands) else None

    def put(self, commands: Sequence[Command], words: WordFilter) -> None:
        """Shows ``commands``, the first chosen, with ``words`` marked."""
        self.commands, self._words, self.cursor, self.offset_row = commands, words, 0, 0
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """A line for each: its title on the left, place and keys on the right."""
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
        if self._words.pattern is not None:
            made.spans = lit(made.spans, self._words.pattern, "bold match")
        return made

    def clicked(self, place: int) -> None:
        """Takes the command that was clicked."""
        self.move_to(place)
        self.post_message(self.Taken())


class CommandsDialog(Dialog[Command]):
    """Dismissed with the chosen command, or None. The list always fits the typed text, so Enter takes its first row."""

    AUTO_FOCUS = "#command"
    BINDINGS = bindings(COMMANDS)

    def __init__(self, mode: str, near: Collection[str]) -> None:
        """A palette over screen ``mode``, whose focused pane has the actions named in ``near``."""
        super().__init__("Commands: every action and every note", wide=True)
        self._mode, self._near = mode, near
        self._actions: list[Command] = []

    @property
    def rows(self) -> CommandsPane:
        """The list."""
        return self.query_one(CommandsPane)

    def make_parts(self) -> ComposeResult:
        """Field and list."""
        field = OrderedInput(placeholder="words of an action or of a note's title or path", id="command", compact=True)
        field.cursor_blink = False
        yield field
        yield CommandsPane(id="commands")

    def on_mount(self) -> None:
        """Lists everything."""
        view = self.services.store.view
        editing = view.editor.edit is not None
        self._actions = offered(self._mode, self._near, editing, self.services.keymap, idle_in(self.services))
        self._search()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._search()

    def _search(self) -> None:
        word_filter = WordFilter.of(self.query_one(Input).value)
        notes = self._notes(word_filter)
        main, aside = ([_shown(note) for note in notes[:MOST_RANKED] if note.aside is part] for part in (False, True))
        commands = found(word_filter, [*self._actions, *main]) + found(word_filter, aside)
        self.rows.put(commands[:MOST_ROWS], word_filter)
        amount = len(commands) + max(0, len(notes) - MOST_RANKED)
        tally = f"the first {MOST_ROWS} of {amount}: type on" if amount > MOST_ROWS else f"{amount}"
        self.query_one("#dialog").border_subtitle = tally

    def _notes(self, word_filter: WordFilter) -> list[Branch]:
        """Returns the files that hold every word; none without words."""
        overview = self.services.store.view.project.overview
        if overview is None or not word_filter:
            return []
        return [file for file in overview.branches.values() if not file.is_folder and word_filter.keeps(file.low)]

    @on(CommandsPane.Taken)
    def action_take(self) -> None:
        """Dismisses the dialog with the command under the cursor."""
        if self.rows.command is not None:
            self.dismiss(self.rows.command)

    def action_step(self, step: int) -> None:
        """Goes to the next row, or the one before."""
        self.rows.move_to(self.rows.cursor + step)

    def action_page(self, pages: int) -> None:
        """Goes a page of rows up or down."""
        self.rows.action_page(pages)


def _shown(note: Branch) -> Command:
    return Command(note.name, note.path, note=note.path)
