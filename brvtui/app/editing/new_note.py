"""The dialog that begins a new note."""

from __future__ import annotations

from collections.abc import Collection

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from brvtui.app.actions.dialogs import NEW_NOTE
from brvtui.app.editing.note_opening import NewNoteRequest
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.field import Field
from brvtui.app.widgets.options import Options
from brvtui.app.widgets.paragraphs import Paragraphs


class NewNoteDialog(Dialog[NewNoteRequest]):
    """Asks for title, folder and template, which make the path. Dismissed with a request; nothing is written."""

    BINDINGS = bindings(NEW_NOTE)
    AUTO_FOCUS = "#title-input"

    def __init__(self, title: str, folder: str, why: str, taken: Collection[str]) -> None:
        """A dialog that says ``why`` and proposes ``title`` and ``folder``; ``taken`` are the paths that exist."""
        super().__init__("New note", *([why] if why else []))
        self._proposed = (title, folder)
        self._taken = taken

    def make_parts(self) -> ComposeResult:
        """The question, the fields, the path."""
        from brvtui.tree.editing.new_notes import Template

        title, folder = self._proposed
        yield from super().make_parts()
        yield Field("title", title, id="title")
        yield Field("folder", folder, id="folder")
        yield Options("template", [template.value for template in Template], id="template")
        yield Paragraphs(id="path")

    def on_mount(self) -> None:
        """Shows the path that follows from the proposals; typing replaces the proposed title."""
        self._typed()
        self.query_one("#title-input", Input).select_all()

    @property
    def _path(self) -> str:
        """The path of the note. Raises :class:`brvtui.tree.reading.inside.PathError`."""
        from brvtui.tree.editing.new_notes import new_path

        folder = self.query_one("#folder", Field).value.strip().strip("/")
        return new_path(folder, self.query_one("#title", Field).value, self._taken)

    @on(Input.Changed)
    def _typed(self) -> None:
        from brvtui.tree.reading.inside import PathError

        said = self.query_one("#path", Paragraphs)
        if not self.query_one("#title", Field).value.strip():
            said.set_text(("give the note a title: its name follows from it", "muted"))
            return
        try:
            said.set_text((self._path, "bold strong"))
        except PathError as error:
            said.set_text((str(error), "bad"))

    async def action_begin(self) -> None:
        """Dismisses the dialog with the note to begin, if its path can be used."""
        from brvtui.tree.reading.inside import PathError

        await caught_up(self.focused)
        try:
            title, template = self.query_one("#title", Field).value.strip(), self.query_one(Options).chosen
            request = NewNoteRequest(self._path, title, template)
        except PathError:
            self._typed()
        else:
            self.dismiss(request)
