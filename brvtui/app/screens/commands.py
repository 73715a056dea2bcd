"""The command palette: every action and every note, found by a few letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from brvtui.app.commands.command import Command, found
from brvtui.app.screens.dialog import Dialog
from brvtui.app.sieve import Sieve
from brvtui.app.view import Branch
from brvtui.app.widgets.commands import CommandsPane
from brvtui.app.widgets.ordered_keys import OrderedInput

MOST_ROWS = 200
MOST_RANKED = 2_000
"""Of so many notes that hold the words, those with the words in the title come first; the others are counted."""


@dataclass
class Gathered(Message, bubble=False):
    """Every action there is."""

    actions: list[Command]


class CommandsDialog(Dialog[Command]):
    """Ends with the chosen command, or None. What is typed finds at once, so Enter takes what stands first."""

    AUTO_FOCUS = "#command"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "do it", id="commands.take", priority=True, tooltip="Do what is chosen"),
        Binding("down", "step(1)", "next", id="commands.next", priority=True, show=False, tooltip="The next row"),
        Binding("up", "step(-1)", "before", id="commands.before", priority=True, show=False, tooltip="The row before"),
        Binding("pagedown", "page(1)", "page", id="commands.down", priority=True, show=False, tooltip="A page down"),
        Binding("pageup", "page(-1)", "page", id="commands.up", priority=True, show=False, tooltip="A page up"),
    ]

    def __init__(self, mode: str, focused: type | None) -> None:
        """A palette over screen ``mode``, in which a widget of kind ``focused`` has the focus."""
        super().__init__("Commands: every action and every note", wide=True)
        self._mode, self._focused = mode, focused
        self._actions: list[Command] | None = None
        self._entered = False

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
        """All screens must be loaded to know their actions."""
        self._gather()

    @work(thread=True, group="commands", exit_on_error=False)
    def _gather(self) -> None:
        from brvtui.app.commands.gathering import actions

        editing = self.brv.view.edit is not None
        self.post_message(Gathered(actions(self._mode, self._focused, editing, self.brv.keymap)))

    @on(Gathered)
    def _gathered(self, event: Gathered) -> None:
        self._actions = event.actions
        self._seek()
        if self._entered:
            self.action_take()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._seek()

    def _seek(self) -> None:
        if self._actions is None:
            return
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
        overview = self.brv.view.overview
        if overview is None or not sieve:
            return []
        return [file for file in overview.branches.values() if not file.is_folder and sieve.keeps(file.low)]

    def action_take(self) -> None:
        """Ends with what is chosen; typed ahead, as soon as that is known."""
        self._entered = self._actions is None
        if self.rows.command is not None:
            self.dismiss(self.rows.command)

    def action_step(self, step: int) -> None:
        """The next row, or the one before."""
        self.rows.move_to(self.rows.cursor + step)

    def action_page(self, pages: int) -> None:
        """A page of rows up or down."""
        self.rows.action_page(pages)
