"""The dialog that begins a new note."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from brvtui.app.actions.dialogs import NEW_NOTE
from brvtui.app.editing.state import Begun
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.field import Field
from brvtui.app.widgets.options import Options
from brvtui.app.widgets.saying import Saying


class NewNoteDialog(Dialog[Begun]):
    """Title, folder and template; the path follows from them. Ends with :class:`Begun`; nothing is written."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(NEW_NOTE)
    AUTO_FOCUS = "#title-input"

    def __init__(self, title: str, folder: str, why: str, taken: Collection[str]) -> None:
        """A dialog that begins with ``title`` and ``folder``; ``taken`` are the paths that exist, ``why`` is said."""
        super().__init__("New note")
        self._first = (title, folder)
        self._why = why
        self._taken = taken

    def make_parts(self) -> ComposeResult:
        """What is said, the fields, the path."""
        from brvtui.tree.editing.new_notes import Template

        title, folder = self._first
        if self._why:
            yield Saying((self._why, "text"), id="question")
        yield Field("title", title, id="title")
        yield Field("folder", folder, id="folder")
        yield Options("template", [template.value for template in Template], id="template")
        yield Saying(id="path")

    def on_mount(self) -> None:
        """Says what follows from the fields so far."""
        self._typed()

    @property
    def _path(self) -> str:
        """The path of the note. Raises :class:`brvtui.tree.reading.inside.PathError`."""
        from brvtui.tree.editing.new_notes import new_path

        folder = self.query_one("#folder", Field).value.strip().strip("/")
        return new_path(folder, self.query_one("#title", Field).value, self._taken)

    @on(Input.Changed)
    def _typed(self) -> None:
        from brvtui.tree.reading.inside import PathError

        said = self.query_one("#path", Saying)
        if not self.query_one("#title", Field).value.strip():
            said.say(("give the note a title: its name follows from it", "muted"))
            return
        try:
            said.say((self._path, "bold strong"))
        except PathError as error:
            said.say((str(error), "bad"))

    async def action_begin(self) -> None:
        """Ends with the note, if its path is good."""
        from brvtui.tree.reading.inside import PathError

        await caught_up(self.focused)
        try:
            begun = Begun(self._path, self.query_one("#title", Field).value.strip(), self.query_one(Options).chosen)
        except PathError:
            self._typed()
        else:
            self.dismiss(begun)
