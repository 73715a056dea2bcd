"""The command palette: every action and every note, found by a few letters."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from brvtui.app.actions.dialogs import COMMANDS
from brvtui.app.commands.command import Command, found
from brvtui.app.commands.gathering import offered
from brvtui.app.commands.pane import CommandsPane
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.states import Branch
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.sieve import Sieve

MOST_ROWS = 200
MOST_RANKED = 2_000
"""Of so many notes that hold the words, those with the words in the title come first; the others are counted."""


class CommandsDialog(Dialog[Command]):
    """Ends with the chosen command, or None. What is typed finds at once, so Enter takes what stands first."""

    AUTO_FOCUS = "#command"
    BINDINGS: ClassVar[list[BindingType]] = bindings(COMMANDS)

    def __init__(self, mode: str, near: Collection[str]) -> None:
        """A palette over screen ``mode``, whose focused pane has the actions called as in ``near``."""
        super().__init__("Commands: every action and every note", wide=True)
        self._mode, self._near = mode, near
        self._actions: list[Command] = []

    @property
    def rows(self) -> CommandsPane:
        """What was found."""
        return self.query_one(CommandsPane)

    def make_parts(self) -> ComposeResult:
        """Field and list."""
        field = OrderedInput(placeholder="words of an action or of a note's title or path", id="command", compact=True)
        field.cursor_blink = False
        yield field
        yield CommandsPane(id="commands")

    def on_mount(self) -> None:
        """Lists everything."""
        editing = self.services.store.view.editor.edit is not None
        self._actions = offered(self._mode, self._near, editing, self.services.keymap)
        self._seek()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._seek()

    def _seek(self) -> None:
        sieve = Sieve.of(self.query_one(Input).value)
        notes = self._notes(sieve)
        ranked = [Command(note.name, note.path, note=note.path) for note in notes[:MOST_RANKED]]
        commands = found(sieve, [*self._actions, *ranked])
        self.rows.put(commands[:MOST_ROWS], sieve)
        amount = len(commands) + max(0, len(notes) - MOST_RANKED)
        shown = f"the first {MOST_ROWS} of {amount}: type on" if amount > MOST_ROWS else f"{amount}"
        self.query_one("#dialog").border_subtitle = shown

    def _notes(self, sieve: Sieve) -> list[Branch]:
        """The files that hold every word; none without words."""
        overview = self.services.store.view.project.overview
        if overview is None or not sieve:
            return []
        return [file for file in overview.branches.values() if not file.is_folder and sieve.keeps(file.low)]

    @on(CommandsPane.Taken)
    def action_take(self) -> None:
        """Ends with what is chosen."""
        if self.rows.command is not None:
            self.dismiss(self.rows.command)

    def action_step(self, step: int) -> None:
        """The next row, or the one before."""
        self.rows.move_to(self.rows.cursor + step)

    def action_page(self, pages: int) -> None:
        """A page of rows up or down."""
        self.rows.action_page(pages)
