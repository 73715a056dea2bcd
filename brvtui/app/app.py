"""The app: what all screens share beside the project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen

from brvtui import faults
from brvtui.app import engine, keymap
from brvtui.app.modes import EDITOR, SCREENS
from brvtui.app.parts.astray import Astray
from brvtui.app.parts.browsing import Browsing
from brvtui.app.parts.changes import Changes
from brvtui.app.parts.copying import Copying
from brvtui.app.parts.drafts import Drafts
from brvtui.app.parts.editing import Editing
from brvtui.app.parts.exporting import Exporting
from brvtui.app.parts.layouts import Layouts
from brvtui.app.parts.logs import Logs
from brvtui.app.parts.own_editor import OwnEditor
from brvtui.app.parts.planning import Planning
from brvtui.app.project import Opening
from brvtui.app.reopening import ReopeningApp
from brvtui.app.text_entry import caught_up, types_text
from brvtui.app.view import Phase
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.session import Session

_MOST_TOASTS = 2
_BELOW_MODALS = ("mode", "commands")
NO_PROJECT = 3
"""The exit code when no project could be opened."""


class BrvTui(ReopeningApp):
    """Shows why a query of a context tree got its answer."""

    TITLE = "brv-tui"
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "styles/base.tcss",
        "styles/query.tcss",
        "styles/maturity.tcss",
        "styles/editor.tcss",
        "styles/modal.tcss",
        "styles/dialog.tcss",
    ]
    ENABLE_COMMAND_PALETTE = False  # Textual's: Enter takes what its list showed before the last letters were typed
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {mode.name: mode.make for mode in (*SCREENS, EDITOR)}
    DEFAULT_MODE = "query"
    _commanded = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *keymap.APP,
        *(keymap.screen_key(mode.key, mode.name, mode.title) for mode in SCREENS),
    ]

    def __init__(self, opening: Opening) -> None:
        """An app that will open what ``opening`` says once it is painted."""
        super().__init__(opening)
        hearing, threads, shown = self.hearing, self.threads, self.shown
        self.astray = Astray(self, hearing, threads, self, shown)
        self.layouts = Layouts(self, hearing, threads, self, self._take_layout)
        self.copying = Copying(self, hearing, threads, self, shown, self._write)
        self.exporting = Exporting(self, threads, self, shown)
        self.logs = Logs(self, hearing, threads, self, shown)
        self.browsing = Browsing(self, hearing, threads, self, shown, self.select)
        self.drafts = Drafts(self, hearing, threads, self, lambda path: self.editing.edit(path))
        keep = self.drafts.keep
        self.own_editor = OwnEditor(self, hearing, threads, self, keep, self._follow)
        self.editing = Editing(self, hearing, threads, self, shown, self.own_editor, keep)
        look = self.editing.look_at_disk
        self.changes = Changes(self, hearing, threads, self, shown, self._read_tree, look, self.select)
        self.planning = Planning(self, self, shown, self.editing, self.changes.carry_out)

    def on_mount(self) -> None:
        """The parts begin what they do by themselves."""
        self.astray.begin()

    def _follow(self) -> None:
        if self.session is not None:
            self.follow(self.session)

    def _read_tree(self, session: Session) -> None:
        engine.read_tree(session, self.surveyor, self.post_message, self.shown_generation)

    @property
    def note_at_hand(self) -> str:
        """The note that keys act on; empty when there is none."""
        return self.frame.note_at_hand if self.frame is not None else ""

    def _take_layout(self) -> None:
        if self.frame is not None:
            self.frame.take_layout()

    def _write(self, escape: str) -> None:
        """Hands an escape sequence to the terminal."""
        if self._driver is not None:
            self._driver.write(escape)

    @property
    def clipboard(self) -> str:
        """What was copied last in this app; fields paste it."""
        return self.copying.copied

    def copy_to_clipboard(self, text: str) -> None:
        """Copies ``text``: what fields and selections copy."""
        self.copying.copy_out(text, "the text")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """A toast; what it quotes is text, never markup nor escapes."""
        super().notify(visible(message), title=title, severity=severity, timeout=timeout, markup=markup)
        self.call_later(self._thin_out)

    def _thin_out(self) -> None:
        """Few toasts at once: what is said again replaces itself, then the oldest give way, errors last."""
        held = list(self._notifications)
        said = {one.message: place for place, one in enumerate(held)}
        again = [one for place, one in enumerate(held) if said[one.message] != place]
        rest = sorted((one for one in held if one not in again), key=lambda one: one.severity == "error")
        for one in again + rest[: max(0, len(rest) - _MOST_TOASTS)]:
            self._unnotify(one)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters and digits are text while a field has the focus; screens stay while a modal is open."""
        if action in _BELOW_MODALS and len(self.screen_stack) > 1:
            return False
        return not (self.takes_letters and self.acts_by_letter(type(self), action, parameters))

    @property
    def takes_letters(self) -> bool:
        """Whether letters are text now: a field has the focus, and no command is carried out."""
        return not self._commanded and types_text(self.focused)

    @contextmanager
    def commanded(self) -> Iterator[None]:
        """While this lasts, actions are chosen by name, so that none is kept back because its key is a letter."""
        self._commanded = True
        try:
            yield
        finally:
            self._commanded = False

    def action_commands(self) -> None:
        """The command palette."""
        from brvtui.app.commands.command import Command
        from brvtui.app.commands.running import carry_out
        from brvtui.app.screens.commands import CommandsDialog

        async def chosen(command: Command | None) -> None:
            if command is not None:
                await carry_out(self, command)

        at = self.frame.pane if self.frame is not None else None
        self.push_screen(CommandsDialog(self.current_mode, type(at) if at is not None else None), chosen)

    def action_copy(self, what: str) -> None:
        """Copies ``path``, ``answer``, ``prompt``, ``trace``, or ``shown``: what the focused pane shows."""
        self.copying.copy(what)

    def action_export(self, ending: str) -> None:
        """Saves the trace in the form of ``ending``."""
        self.exporting.export(ending)

    def action_edit_note(self) -> None:
        """Edits the note at hand."""
        self.editing.edit_at_hand(self.note_at_hand, outside=False)

    def action_edit_outside(self) -> None:
        """Edits the note at hand in the user's own editor."""
        self.editing.edit_at_hand(self.note_at_hand, outside=True)

    def action_new_note(self) -> None:
        """Begins a note."""
        self.planning.new_note(self.note_at_hand)

    def action_move_note(self) -> None:
        """Renames or moves the note at hand."""
        self.planning.move(self.note_at_hand)

    def action_archive_note(self) -> None:
        """Archives the note at hand, or restores it from its stub."""
        self.planning.archive(self.note_at_hand)

    def action_signals(self) -> None:
        """Sets maturity and importance of the note at hand."""
        self.planning.set_signals(self.note_at_hand)

    def action_undo_change(self) -> None:
        """Undoes what was changed last."""
        self.changes.undo()

    def action_redo_change(self) -> None:
        """Does again what was undone last."""
        self.changes.redo()

    def action_changes(self) -> None:
        """Lists the changes of this session."""
        self.changes.list_all()

    def action_drafts(self) -> None:
        """Lists the drafts."""
        self.drafts.list_all()

    async def action_mode(self, name: str) -> None:
        """Brings a screen to the front; it keeps its state."""
        await self.switch_mode(name)

    def action_help_quit(self) -> None:
        """Ctrl+C copies in most terminals, so it does not end the app."""
        self.notify("press ctrl+q to quit", timeout=3)

    async def action_quit(self) -> None:
        """Ends the app, not without asking about unsaved text."""
        if self.editing.editor is not None:
            await caught_up(self.editing.editor.area)
        self.editing.when_safe(lambda: self.call_later(self._end))

    async def _end(self) -> None:
        """Ends the app: with the code for a missing project when there was none to open."""
        if not await self.editing.all_kept():
            self.editing.when_safe(lambda: self.call_later(self._end))
            return
        await self.layouts.finish()
        self.exit(return_code=NO_PROJECT if self.view.phase is Phase.FAILED else 0)

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Saves the screen as SVG and says where."""
        folder = path or str(Path.cwd())
        try:
            saved = self.save_screenshot(filename, folder)
        except OSError as error:
            self.notify(f"no screenshot: {faults.advised(error)}", severity="error")
        else:
            self.notify(f"saved {saved}", timeout=8)
